"""Zstandard: frames and blocks walked by their sizes, which tells a cut file without unpacking it (RFC 8878, 3.1)."""

from __future__ import annotations

from collections.abc import Iterator
from typing import BinaryIO

from diagnose.collectors.artefact.facts import FACTS, damage
from diagnose.collectors.artefact.reading import Cursor, ImplausibleError
from diagnose.evidence import Fact

_MAGIC = 0xFD2FB528
_SKIPPABLE, _SKIPPABLE_MASK = 0x184D2A50, 0xFFFFFFF0
_BLOCK_LIMIT = 4_000_000
_BLOCK_BYTES = 128 << 10
"""A block's content is no longer than this (3.1.1.2.4)."""

_RAW, _RLE, _COMPRESSED = range(3)
_DICTIONARY_BYTES = (0, 1, 2, 4)
_CONTENT_SIZE_BYTES = (0, 2, 4, 8)


def read_zstd(file: BinaryIO, size_bytes: int) -> Iterator[Fact]:
    """Facts of a zstd file. Raises CutError where it ends within a block, ImplausibleError on what is no block."""
    cursor = Cursor(file, size_bytes)
    blocks = 0
    while cursor.at < size_bytes:
        (magic,) = cursor.unpack("<I")
        if magic & _SKIPPABLE_MASK == _SKIPPABLE:
            cursor.skip(cursor.unpack("<I")[0])
        elif magic != _MAGIC:
            yield from _surplus(cursor.at - 4, size_bytes, blocks)
            return
        else:
            blocks = _skip_frame(cursor, blocks)
        if blocks >= _BLOCK_LIMIT:
            yield FACTS.not_checked("artefact.truncated", f"more than {_BLOCK_LIMIT} blocks")
            return
    yield FACTS.known("artefact.truncated", False, f"byte {size_bytes}")


def _surplus(at: int, size_bytes: int, blocks: int) -> Iterator[Fact]:
    if not blocks:
        yield damage("bad-magic", at)
        return
    yield FACTS.known("artefact.truncated", False, f"byte {at}")
    yield FACTS.known("artefact.surplus_bytes", size_bytes - at, f"byte {at}")


def _skip_frame(cursor: Cursor, blocks: int) -> int:
    """Go behind a frame; returns the number of blocks so far."""
    descriptor = cursor.read(1)[0]
    single_segment = descriptor >> 5 & 1
    content_size = _CONTENT_SIZE_BYTES[descriptor >> 6] or single_segment
    cursor.skip((not single_segment) + _DICTIONARY_BYTES[descriptor & 3] + content_size)
    is_last = False
    while not is_last and blocks < _BLOCK_LIMIT:
        at = cursor.at
        header = int.from_bytes(cursor.read(3), "little")
        is_last, kind, size = bool(header & 1), header >> 1 & 3, header >> 3
        if kind > _COMPRESSED or size > _BLOCK_BYTES:
            raise ImplausibleError("bad-block", at, f"type {kind}, {size} bytes")
        cursor.skip(1 if kind == _RLE else size)
        blocks += 1
    if descriptor >> 2 & 1:
        cursor.skip(4)
    return blocks
