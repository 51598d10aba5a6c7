"""How far a scan is, how fast it goes, and how long it will take."""

from __future__ import annotations

import time
from collections import deque

from msgspec import Struct

WINDOW_SECONDS = 20.0
MIN_SECONDS = 1.0


class Progress(Struct, frozen=True):
    """`files` of `listed` are done. While listing goes on, `total_known` is false and there is no time left to tell."""

    files: int
    listed: int
    total_known: bool
    findings: int
    files_per_second: float
    seconds_left: float | None


class Meter:
    """Measures the pace over the last seconds, so that a slow folder or a quick start does not mislead for long."""

    def __init__(self) -> None:
        self._marks: deque[tuple[float, int]] = deque([(time.monotonic(), 0)])

    def progress(self, files: int, listed: int, total_known: bool, findings: int) -> Progress:
        """The state of things now."""
        now = time.monotonic()
        marks = self._marks
        if now - marks[-1][0] >= MIN_SECONDS:
            marks.append((now, files))
        while len(marks) > 2 and now - marks[1][0] > WINDOW_SECONDS:
            marks.popleft()
        started, before = marks[0]
        pace = (files - before) / max(now - started, 0.05)
        left = (listed - files) / pace if total_known and pace > 0 else None
        return Progress(files, listed, total_known, findings, pace, left)
