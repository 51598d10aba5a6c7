"""Making what was read from input safe to show and safe to paste into a shell."""

from __future__ import annotations

import re

SHOWN_LENGTH = 240
"""Characters of an input line that a report shows before it cuts in the middle."""

_ESCAPES = r"\x1b(?:\[[0-?]*[ -/]*[@-~]|\][^\x07\x1b]*(?:\x07|\x1b\\)?|[@-Z\\-_])"
_CONTROLS = "[\x00-\x08\x0a-\x1f\x7f-\x9f\u061c\u200b-\u200f\u2028-\u202e\u2060-\u2069\ud800-\udfff\ufeff\ufff9-\ufffb]"
_SHELL_SAFE = re.compile(r"[\w@%+=:,./-]+", re.ASCII)


def printable(text: str, limit: int | None = None) -> str:
    """`text` on one line, without terminal escapes, with control and direction-changing characters made visible.

    >>> printable("\\x1b[31mred\\x1b[0m\\x07")
    'red\\\\x07'
    """
    if not text.isprintable():  # classes of all scripts take long to compile, and few texts need them
        text = re.sub(_CONTROLS, _visible, re.sub(_ESCAPES, "", text).replace("\t", "  "))
    if limit is not None and len(text) > limit:
        head = limit * 2 // 3
        text = f"{text[:head]} … {text[len(text) - (limit - head - 3) :]}"
    return text


def _visible(match: re.Match[str]) -> str:
    code = ord(match.group())
    return f"\\x{code:02x}" if code < 0x100 else f"\\u{code:04x}"


def shell_word(value: str) -> str:
    """`value` as one word of a POSIX shell, whatever it holds. Control characters are made visible first.

    >>> shell_word("a; rm -rf ~")
    "'a; rm -rf ~'"
    """
    value = printable(value)
    if value and _SHELL_SAFE.fullmatch(value):
        return value
    return "'" + value.replace("'", "'\"'\"'") + "'"
