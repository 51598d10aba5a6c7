"""Logs as they come: plain, compressed, or many in an archive (a support bundle). Told by content, read as streams."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, BinaryIO

from msgspec import Struct

HEAD_BYTES = 512

_COMPRESSED = {
    b"\x1f\x8b": "gzip",
    b"\xfd7zXZ\x00": "xz",
    b"BZh": "bzip2",
    b"\x28\xb5\x2f\xfd": "zstd",
}


class Part(Struct):
    """One log: its name (`bundle.zip!logs/kubelet.log` for a member) and its bytes."""

    name: str
    stream: Any


class DamagedLogError(OSError):
    """A compressed log or an archive that cannot be read on."""


def parts(stream: BinaryIO, name: str) -> Iterator[Part]:
    """The logs in a stream: itself, decompressed, or the members of an archive, one after the other.

    Raises DamagedLogError with what was wrong where a container breaks off.
    """
    head = b""
    while len(head) < HEAD_BYTES and (more := stream.read(HEAD_BYTES - len(head))):
        head += more
    whole = PutBack(head, stream)
    if not (head.startswith(b"PK\x03\x04") or is_tar(head) or compression(head)):
        yield Part(name, whole)
        return
    from diagnose.collectors.log.archives import packed_parts

    yield from packed_parts(head, whole, stream, name)


def compression(head: bytes) -> str | None:
    """gzip, xz, bzip2 or zstd, by the first bytes."""
    return next((form for magic, form in _COMPRESSED.items() if head.startswith(magic)), None)


def is_tar(head: bytes) -> bool:
    """Whether this is the first header of a tar (POSIX.1-1988 and later)."""
    return head[257:262] == b"ustar"


class PutBack:
    """A stream with the bytes that were read ahead of it put back."""

    def __init__(self, head: bytes, stream: BinaryIO) -> None:
        self._head, self._stream = head, stream

    def read(self, size: int, /) -> bytes:
        if not self._head:
            return self._stream.read(size)
        head, self._head = self._head[:size], self._head[size:]
        return head + (self._stream.read(size - len(head)) if len(head) < size else b"")
