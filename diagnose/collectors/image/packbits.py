"""PackBits (TIFF 6.0 section 9), as TIFF and PSD use it: how many bytes a stretch yields."""

from __future__ import annotations

from typing import NamedTuple


class Unpacked(NamedTuple):
    """`yielded` bytes came out of the first `used` bytes that went in."""

    yielded: int
    used: int


def count(data: bytes, expected: int) -> Unpacked:
    """Follows the runs of `data` until they have yielded `expected` bytes or more, or end. Makes no bytes."""
    position, yielded, size = 0, 0, len(data)
    while position < size and yielded < expected:
        head = data[position]
        if head < 128:
            yielded += min(head + 1, size - position - 1)
            position += head + 2
        elif head > 128:
            yielded += 257 - head if position + 1 < size else 0
            position += 2
        else:
            position += 1
    return Unpacked(yielded, min(position, size))
