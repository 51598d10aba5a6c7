"""An error in the syntax of a text, of whatever notation."""

from __future__ import annotations

from msgspec import Struct


class TextError(Struct, frozen=True):
    """What is wrong, at which line and column (from 1), the text there, and whether the text just ends early."""

    message: str
    line: int
    column: int
    text: str
    ends_early: bool = False

    @property
    def where(self) -> str:
        return f"line {self.line}, column {self.column}"
