"""Inflating in pieces, and checksums: isal (2 to 4 times as fast) where it is installed, zlib elsewhere."""

from __future__ import annotations

import zlib
from collections.abc import Callable, Iterable, Iterator
from functools import cache, partial
from typing import Protocol, cast

from msgspec import Struct

PIECE = 1 << 18
"""Bytes of output at a time: enough to be quick, too little for a bomb."""


INPUT = 1 << 16
LARGEST_WINDOW = 7


class BrokenStreamError(Exception):
    """The compressed data are invalid; `checksum` says that only the final Adler-32 differs."""

    def __init__(self, message: str, checksum: bool) -> None:
        super().__init__(message)
        self.checksum = checksum


class _Stream(Protocol):
    """A zlib stream that is inflated in pieces, as `bz2.BZ2Decompressor` works: it keeps the input that is left."""

    @property
    def eof(self) -> bool: ...
    @property
    def needs_input(self) -> bool: ...
    @property
    def unused_data(self) -> bytes: ...
    def decompress(self, data: bytes | memoryview, max_length: int) -> bytes: ...


class _ZlibStream:
    """zlib behind the same calls."""

    def __init__(self) -> None:
        self._stream = zlib.decompressobj()
        self.needs_input = True

    @property
    def eof(self) -> bool:
        return self._stream.eof

    @property
    def unused_data(self) -> bytes:
        return self._stream.unused_data

    def decompress(self, data: bytes | memoryview, max_length: int) -> bytes:
        output = self._stream.decompress(data or self._stream.unconsumed_tail, max_length)
        self.needs_input = not self._stream.unconsumed_tail and len(output) < max_length
        return output


class _Backend(Struct, frozen=True):
    crc32: Callable[[bytes | memoryview, int], int]
    stream: Callable[[], _Stream]
    error: type[Exception]


@cache
def _backend() -> _Backend:
    try:
        from isal import igzip_lib, isal_zlib
    except ImportError:
        return _Backend(zlib.crc32, _ZlibStream, zlib.error)
    stream = partial(igzip_lib.IgzipDecompressor, flag=igzip_lib.DECOMP_ZLIB)
    return _Backend(isal_zlib.crc32, stream, cast("type[Exception]", igzip_lib.IsalError))


def crc32(data: bytes | memoryview, value: int = 0) -> int:
    """The CRC-32 of ISO 3309, as PNG and zip use it."""
    return _backend().crc32(data, value)


class Inflater:
    """A zlib stream (RFC 1950) that is fed in pieces. `finished` once its end and checksum were seen."""

    def __init__(self) -> None:
        backend = _backend()
        self._stream, self._error = backend.stream(), backend.error
        self._begun = False
        self.spare = 0

    @property
    def finished(self) -> bool:
        return self._stream.eof

    def feed(self, piece: bytes | memoryview) -> Iterator[bytes]:
        """The output that `piece` yields, at most PIECE bytes at a time. Raises BrokenStreamError.

        What comes after the end of the stream is counted in `spare`.
        """
        if not self._begun and piece:
            self._begin(piece[0])
        # The stream keeps what it has not used as a copy, so that long pieces go in by parts.
        for start in range(0, len(piece), INPUT):
            part = piece[start : start + INPUT]
            if self.finished:
                self.spare += len(part)
            else:
                yield from self._feed(part)

    def _begin(self, first: int) -> None:
        """isal takes every window for one of 32 KiB. zlib, and so every reader of PNG, refuses what reaches beyond the
        stated window, or states more (RFC 1950, CINFO)."""
        self._begun = True
        if first >> 4 != LARGEST_WINDOW:
            self._stream, self._error = _ZlibStream(), zlib.error

    def _feed(self, part: bytes | memoryview) -> Iterator[bytes]:
        stream = self._stream
        try:
            output = stream.decompress(part, PIECE)
            while output:
                yield output
                if stream.eof or stream.needs_input:
                    break
                output = stream.decompress(b"", PIECE)
        except self._error as error:
            raise _broken(error) from error
        if stream.eof:
            self.spare += len(stream.unused_data)


def _broken(error: Exception) -> BrokenStreamError:
    message = str(error)
    checksum = "incorrect data check" in message or "checksum" in message.lower()
    return BrokenStreamError(message, checksum)


def inflated_sizes(pieces: Iterable[bytes | memoryview], limit: int) -> tuple[int, bool]:
    """Bytes that the pieces inflate to (counting ends above `limit`), and whether the stream came to its end."""
    inflater, total = Inflater(), 0
    for piece in pieces:
        for output in inflater.feed(piece):
            total += len(output)
            if total > limit:
                return total, inflater.finished
    return total, inflater.finished
