"""Whether a JSON text obeys RFC 8259, where it does not, and what readers of valid JSON disagree about."""

from __future__ import annotations

import json
import re
from collections import Counter
from typing import Any, NoReturn

from msgspec import Struct, field

from diagnose.collectors.text.text_error import TextError

_SIZE_LIMIT = 32 << 20
_LINES_LIMIT = 50_000
_DEPTH_MESSAGE = "nested too deeply"
_AROUND = 20


class JsonSyntax(Struct):
    """The first error, or None; and by kind an example of each ambiguity (RFC 8259, sections 4, 6 and 8.2)."""

    error: TextError | None = None
    ambiguities: dict[str, str] = field(default_factory=dict)


class TooLargeError(Exception):
    """The text is longer than what is parsed here."""


def read_json_syntax(text: str, *, by_line: bool) -> JsonSyntax:
    """The syntax of a JSON text. `by_line` for JSON Lines, of which each line that is not blank is a value.

    Raises TooLargeError beyond 32 Mi characters or 50,000 lines without an error.
    """
    if len(text) > _SIZE_LIMIT:
        raise TooLargeError(f"longer than {_SIZE_LIMIT} characters")
    reader = _Reader()
    if not by_line:
        reader.read(text, 0)
        return reader.syntax
    for number, line in enumerate(text.split("\n")):
        if number >= _LINES_LIMIT:
            raise TooLargeError(f"more than {_LINES_LIMIT} lines")
        if line.strip():
            reader.read(line, number)
        if reader.syntax.error:
            break
    return reader.syntax


class _ConstantError(ValueError):
    """NaN and Infinity, which Python reads and RFC 8259 does not know."""


class _Reader:
    """Reads values with the standard library, which builds nothing of them here but the lists of each object's keys."""

    def __init__(self) -> None:
        self.syntax = JsonSyntax()

    def read(self, text: str, lines_before: int) -> None:
        if not text.strip(" \t\r\n"):
            self.syntax.error = TextError("empty text", lines_before + 1, 1, "")
            return
        try:
            json.loads(
                text,
                object_pairs_hook=self._note_keys,
                parse_int=self._note_integer,
                parse_float=self._note_float,
                parse_constant=self._refuse,
            )
        except json.JSONDecodeError as error:
            self.syntax.error = _describe(text, lines_before, error)
        except RecursionError:
            self.syntax.error = TextError(_DEPTH_MESSAGE, lines_before + 1, 1, text[: 2 * _AROUND])
        except _ConstantError as error:
            self.syntax.error = _locate(text, lines_before, f"{error} is not JSON", text.find(str(error)))
        else:
            self._note_surrogates(text)
            self._note_depth(text)

    def _note(self, kind: str, example: str) -> None:
        self.syntax.ambiguities.setdefault(kind, example[:80])

    def _note_keys(self, pairs: list[tuple[str, Any]]) -> None:
        if len({key for key, _ in pairs}) == len(pairs):
            return
        repeated = next(key for key, count in Counter(key for key, _ in pairs).items() if count > 1)
        self._note("duplicate-key", repeated)

    def _note_integer(self, digits: str) -> None:
        if len(digits) > _DIGITS_OF_LARGEST or (len(digits) >= _DIGITS_OF_LARGEST - 1 and abs(int(digits)) > 2**53):
            self._note("integer-beyond-double", digits)

    def _note_float(self, digits: str) -> None:
        if len(digits) > _LONG_FLOAT or "e" in digits or "E" in digits:
            value = float(digits)
            if value in (_INFINITY, -_INFINITY) or (value == 0 and digits.strip("-0.")[:1] in _NONZERO):
                self._note("number-out-of-range", digits)

    def _note_surrogates(self, text: str) -> None:
        """Half of a pair, written as an escape: no Unicode text has it, and UTF-8 cannot hold it."""
        if "\\ud" not in text and "\\uD" not in text:
            return
        high_ends_at = -1
        for escape in _ESCAPE.finditer(text):
            unit = int(escape[1], 16) if escape[1] else 0
            is_low, is_high = 0xDC00 <= unit < 0xE000, 0xD800 <= unit < 0xDC00
            is_pair = is_low and escape.start() == high_ends_at
            if (is_low or high_ends_at >= 0) and not is_pair:
                self._note("lone-surrogate", text[max(0, escape.start() - _AROUND) : escape.end()])
                return
            high_ends_at = escape.end() if is_high else -1
        if high_ends_at >= 0:
            self._note("lone-surrogate", text[max(0, high_ends_at - _AROUND) : high_ends_at])

    def _note_depth(self, text: str) -> None:
        if len(text) > _DEPTH_SEARCHED or text.count("[") + text.count("{") <= _DEEP:
            return
        depth = 0
        for found in _BRACKETS.finditer(text):
            if found[1]:
                depth += 1
            elif found[0] in "]}":
                depth -= 1
            if depth > _DEEP:
                self._note("deep-nesting", f"more than {_DEEP} levels")
                return

    def _refuse(self, name: str) -> NoReturn:
        raise _ConstantError(name)


_DIGITS_OF_LARGEST = 17
"""2 to the power of 53 has 16 digits; a sign may stand before them."""

_LONG_FLOAT = 300
_INFINITY = float("inf")
_NONZERO = tuple("123456789")
_DEEP, _DEPTH_SEARCHED = 128, 1 << 20
"""How deep the strictest of usual readers goes (serde_json), and up to which length of a text that is looked for."""

_BRACKETS = re.compile(r'"(?:[^"\\]|\\.)*+"|([\[{])|[\]}]', re.DOTALL)
_ESCAPE = re.compile(r"\\(?:u([0-9a-fA-F]{4})|.)", re.DOTALL)


def _describe(text: str, lines_before: int, error: json.JSONDecodeError) -> TextError:
    """The error in words that are the same in all versions of Python, and that tell what somebody meant to write."""
    ends_early = error.pos >= len(text.rstrip()) or error.msg.startswith("Unterminated string")
    before = text[: error.pos].rstrip()
    if text[error.pos : error.pos + 1] == ",":
        before = text[: error.pos + 1]
    if before.endswith(",") and text[len(before) :].lstrip()[:1] in ("}", "]"):
        return _locate(text, lines_before, "trailing comma", len(before) - 1)
    found = next((message for start, message in _FOREIGN.items() if text.startswith(start, error.pos)), error.msg)
    return _locate(text, lines_before, found, error.pos, ends_early=ends_early)


_FOREIGN = {
    "//": "comments are not JSON",
    "/*": "comments are not JSON",
    "#": "comments are not JSON",
    "'": "single quotes are not JSON",
    "True": "True is not JSON",
    "False": "False is not JSON",
    "None": "None is not JSON",
}
"""What JavaScript, YAML and Python allow."""


def _locate(text: str, lines_before: int, message: str, at: int, *, ends_early: bool = False) -> TextError:
    at = max(at, 0)
    column = at - text.rfind("\n", 0, at)
    line = lines_before + text.count("\n", 0, at) + 1
    return TextError(message, line, column, text[max(0, at - _AROUND) : at + _AROUND], ends_early)
