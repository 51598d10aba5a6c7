"""Boxes of the ISO base media file format (ISO/IEC 14496-12 section 4.2), as HEIF, AVIF and JPEG 2000 nest them."""

from __future__ import annotations

import struct
from collections.abc import Iterator
from dataclasses import dataclass

from diagnose.collectors.image.content import Content, CutShort, unpack
from diagnose.collectors.image.findings import Damage, Findings

MAX_BOXES = 1 << 14
_BOX = struct.Struct(">I4s")
_LARGE = struct.Struct(">Q")


@dataclass(frozen=True)
class Box:
    """A box at `offset`; its content lies from `start` to `end`. `cut` says that the file ends before it does."""

    type: bytes
    offset: int
    start: int
    end: int
    stated_end: int

    @property
    def name(self) -> str:
        return self.type.decode("latin-1")

    @property
    def cut(self) -> bool:
        return self.stated_end > self.end


def boxes(data: Content, start: int, end: int, found: Findings) -> Iterator[Box]:
    """The boxes between `start` and `end`, each cut to fit. Says where one does not fit or has an impossible size."""
    position = start
    for _ in range(MAX_BOXES):
        if position + _BOX.size > end:
            if position < end:
                found.irregular(Damage.TRAILING_DATA, position, f"{end - position} bytes that are no box")
            return
        size, kind = _BOX.unpack_from(data, position)
        header = _BOX.size
        if size == 1:
            if position + 16 > end:
                found.damage(Damage.TRUNCATED, end, f"box {kind!r} ends inside its header")
                return
            (size,) = _LARGE.unpack_from(data, position + 8)
            header = 16
        elif size == 0:
            size = end - position
            if kind not in (b"mdat", b"jp2c"):
                # Allowed for any last box, but several readers only know it of the data; of meta libheif, and libavif
                # up to 0.11, refuse it.
                report = found.damage if kind == b"meta" else found.irregular
                report(Damage.BAD_BOX, position, f"box {kind.decode('latin-1')!r} extends to the end of the file")
        if size < header:
            found.damage(Damage.BAD_BOX, position, f"box {kind.decode('latin-1')!r} states a size of {size} bytes")
            return
        stated_end = position + size
        yield Box(kind, position, position + header, min(stated_end, end), stated_end)
        if stated_end >= end:
            return
        position = stated_end


class BoxFields:
    """Reads fields of a box one after another. Raises CutShort at the end of the box."""

    def __init__(self, data: Content, box: Box) -> None:
        self.data = data
        self.position = box.start
        self.end = box.end

    def integer(self, size: int) -> int:
        """An unsigned big-endian integer of `size` bytes (0 gives 0)."""
        if self.position + size > self.end:
            raise CutShort(self.position, size, self.end)
        value = int.from_bytes(self.data[self.position : self.position + size], "big")
        self.position += size
        return value

    def version_and_flags(self) -> tuple[int, int]:
        value = self.integer(4)
        return value >> 24, value & 0xFFFFFF

    def code(self) -> bytes:
        """A four-character code."""
        (code,) = unpack(_CODE, self.data, self.position, self.end)
        self.position += 4
        return bytes(code)


_CODE = struct.Struct(">4s")
