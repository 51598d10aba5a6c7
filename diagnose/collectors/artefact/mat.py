"""MATLAB's level 5 MAT-files: data elements walked by their tags ("MAT-File Format", chapter 1).

From version 7.3 on they are HDF5 behind a header of 512 bytes.
"""

from __future__ import annotations

import zlib
from collections.abc import Iterator
from typing import BinaryIO

from msgspec import Struct

from diagnose.collectors.artefact.facts import FACTS, damage
from diagnose.collectors.artefact.hdf5 import read_hdf5
from diagnose.collectors.artefact.reading import Cursor, CutError, ImplausibleError
from diagnose.evidence import Fact

_HEADER_BYTES = 128
_ELEMENT_LIMIT = 100_000
_UNPACKED_LIMIT_BYTES = 32 << 20

_INT8, _INT32, _UINT32, _MATRIX, _COMPRESSED = 1, 5, 6, 14, 15
_ARRAY_FLAGS_BYTES = 8
_TYPES = range(1, 19)
_OPAQUE_CLASS = 17
"""Objects of MATLAB's own: their parts are not those of other arrays."""


class _Tag(Struct, frozen=True):
    """The tag of an element at `at`: its type, where its data begins and how long it is, and where the next one is."""

    at: int
    type: int
    start: int
    size: int
    end: int


def read_mat(file: BinaryIO, size_bytes: int) -> Iterator[Fact]:
    """Facts of a MAT-file. Raises CutError where it ends within an element, ImplausibleError where none begins."""
    cursor = Cursor(file, size_bytes)
    header = cursor.read(_HEADER_BYTES)
    if header.startswith(b"MATLAB 7.3"):
        yield from read_hdf5(file, size_bytes)
        return
    order = {b"IM": "<", b"MI": ">"}.get(header[126:128])
    if order is None:
        yield damage("bad-header", 126, header[126:128].decode("latin-1"))
        return
    yield FACTS.known("artefact.endianness", "little" if order == "<" else "big", "byte 126")
    count = 0
    while cursor.at < size_bytes and count < _ELEMENT_LIMIT:
        tag = _read_tag(cursor, order, cursor.at)
        _check_element(cursor, order, tag)
        cursor.at = min(tag.end, size_bytes)
        count += 1
    yield FACTS.known("artefact.tensor_count", count)
    yield FACTS.known("artefact.truncated", False, f"byte {size_bytes}")


def _read_tag(cursor: Cursor, order: str, at: int) -> _Tag:
    """The tag at `at`; small elements have their size in the upper half of the type and data in the same 8 bytes."""
    byte_order = "little" if order == "<" else "big"
    raw = cursor.peek(8, at)
    kind, size = int.from_bytes(raw[:4], byte_order), int.from_bytes(raw[4:], byte_order)  # type: ignore[arg-type]
    if kind >> 16:
        kind, size = kind & 0xFFFF, kind >> 16
        start, end = at + 4, at + 8
        is_sound = size <= 4
    else:
        start = at + 8
        end = start + size + (0 if kind == _COMPRESSED else -size % 8)
        is_sound = True
    if kind not in _TYPES or not is_sound:
        raise ImplausibleError("bad-element", at, f"type {kind}, {size} bytes")
    if start + size > cursor.size_bytes:
        raise CutError(at, start + size)
    return _Tag(at, kind, start, size, end)


def _check_element(cursor: Cursor, order: str, tag: _Tag) -> None:
    if tag.type == _COMPRESSED:
        _check_compressed(cursor, tag)
    elif tag.type == _MATRIX and tag.size:
        _check_array(cursor, order, tag)


def _check_compressed(cursor: Cursor, tag: _Tag) -> None:
    if tag.size > _UNPACKED_LIMIT_BYTES:
        return
    decompressor = zlib.decompressobj()
    try:
        decompressor.decompress(cursor.peek(tag.size, tag.start), _UNPACKED_LIMIT_BYTES)
    except zlib.error as error:
        raise ImplausibleError("bad-data", tag.at, str(error)) from None
    if not decompressor.eof and not decompressor.unconsumed_tail:
        raise ImplausibleError("bad-data", tag.at, "the compressed element ends early")


def _check_array(cursor: Cursor, order: str, tag: _Tag) -> None:
    """An array begins with its flags, its dimensions and its name, each of its own type."""
    flags = _read_tag(cursor, order, tag.start)
    if flags.type != _UINT32 or flags.size != _ARRAY_FLAGS_BYTES:
        raise ImplausibleError("bad-element", flags.at, "no array flags")
    word = int.from_bytes(cursor.peek(4, flags.start), "little" if order == "<" else "big")
    if word & 0xFF == _OPAQUE_CLASS:
        return
    dimensions = _read_tag(cursor, order, flags.end)
    if dimensions.type not in (_INT32, _UINT32) or dimensions.size % 4 or dimensions.size > 256:
        raise ImplausibleError("bad-element", dimensions.at, "no dimensions")
    raw = cursor.peek(dimensions.size, dimensions.start)
    if any(byte > 0x7F for byte in raw[3 if order == "<" else 0 :: 4]):
        raise ImplausibleError("bad-shape", dimensions.at, "a dimension below 0")
    name = _read_tag(cursor, order, dimensions.end)
    if name.type != _INT8:
        raise ImplausibleError("bad-element", name.at, "no name")
