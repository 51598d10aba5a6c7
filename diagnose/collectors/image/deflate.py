"""Inflating in pieces, and checksums: isal (2 to 4 times as fast) where it is installed, zlib elsewhere."""

from __future__ import annotations

import zlib
from collections.abc import Iterable, Iterator
from functools import cache
from typing import Any

PIECE = 1 << 18
"""Bytes of output at a time: enough to be quick, too little for a bomb."""


INPUT = 1 << 16


class BrokenStreamError(Exception):
    """The compressed data are invalid; `checksum` says that only the final Adler-32 differs."""

    def __init__(self, message: str, checksum: bool) -> None:
        super().__init__(message)
        self.checksum = checksum


@cache
def _backend() -> tuple[Any, Any]:
    """The module, and the class of its errors."""
    try:
        from isal import igzip_lib, isal_zlib
    except ImportError:
        return zlib, zlib.error
    return isal_zlib, igzip_lib.IsalError


def crc32(data: bytes | memoryview, value: int = 0) -> int:
    """The CRC-32 of ISO 3309, as PNG and zip use it."""
    return int(_backend()[0].crc32(data, value))


class Inflater:
    """A zlib stream (RFC 1950) that is fed in pieces. `finished` once its end and checksum were seen."""

    def __init__(self) -> None:
        self._module, self._error = _backend()
        self._stream = self._module.decompressobj()
        self.spare = 0

    @property
    def finished(self) -> bool:
        return bool(self._stream.eof)

    def feed(self, piece: bytes | memoryview) -> Iterator[bytes]:
        """The output that `piece` yields, at most PIECE bytes at a time. Raises BrokenStreamError.

        What comes after the end of the stream is counted in `spare`.
        """
        # The stream keeps what it has not used as a copy, so that long pieces go in by parts.
        for start in range(0, len(piece), INPUT):
            part = piece[start : start + INPUT]
            if self.finished:
                self.spare += len(part)
            else:
                yield from self._feed(part)

    def _feed(self, part: bytes | memoryview) -> Iterator[bytes]:
        rest: bytes | memoryview = part
        while True:
            try:
                output = self._stream.decompress(rest, PIECE)
            except self._error as error:
                raise _broken(error) from error
            if output:
                yield output
            rest = self._stream.unconsumed_tail
            if self.finished:
                self.spare += len(self._stream.unused_data)
                return
            if not rest and len(output) < PIECE:
                return


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
