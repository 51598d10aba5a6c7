"""NumPy's .npy: the header's dtype and shape against the size of the file (numpy.lib.format)."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator
from typing import BinaryIO

from diagnose.collectors.artefact.facts import FACTS, damage, extent
from diagnose.collectors.artefact.reading import Cursor
from diagnose.evidence import Fact

_MAGIC = b"\x93NUMPY"
_HEADER_LIMIT_BYTES = 1 << 20
_DESCR = re.compile(r"'descr':\s{0,9}'([<>|=]?)([a-zA-Z?])(\d*)(?:\[\w+\])?'")
_OBJECTS = re.compile(r"'\|?O\d*'")
_SHAPE = re.compile(r"'shape':\s{0,9}\(([\d,\sL]*+)\)")
_CHARACTER_BYTES = 4
"""NumPy's U type holds UCS-4."""


def read_npy(file: BinaryIO, size_bytes: int) -> Iterator[Fact]:
    """Facts of an .npy file. Raises CutError where it ends within the header."""
    cursor = Cursor(file, size_bytes, 6)
    major, minor = cursor.unpack("BB")
    yield FACTS.known("artefact.version", f"{major}.{minor}", "byte 6")
    if major not in (1, 2, 3):
        yield damage("unknown-version", 6, f"{major}.{minor}")
        return
    (length,) = cursor.unpack("<H" if major == 1 else "<I")
    yield FACTS.known("artefact.header_bytes", length, "byte 8")
    if length > _HEADER_LIMIT_BYTES and length <= size_bytes:
        yield damage("header-too-large", 8, f"{length} bytes")
        return
    header = cursor.read(length).decode("latin-1")
    yield from _data_facts(cursor, header)


def holds_objects(start: bytes) -> bool:
    """Whether the first bytes of an .npy file say that its array holds pickled objects."""
    if not start.startswith(_MAGIC) or len(start) < 12:
        return False
    header_at, length = (10, start[8:10]) if start[6] == 1 else (12, start[8:12])
    header = start[header_at : header_at + int.from_bytes(length, "little")]
    return _OBJECTS.search(header.decode("latin-1")) is not None


def _data_facts(cursor: Cursor, header: str) -> Iterator[Fact]:
    shape, descr = _SHAPE.search(header), _DESCR.search(header)
    if "'descr'" not in header or not shape:
        yield damage("bad-header", 10, header[:80])
        return
    if _OBJECTS.search(header):
        yield FACTS.known("artefact.object_array", True, "byte 10")
        return
    if not descr:
        yield FACTS.not_checked("artefact.truncated", "arrays of structured types are not measured")
        return
    order, letter, digits = descr.groups()
    yield FACTS.known("artefact.dtypes", [f"{order}{letter}{digits}"], "byte 10")
    item_bytes = int(digits or 1) * (_CHARACTER_BYTES if letter == "U" else 1)
    sizes = [int(size) for size in re.findall(r"\d{1,19}", shape[1])]
    yield from extent(cursor.size_bytes, cursor.at + math.prod(sizes) * item_bytes)
