"""Text on a terminal: colour, East-Asian widths, wrapping."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable

CODES = {"bold": "1", "dim": "2", "red": "31", "green": "32", "yellow": "33", "blue": "34", "cyan": "36"}
SEVERITY_COLOURS = {"error": "red", "warning": "yellow", "note": "blue"}


class Style:
    """Paints text where colour is wanted, and leaves it alone where it is not."""

    def __init__(self, colour: bool = False) -> None:
        self.colour = colour

    def paint(self, text: str, *names: str) -> str:
        """`text` in the colours or weights of `CODES`."""
        if not self.colour or not text:
            return text
        return f"\x1b[{';'.join(CODES[name] for name in names)}m{text}\x1b[0m"


def display_width(text: str) -> int:
    """Columns that the text takes: two for each wide character of East Asia, none for a combining one.

    >>> display_width("层 layer")
    8
    """
    if text.isascii():
        return len(text)
    return sum(_character_width(character) for character in text)


def _character_width(character: str) -> int:
    if unicodedata.combining(character):
        return 0
    return 2 if unicodedata.east_asian_width(character) in "WF" else 1


def padded(text: str, width: int) -> str:
    """The text with spaces up to `width` columns."""
    return text + " " * max(0, width - display_width(text))


def wrapped(text: str, width: int) -> list[str]:
    """Lines of at most `width` columns, broken at spaces, or between wide characters; longer words are cut."""
    lines: list[str] = []
    line, used, pending_space = "", 0, False
    for piece in _pieces(text):
        if piece == " ":
            pending_space = bool(line)
            continue
        for part in _cut(piece, width):
            columns = display_width(part)
            if line and used + pending_space + columns > width:
                lines.append(line)
                line, used, pending_space = "", 0, False
            if pending_space:
                line, used = line + " ", used + 1
            line, used, pending_space = line + part, used + columns, False
    return [*lines, line] if line or not lines else lines


def _pieces(text: str) -> Iterable[str]:
    """Words, single spaces, and wide characters each with the closing punctuation that may not begin a line."""
    piece = ""
    for character in text:
        wide = _character_width(character) == 2
        if character.isspace():
            if piece:
                yield piece
            piece = ""
            yield " "
        elif wide and character not in "，。；：、！？）》」』”’":
            if piece:
                yield piece
            piece = character
        elif piece and not wide and _character_width(piece[-1]) == 2:
            yield piece
            piece = character
        else:
            piece += character
    if piece:
        yield piece


def _cut(word: str, width: int) -> Iterable[str]:
    part, used = "", 0
    for character in word:
        columns = _character_width(character)
        if used + columns > width and part:
            yield part
            part, used = "", 0
        part, used = part + character, used + columns
    yield part
