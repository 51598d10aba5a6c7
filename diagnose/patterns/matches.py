"""A match in a line of bytes as a hit with texts."""

from __future__ import annotations

import re

from diagnose.evidence import Hit


def hit_of(pattern: int, line: int, found: re.Match[bytes]) -> Hit:
    """The hit of a pattern in the line of this number."""
    text = found.string
    captures = {name: _text(value) for name, value in found.groupdict().items() if value is not None}
    return Hit(pattern, line, _text(text), captures, found.start(), found.end())


def _text(data: bytes) -> str:
    """UTF-8, else GBK (a Chinese Windows mixes both into one log), else with replacement characters."""
    for encoding in ("utf-8", "gb18030"):
        try:
            return data.decode(encoding)
        except UnicodeDecodeError:
            continue
    return data.decode("utf-8", "replace")
