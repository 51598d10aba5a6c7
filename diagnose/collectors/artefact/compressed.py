"""Compressed streams unpacked with bounds: whether they end, whether their checksums hold, and the tar in them.

RFC 1950 and 1952 (zlib, gzip), bzip2, the xz file format; the decompressors are the standard library's.
"""

from __future__ import annotations

import bz2
import io
import lzma
import zlib
from collections.abc import Callable, Iterator
from typing import BinaryIO, Protocol

from msgspec import Struct

from diagnose.collectors.artefact.facts import FACTS, damage
from diagnose.collectors.artefact.tar import read_tar
from diagnose.evidence import Fact

_CHUNK_BYTES = 256 << 10
_TAIL_BYTES = 64
_KEPT_BYTES = 64 << 20
"""So much is kept in memory, for the tar in it."""

_MEMORY_LIMIT_BYTES = 256 << 20
"""What an LZMA dictionary may take: xz -9 wants a quarter of it."""

_TAR_MAGIC, _TAR_MAGIC_AT = b"ustar", 257


class _Decompressor(Protocol):
    @property
    def eof(self) -> bool: ...
    @property
    def unused_data(self) -> bytes: ...
    def decompress(self, data: bytes, max_length: int, /) -> bytes: ...


class Compression(Struct, frozen=True):
    """How one format is unpacked. Each of its streams begins with `magic`; `limit_bytes` are unpacked at most.

    `ends_well` tells by the last bytes whether a file too long to unpack is whole, if the format allows that.
    `ends_file` tells whether nothing may follow the stream; other formats begin with a bare zlib stream too.
    """

    make: Callable[[], _Decompressor]
    magic: bytes
    limit_bytes: int
    ends_well: Callable[[bytes], bool] | None = None
    ends_file: bool = True


class _Unpacked(Struct):
    """What came of a file. `stopped` is why it was not unpacked to its end, if by choice."""

    size_bytes: int = 0
    kept: bytearray = bytearray()
    surplus_bytes: int = 0
    cut: bool = False
    error: str = ""
    stopped: str = ""


def read_compressed(compression: Compression) -> Callable[[BinaryIO, int], Iterator[Fact]]:
    """The reader of a compressed file's facts."""

    def read(file: BinaryIO, size_bytes: int) -> Iterator[Fact]:
        file.seek(0)
        unpacked = _unpack(file, size_bytes, compression)
        if unpacked.error:
            kind = "bad-crc" if "check" in unpacked.error.lower() else "bad-data"
            yield damage(kind, min(file.tell(), size_bytes), unpacked.error)
        elif unpacked.stopped:
            yield from _unfinished_facts(file, size_bytes, compression, unpacked.stopped)
        else:
            yield FACTS.known("artefact.truncated", unpacked.cut, f"byte {size_bytes}")
            if unpacked.surplus_bytes and compression.ends_file:
                at = size_bytes - unpacked.surplus_bytes
                yield FACTS.known("artefact.surplus_bytes", unpacked.surplus_bytes, f"byte {at}")
            if not unpacked.cut:
                yield from _tar_facts(unpacked)

    return read


def _unpack(file: BinaryIO, size_bytes: int, compression: Compression) -> _Unpacked:
    unpacked = _Unpacked(kept=bytearray())
    data = file.read(_CHUNK_BYTES)
    try:
        while data and not unpacked.cut and not unpacked.stopped:
            decompressor = compression.make()
            data = _unpack_stream(file, data, decompressor, compression.limit_bytes, unpacked)
            if data and not data.startswith(compression.magic):
                padding = not data.strip(b"\0")
                unpacked.surplus_bytes = 0 if padding else size_bytes - file.tell() + len(data)
                break
    except lzma.LZMAError as error:
        if "Memory usage limit" in str(error):
            unpacked.stopped = f"needs more than {_MEMORY_LIMIT_BYTES} bytes of memory to unpack"
        else:
            unpacked.error = str(error)
    except (zlib.error, OSError, ValueError) as error:
        unpacked.error = str(error)
    return unpacked


def _unpack_stream(
    file: BinaryIO, data: bytes, decompressor: _Decompressor, limit_bytes: int, unpacked: _Unpacked
) -> bytes:
    """Unpack one stream that begins with `data`; returns the bytes behind it, as far as they were read."""
    while not decompressor.eof:
        if not data and getattr(decompressor, "needs_input", True):
            data = file.read(_CHUNK_BYTES)
            if not data:
                unpacked.cut = True
                return b""
        out = decompressor.decompress(data, _CHUNK_BYTES)
        data = getattr(decompressor, "unconsumed_tail", b"")
        unpacked.size_bytes += len(out)
        if len(unpacked.kept) < _KEPT_BYTES:
            unpacked.kept += out
        if unpacked.size_bytes > limit_bytes:
            unpacked.stopped = f"only the first {limit_bytes} bytes were unpacked"
            return b""
    return decompressor.unused_data or file.read(_CHUNK_BYTES)


def _unfinished_facts(file: BinaryIO, size_bytes: int, compression: Compression, reason: str) -> Iterator[Fact]:
    if compression.ends_well is None:
        yield FACTS.not_checked("artefact.truncated", reason)
        return
    file.seek(max(0, size_bytes - _TAIL_BYTES))
    yield FACTS.known("artefact.truncated", not compression.ends_well(file.read(_TAIL_BYTES)), f"byte {size_bytes}")
    yield FACTS.not_checked("artefact.damage", reason)


def _tar_facts(unpacked: _Unpacked) -> Iterator[Fact]:
    """The facts of a tar that was compressed; its offsets are those of the unpacked data."""
    if unpacked.kept[_TAR_MAGIC_AT : _TAR_MAGIC_AT + len(_TAR_MAGIC)] != _TAR_MAGIC:
        return
    if unpacked.size_bytes > _KEPT_BYTES:
        yield FACTS.not_checked("artefact.damage", f"the tar inside is larger than {_KEPT_BYTES} bytes")
        return
    for fact in read_tar(io.BytesIO(unpacked.kept), unpacked.size_bytes):
        if fact.name != "artefact.truncated" or fact.value:
            yield fact


def _ends_as_xz(tail: bytes) -> bool:
    """The xz file format, 2.1.2.4: the footer ends with YZ; padding of zeros may follow."""
    return tail.rstrip(b"\0").endswith(b"YZ")


def _ends_as_bzip2(tail: bytes) -> bool:
    """The mark of the end, the square root of pi, stands before a CRC of 32 bits and up to 7 bits of padding."""
    bits = int.from_bytes(tail[-11:], "big")
    return any(bits >> (shift + 32) & 0xFFFFFFFFFFFF == 0x177245385090 for shift in range(8))


def _xz_decompressor() -> _Decompressor:
    return lzma.LZMADecompressor(lzma.FORMAT_XZ, _MEMORY_LIMIT_BYTES)


def _lzma_decompressor() -> _Decompressor:
    return lzma.LZMADecompressor(lzma.FORMAT_ALONE, _MEMORY_LIMIT_BYTES)


GZIP = Compression(lambda: zlib.decompressobj(31), b"\x1f\x8b", 256 << 20)
ZLIB = Compression(lambda: zlib.decompressobj(15), b"\x78", 256 << 20, ends_file=False)
BZIP2 = Compression(bz2.BZ2Decompressor, b"BZh", 64 << 20, _ends_as_bzip2)
XZ = Compression(_xz_decompressor, b"\xfd7zXZ\0", 128 << 20, _ends_as_xz)
LZMA = Compression(_lzma_decompressor, b"\x5d", 128 << 20)
