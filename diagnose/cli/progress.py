"""Progress on standard error: one line that is written over, on a terminal only, never among the results."""

from __future__ import annotations

import sys
import time
from types import TracebackType

INTERVAL_SECONDS = 0.2


class ProgressLine:
    """`with ProgressLine(enabled) as line: line.show(text)`; the line is gone when the work is done."""

    def __init__(self, enabled: bool) -> None:
        self.enabled = enabled and sys.stderr.isatty()
        self.started = time.monotonic()
        self._next = self.started + INTERVAL_SECONDS
        self._shown = False

    def __enter__(self) -> ProgressLine:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._shown:
            sys.stderr.write("\r\x1b[K")
            sys.stderr.flush()

    def seconds(self) -> float:
        """Time since the start."""
        return max(1e-6, time.monotonic() - self.started)

    def due(self) -> bool:
        """Whether it is time to show something again."""
        return self.enabled and time.monotonic() >= self._next

    def show(self, text: str) -> None:
        if self.due():
            sys.stderr.write(f"\r{text}\x1b[K")
            sys.stderr.flush()
            self._shown = True
            self._next = time.monotonic() + INTERVAL_SECONDS
