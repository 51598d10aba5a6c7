"""The members of a tar stream, read once from front to back with bounded memory.

Formats: POSIX.1-2017 pax, "ustar Interchange Format" and "pax Extended Header"; GNU tar manual, "Basic Tar Format"
(long names, base-256 sizes). Sizes in headers are claims: nothing is allocated by them.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import IO, Protocol

from msgspec import Struct

BLOCK_BYTES = 512
_CHUNK_BYTES = 1024 * 1024
_NAME_LIMIT_BYTES = 1024 * 1024
_REGULAR = (b"0", b"\x00", b"7")
_PAX_RECORD = re.compile(rb"[0-9]{1,7} (path|size)=([^\n]*)\n")


class TarError(ValueError):
    """The stream is no tar, or is damaged; `offset` is the byte of the header concerned."""

    def __init__(self, what: str, offset: int) -> None:
        super().__init__(what)
        self.offset = offset


class TarCutError(TarError):
    """The stream ends inside a member."""


class Entry(Struct, frozen=True):
    """A member's header. `target` is where a symbolic or hard link leads; `offset` is that of its header."""

    name: str
    size_bytes: int
    offset: int
    is_file: bool = False
    target: str = ""


class _Readable(Protocol):
    def read(self, size: int, /) -> bytes: ...


class TarStream:
    """Iterates over the members; `chunks` reads the content of the one at hand and must be used up or left alone."""

    def __init__(self, stream: IO[bytes] | _Readable) -> None:
        self._stream = stream
        self._offset = 0
        self._left = 0
        self._padding = 0

    def __iter__(self) -> Iterator[Entry]:
        long_name, records = "", dict[bytes, bytes]()
        while (header := self._header()) is not None:
            entry, kind = header
            if kind in (b"L", b"x"):
                content = self._small(entry)
                long_name = _text(content) if kind == b"L" else long_name
                records = dict(_PAX_RECORD.findall(content)) if kind == b"x" else records
                continue
            entry = _renamed(entry, long_name, records)
            long_name, records = "", {}
            self._left, self._padding = entry.size_bytes, -entry.size_bytes % BLOCK_BYTES
            if kind != b"g":
                yield entry
            for _ in self.chunks():
                pass
            self._take(self._padding)

    def chunks(self) -> Iterator[bytes]:
        """What is left of the content of the member at hand."""
        while self._left:
            chunk = self._take(min(self._left, _CHUNK_BYTES))
            self._left -= len(chunk)
            yield chunk

    def _header(self) -> tuple[Entry, bytes] | None:
        start = self._offset
        block = self._stream.read(BLOCK_BYTES)
        self._offset += len(block)
        if not block or not block.strip(b"\x00"):
            return None
        if len(block) < BLOCK_BYTES:
            raise TarCutError("the archive ends inside a header", start)
        if not _checksum_fits(block):
            raise TarError("this is no tar header: its checksum does not fit", start)
        kind = block[156:157]
        prefix = _text(block[345:500]) if block[257:263] == b"ustar\x00" else ""
        name = _text(block[:100])
        size_bytes = _size(block[124:136], start)
        is_link = kind in (b"1", b"2")
        entry = Entry(
            f"{prefix}/{name}" if prefix else name,
            0 if is_link else size_bytes,
            start,
            kind in _REGULAR,
            _text(block[157:257]) if is_link else "",
        )
        return entry, kind

    def _small(self, entry: Entry) -> bytes:
        """The content of a header extension, which nobody needs to be long."""
        if entry.size_bytes > _NAME_LIMIT_BYTES:
            raise TarError("a header extension claims more than 1 MiB", entry.offset)
        content = self._take(entry.size_bytes)
        self._take(-entry.size_bytes % BLOCK_BYTES)
        return content

    def _take(self, size: int) -> bytes:
        taken = self._stream.read(size) if size else b""
        self._offset += len(taken)
        if len(taken) < size:
            raise TarCutError("the archive ends inside a member", self._offset)
        return taken


def _renamed(entry: Entry, long_name: str, records: dict[bytes, bytes]) -> Entry:
    name = _text(records[b"path"]) if b"path" in records else long_name or entry.name
    size = records.get(b"size", b"")
    size_bytes = int(size) if size.isdigit() and len(size) < 19 else entry.size_bytes
    return Entry(name, size_bytes, entry.offset, entry.is_file, entry.target)


def _checksum_fits(block: bytes) -> bool:
    field = block[148:156].strip(b" \x00")
    if not re.fullmatch(rb"[0-7]{1,7}", field):
        return False
    return int(field, 8) == sum(block[:148]) + 8 * ord(" ") + sum(block[156:])


def _size(field: bytes, offset: int) -> int:
    if field[0] == 0x80:
        return int.from_bytes(field[4:], "big")
    digits = field.strip(b" \x00") or b"0"
    if not re.fullmatch(rb"[0-7]+", digits):
        raise TarError("a member's size is no number", offset)
    return int(digits, 8)


def _text(field: bytes) -> str:
    return field.split(b"\x00", 1)[0].decode("utf-8", "replace")
