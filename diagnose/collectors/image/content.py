"""Bounded access to a file's bytes: a read past the end is a `CutShort`, never an index error."""

from __future__ import annotations

import mmap
import struct
from typing import Any

Content = bytes | mmap.mmap
"""What the readers work on: both have `find`, and slicing a part costs only that part."""


class CutShort(Exception):  # noqa: N818 - a finding on its way to the collector, not an error of the program
    """The file ends at `end`, but a structure that starts at `offset` needs `wanted` bytes."""

    def __init__(self, offset: int, wanted: int, end: int) -> None:
        super().__init__(f"{wanted} bytes needed at {offset}, the data ends at {end}")
        self.offset = offset
        self.wanted = wanted
        self.end = end


def take(data: Content, offset: int, count: int, end: int | None = None) -> bytes:
    """`count` bytes from `offset`. Raises CutShort where they would reach past `end` (default: end of the data)."""
    limit = len(data) if end is None else min(end, len(data))
    if offset < 0 or offset + count > limit:
        raise CutShort(offset, count, limit)
    return data[offset : offset + count]


def unpack(layout: struct.Struct, data: Content, offset: int, end: int | None = None) -> tuple[Any, ...]:
    """The fields of `layout` at `offset`. Raises CutShort as `take` does."""
    limit = len(data) if end is None else min(end, len(data))
    if offset < 0 or offset + layout.size > limit:
        raise CutShort(offset, layout.size, limit)
    return layout.unpack_from(data, offset)


def zero_run(data: Content, start: int, end: int, least: int) -> int | None:
    """Where the first `least` zero bytes in a row between `start` and `end` are."""
    at = data.find(bytes(least), start, end)
    return at if at >= 0 else None


def zero_tail(data: Content, block: int = 65536) -> int:
    """How many zero bytes the data ends with."""
    end = len(data)
    while end > 0:
        start = max(0, end - block)
        piece = data[start:end].rstrip(b"\0")
        if piece:
            return len(data) - start - len(piece)
        end = start
    return len(data)
