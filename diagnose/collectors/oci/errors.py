"""What the collector says when it cannot begin at all. Everything later is a finding, not an exception."""

from __future__ import annotations


class UnusableImageError(ValueError):
    """The subject is neither an image reference nor a layout. `what` is wrong, `where`, and `remedy`: what to do."""

    def __init__(self, what: str, where: str, remedy: str) -> None:
        super().__init__(f"{where}: {what}. {remedy}")
        self.what = what
        self.where = where
        self.remedy = remedy
