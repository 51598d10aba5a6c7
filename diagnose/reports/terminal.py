"""Colour on a terminal."""

from __future__ import annotations

CODES = {"bold": "1", "dim": "2", "red": "31", "green": "32", "yellow": "33", "blue": "34", "cyan": "36"}
SEVERITY_COLOURS = {"error": "red", "warning": "yellow", "note": "blue"}


class Style:
    """Paints text where colour is wanted, and leaves it alone where it is not."""

    def __init__(self, colour: bool = False) -> None:
        self.colour = colour

    def paint(self, text: str, *names: str) -> str:
        """`text` in the colours or weights of `CODES`."""
        if not self.colour or not text or not names:
            return text
        return f"\x1b[{';'.join(CODES[name] for name in names)}m{text}\x1b[0m"
