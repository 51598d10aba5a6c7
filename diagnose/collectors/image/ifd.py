"""Image file directories: the structure that TIFF, EXIF and the multi-picture format share (TIFF 6.0, section 2)."""

from __future__ import annotations

import struct
from collections.abc import Iterator
from dataclasses import dataclass

from diagnose.collectors.image.content import Content, unpack

TYPE_SIZES = {1: 1, 2: 1, 3: 2, 4: 4, 5: 8, 6: 1, 7: 1, 8: 2, 9: 4, 10: 8, 11: 4, 12: 8, 13: 4, 16: 8, 17: 8, 18: 8}
"""Bytes of one value by field type; 16 to 18 are BigTIFF's."""

_INTEGERS = {1: "B", 3: "H", 4: "I", 6: "b", 8: "h", 9: "i", 13: "I", 16: "Q", 17: "q", 18: "Q"}

MAX_ENTRIES = 4096
MAX_VALUES = 1 << 20
MAX_DIRECTORIES = 4096


@dataclass(frozen=True)
class Entry:
    """One entry of a directory; `value_offset` is where its values lie, inside the entry or elsewhere."""

    tag: int
    type: int
    count: int
    value_offset: int
    offset: int

    @property
    def size(self) -> int:
        """Bytes of all values; 0 for an unknown type."""
        return TYPE_SIZES.get(self.type, 0) * self.count


@dataclass(frozen=True)
class Directory:
    """A directory; `cut` says that the data end before the link to the next one."""

    offset: int
    entries: tuple[Entry, ...]
    next: int
    stated_entries: int
    cut: bool

    def find(self, tag: int) -> Entry | None:
        for entry in self.entries:
            if entry.tag == tag:
                return entry
        return None


class IfdReader:
    """Reads directories of the TIFF structure whose header stands at `base`. Offsets in it count from there.

    Raises CutShort where something reaches past `end`, and ValueError where the header is not one of TIFF.
    """

    def __init__(self, data: Content, base: int = 0, end: int | None = None) -> None:
        self.data = data
        self.base = base
        self.end = len(data) if end is None else min(end, len(data))
        order = bytes(data[base : base + 2])
        if order not in (b"II", b"MM"):
            raise ValueError(f"the byte order mark is {order.hex()}")
        self.order = "<" if order == b"II" else ">"
        self.magic = int(self._unpack("H", base + 2)[0])
        self.big = self.magic == 43
        self.first = int(self._unpack("Q", base + 8)[0] if self.big else self._unpack("I", base + 4)[0])

    def directory(self, offset: int) -> Directory:
        """The directory at `offset` (counted from the TIFF header)."""
        at = self.base + offset
        count_format, entry_format, next_format = ("Q", "HHQ", "Q") if self.big else ("H", "HHI", "I")
        stated = int(self._unpack(count_format, at)[0])
        position = at + struct.calcsize("=" + count_format)
        head = struct.Struct(self.order + entry_format)
        inline = 8 if self.big else 4
        entries = []
        for _ in range(min(stated, MAX_ENTRIES)):
            tag, kind, count = unpack(head, self.data, position, self.end)
            entries.append(self._entry(tag, kind, count, position, position + head.size, inline))
            position += head.size + inline
        cut = position + inline > self.end
        following = 0 if cut else int(self._unpack(next_format, position)[0])
        return Directory(offset, tuple(entries), following, stated, cut)

    def chain(self) -> Iterator[Directory]:
        """All directories, first to last. Raises LookupError where the chain runs in a circle."""
        seen: set[int] = set()
        offset = self.first
        while offset and len(seen) < MAX_DIRECTORIES:
            if offset in seen:
                raise LookupError(f"the directory at {offset} is linked twice")
            seen.add(offset)
            directory = self.directory(offset)
            yield directory
            offset = directory.next

    def integers(self, entry: Entry, limit: int = MAX_VALUES) -> list[int]:
        """The values of an entry of an integer type, at most `limit`. Raises CutShort where they are not there."""
        code = _INTEGERS.get(entry.type)
        if code is None:
            return []
        count = min(entry.count, limit)
        return list(unpack(struct.Struct(f"{self.order}{count}{code}"), self.data, entry.value_offset, self.end))

    def integer(self, directory: Directory, tag: int, default: int | None = None) -> int | None:
        """The first value of a tag, or `default` where the tag is missing or has no value."""
        entry = directory.find(tag)
        values = self.integers(entry, 1) if entry else []
        return values[0] if values else default

    def _entry(self, tag: int, kind: int, count: int, offset: int, inline_at: int, inline: int) -> Entry:
        size = TYPE_SIZES.get(kind, 0) * count
        if size <= inline:
            return Entry(tag, kind, count, inline_at, offset)
        where = int(self._unpack("Q" if self.big else "I", inline_at)[0])
        return Entry(tag, kind, count, self.base + where, offset)

    def _unpack(self, layout: str, offset: int) -> tuple[int, ...]:
        return unpack(struct.Struct(self.order + layout), self.data, offset, self.end)


def fits(reader: IfdReader, entry: Entry) -> bool:
    """Whether the values of the entry lie within the data."""
    return entry.value_offset >= 0 and entry.value_offset + entry.size <= reader.end
