"""Which text of a log is kept for questions that are asked later: all of a small one, else what surrounds its hits."""

from __future__ import annotations

from diagnose.evidence import Window

WHOLE_BYTES = 1 << 20
"""So much of a log's beginning is kept whole."""

BEFORE_BYTES = 48 << 10
AFTER_BYTES = 12 << 10
"""Around a hit: some 400 lines before it and 100 after it."""

MOST_BYTES = 16 << 20
"""All that is kept of one log."""


class WindowKeeper:
    """Chooses the windows of one log, block by block."""

    def __init__(self) -> None:
        self._kept_bytes = 0
        self._tail = b""
        self._wanted_after = 0

    def block(self, block: bytes, first_line: int, hits: list[int]) -> list[Window]:
        """What is kept of a block, whose first line has this number; `hits` are offsets in ascending order."""
        if self._kept_bytes + len(block) <= WHOLE_BYTES:
            self._kept_bytes += len(block)
            return [Window(first_line, block)]
        text = self._tail + block
        base_line = first_line - self._tail.count(b"\n")
        windows = [self._window(text, base_line, *span) for span in self._spans(hits, len(text))]
        self._tail = block[-BEFORE_BYTES:]
        return [window for window in windows if window is not None]

    def _spans(self, hits: list[int], length: int) -> list[tuple[int, int]]:
        """Spans of the tail and the block that are wanted, overlapping ones joined."""
        block_start = len(self._tail)
        spans = [(block_start, block_start + self._wanted_after)] if self._wanted_after else []
        spans += [(max(0, block_start + hit - BEFORE_BYTES), block_start + hit + AFTER_BYTES) for hit in hits]
        self._wanted_after = max([0, *(stop - length for _, stop in spans)])
        joined: list[tuple[int, int]] = []
        for start, stop in spans:
            if joined and start <= joined[-1][1]:
                joined[-1] = (joined[-1][0], max(stop, joined[-1][1]))
            else:
                joined.append((start, stop))
        return joined

    def _window(self, text: bytes, base_line: int, start: int, stop: int) -> Window | None:
        if self._kept_bytes + stop - start > MOST_BYTES:
            return None
        if start > 0:
            start = text.rfind(b"\n", 0, start) + 1
        kept = text[start:stop]
        self._kept_bytes += len(kept)
        return Window(base_line + text.count(b"\n", 0, start), kept)
