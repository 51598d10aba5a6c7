"""Which text of a log is kept for questions that are asked later: all of a small one, else what surrounds its hits."""

from __future__ import annotations

from diagnose.evidence import Evidence, Window

WHOLE_BYTES = 1 << 20
"""So much of a log's beginning is kept whole."""

BEFORE_BYTES = 48 << 10
AFTER_BYTES = 12 << 10
"""Around a hit: some 400 lines before it and 100 after it."""

MOST_BYTES = 16 << 20
"""All that is kept of one log."""


class WindowKeeper:
    """Collects the windows of one log, block by block."""

    def __init__(self, evidence: Evidence) -> None:
        self._evidence = evidence
        self._kept_bytes = 0
        self._whole: list[bytes] | None = []
        self._tail = b""
        self._wanted_after = 0

    def block(self, block: bytes, first_line: int, hits: list[int]) -> None:
        """Keeps of a block, whose first line has this number, what is wanted; `hits` are offsets in ascending order."""
        if self._whole is not None:
            if self._kept_bytes + len(block) <= WHOLE_BYTES:
                self._whole.append(block)
                self._kept_bytes += len(block)
                self._tail = (self._tail + block)[-BEFORE_BYTES:]
                return
            self._end_whole()
        text = self._tail + block
        base_line = first_line - self._tail.count(b"\n")
        for start, stop in self._ranges(hits, len(text)):
            self._keep(text, base_line, start, stop)
        self._tail = block[-BEFORE_BYTES:]

    def finish(self) -> None:
        if self._whole is not None:
            self._end_whole()

    def _end_whole(self) -> None:
        if self._whole:
            self._evidence.windows.append(Window(1, b"".join(self._whole)))
        self._whole = None

    def _ranges(self, hits: list[int], length: int) -> list[tuple[int, int]]:
        """Spans of the tail and the block that are wanted, overlapping ones joined."""
        start_of_block = len(self._tail)
        spans = [(start_of_block, start_of_block + self._wanted_after)] if self._wanted_after else []
        spans += [(max(0, start_of_block + hit - BEFORE_BYTES), start_of_block + hit + AFTER_BYTES) for hit in hits]
        self._wanted_after = max([0, *(stop - length for _, stop in spans)])
        joined: list[tuple[int, int]] = []
        for start, stop in spans:
            if joined and start <= joined[-1][1]:
                joined[-1] = (joined[-1][0], max(stop, joined[-1][1]))
            else:
                joined.append((start, stop))
        return joined

    def _keep(self, text: bytes, base_line: int, start: int, stop: int) -> None:
        if self._kept_bytes + stop - start > MOST_BYTES:
            return
        if start > 0:
            start = text.rfind(b"\n", 0, start) + 1
        kept = text[start:stop]
        self._kept_bytes += len(kept)
        self._evidence.windows.append(Window(base_line + text.count(b"\n", 0, start), kept))
