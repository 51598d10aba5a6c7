"""How the time of a call grows with its input: a ratio within one run, which a busy machine does not change."""

from __future__ import annotations

import time
from collections.abc import Callable


def growth(call: Callable[[bytes], object], unit: bytes, size: int) -> float:
    """Processor time for `size` bytes of repeated `unit`, over that for a quarter of them; best of five.

    About 4 where the time is linear, 16 where it is quadratic.
    """
    large = unit * (size // len(unit))
    small = large[: len(large) // 4]
    return min(_seconds(call, large) for _ in range(5)) / max(min(_seconds(call, small) for _ in range(5)), 1e-4)


def _seconds(call: Callable[[bytes], object], data: bytes) -> float:
    started = time.process_time()
    call(data)
    return time.process_time() - started
