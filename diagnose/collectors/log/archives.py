"""Compressed logs and archives of logs, decompressed as streams."""

from __future__ import annotations

import bz2
import gzip
import lzma
import tarfile
import zipfile
import zlib
from collections.abc import Iterator
from io import BufferedReader, BytesIO, RawIOBase
from typing import Any, BinaryIO

from diagnose.collectors.log.blocks import ByteStream
from diagnose.collectors.log.containers import HEAD_BYTES, DamagedLogError, Part, PutBack, compression, is_tar

MAX_MEMBERS = 10_000
MAX_SPOOLED_BYTES = 1 << 30
"""A zip that comes through a pipe is kept in memory up to this size, since its table stands at its end."""

DAMAGED = (EOFError, OSError, lzma.LZMAError, zlib.error, tarfile.TarError, zipfile.BadZipFile, NotImplementedError)


def packed_parts(head: bytes, whole: PutBack, stream: BinaryIO, name: str) -> Iterator[Part]:
    """The logs in a stream that begins like a compressed file or an archive. Raises DamagedLogError."""
    form = compression(head)
    if form is None:
        yield from _tar_members(_buffered(whole), name) if is_tar(head) else _zip_members(stream, whole, name)
        return
    inner = _buffered(_decompressor(form, _buffered(whole)))
    try:
        inner_head = inner.peek(HEAD_BYTES)
    except DAMAGED as error:
        raise DamagedLogError(f"the {form} data is damaged: {error}") from None
    if is_tar(inner_head):
        yield from _tar_members(inner, name)
    else:
        yield Part(name, _Careful(inner, form))


def _buffered(stream: Any) -> BufferedReader:
    return BufferedReader(_Unbuffered(stream), 1 << 16)


class _Unbuffered(RawIOBase):
    """Any object with `read` as the raw stream that the standard library's readers want."""

    def __init__(self, stream: Any) -> None:
        self._read = getattr(stream, "read1", stream.read)

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        data = self._read(len(buffer))
        buffer[: len(data)] = data
        return len(data)


class _Careful:
    """A decompressed stream whose damage is told as such."""

    def __init__(self, stream: BufferedReader, form: str) -> None:
        self._stream, self._form = stream, form

    def read(self, size: int, /) -> bytes:
        try:
            return self._stream.read1(size)
        except DAMAGED as error:
            raise DamagedLogError(f"the {self._form} data is damaged: {error}") from None


def _decompressor(form: str, source: BinaryIO) -> ByteStream:
    if form == "gzip":
        return gzip.GzipFile(fileobj=source)
    if form == "xz":
        return lzma.LZMAFile(source)
    if form == "bzip2":
        return bz2.BZ2File(source)
    try:
        from compression import zstd  # type: ignore[import-not-found, unused-ignore]

        opened: ByteStream = zstd.ZstdFile(source)
        return opened
    except ImportError:
        import zstandard
    reader: ByteStream = zstandard.ZstdDecompressor().stream_reader(source, read_across_frames=True)
    return reader


def _tar_members(source: BinaryIO, name: str) -> Iterator[Part]:
    try:
        with tarfile.open(fileobj=source, mode="r|") as archive:
            for number, member in enumerate(archive):
                if number >= MAX_MEMBERS:
                    raise DamagedLogError(f"more than {MAX_MEMBERS} members; the rest was not read")
                extracted = archive.extractfile(member) if member.isreg() else None
                if extracted is not None:
                    yield from _member(extracted, f"{name}!{member.name}")
    except DAMAGED as error:
        raise error if isinstance(error, DamagedLogError) else DamagedLogError(f"the tar is damaged: {error}") from None


def _zip_members(stream: BinaryIO, rest: PutBack, name: str) -> Iterator[Part]:
    if stream.seekable():
        stream.seek(0)
        whole = stream
    else:
        data = _buffered(rest).read(MAX_SPOOLED_BYTES + 1)
        if len(data) > MAX_SPOOLED_BYTES:
            raise DamagedLogError("a zip of more than 1 GiB cannot come through a pipe; name its file")
        whole = BytesIO(data)
    try:
        with zipfile.ZipFile(whole) as archive:
            for info in archive.infolist()[:MAX_MEMBERS]:
                if not info.is_dir() and not info.flag_bits & 1:
                    with archive.open(info) as extracted:
                        yield from _member(extracted, f"{name}!{info.filename}")
    except DAMAGED as error:
        raise error if isinstance(error, DamagedLogError) else DamagedLogError(f"the zip is damaged: {error}") from None


def _member(stream: Any, name: str) -> Iterator[Part]:
    """A member: one level of compression is opened, an archive within an archive is not."""
    source = _buffered(stream)
    head = source.peek(HEAD_BYTES)
    form = compression(head)
    if form is not None:
        yield Part(name, _Careful(_buffered(_decompressor(form, source)), form))
    elif head.count(0) * 10 <= len(head) or head.startswith((b"\xff\xfe", b"\xfe\xff")):
        yield Part(name, _Careful(source, "archive's"))
