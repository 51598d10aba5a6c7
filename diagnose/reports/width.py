"""Columns of a terminal: East Asian wide characters take two, combining ones none (Unicode Standard Annex 11)."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator

_WIDE = r"\u1100-\u115f\u2e80-\uffef\U00020000-\U0003fffd"
_PIECE = rf"\s+|[（《【“]*(?:[^\s{_WIDE}]+|[{_WIDE}])[，。、；：！？）》】”]*"
"""Blanks, words, and single characters of scripts that break anywhere, each with the punctuation that belongs to it."""


def width(text: str) -> int:
    """How many columns `text` takes.

    >>> width("JPEG 基线")
    9
    """
    return len(text) if text.isascii() else sum(_character_width(character) for character in text)


def padded(text: str, columns: int) -> str:
    """`text` filled with blanks to `columns`; longer text stays whole."""
    return text + " " * (columns - width(text))


def wrapped(text: str, columns: int) -> list[str]:
    """`text` in lines of at most `columns` (at least 2), broken at blanks and between wide characters."""
    lines, line = [], ""
    for piece in _fitting(text, max(2, columns)):
        if width(line) + width(piece) > columns:
            lines.append(line.rstrip())
            line = ""
        line += piece if line else piece.lstrip()
    return [*lines, line.rstrip()] if line.strip() or not lines else lines


def _fitting(text: str, columns: int) -> Iterator[str]:
    """The pieces, with those that are wider than a line cut."""
    for piece in _pieces(text):
        if piece.isascii() and len(piece) <= columns:
            yield piece
            continue
        part = ""
        for character in piece:
            if width(part) + _character_width(character) > columns:
                yield part
                part = ""
            part += character
        yield part


def _pieces(text: str) -> list[str]:
    """Text without wide characters needs no classes of them, which take longer to compile than a report to render."""
    return re.findall(_PIECE if any(map(_may_be_wide, text)) else r"\s+|\S+", text)


def _may_be_wide(character: str) -> bool:
    return character >= "\u2e80" or "\u1100" <= character <= "\u115f"


def _character_width(character: str) -> int:
    if unicodedata.combining(character):
        return 0
    return 2 if unicodedata.east_asian_width(character) in "WF" else 1
