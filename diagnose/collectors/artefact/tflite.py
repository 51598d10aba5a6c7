"""TensorFlow Lite: the FlatBuffer's root, operator codes, and whether its buffers lie within the file (schema.fbs)."""

from __future__ import annotations

from collections.abc import Iterator
from typing import BinaryIO

from diagnose.collectors.artefact.facts import FACTS, damage, extent
from diagnose.collectors.artefact.flatbuffer import (
    Table,
    read_root,
    read_scalar,
    read_string,
    read_tables,
    read_vector,
)
from diagnose.collectors.artefact.reading import Cursor
from diagnose.evidence import Fact

_VERSION, _OPERATOR_CODES, _SUBGRAPHS, _DESCRIPTION, _BUFFERS = range(5)
_CUSTOM_CODE = 1
_DATA, _OFFSET, _SIZE = range(3)
_TABLE_LIMIT = 200_000


def read_tflite(file: BinaryIO, size_bytes: int) -> Iterator[Fact]:
    """Facts of a .tflite model. Raises CutError where it ends within the tables, ImplausibleError on wild offsets."""
    cursor = Cursor(file, size_bytes)
    identifier = cursor.peek(4, 4)
    if identifier not in (b"TFL3", b"CIR0"):
        yield damage("bad-identifier", 4, identifier.decode("latin-1"))
        return
    model = read_root(cursor)
    yield FACTS.known("artefact.version", str(read_scalar(cursor, model, _VERSION, 4)), f"byte {model.at}")
    description = read_string(cursor, model, _DESCRIPTION)
    if description:
        yield FACTS.known("artefact.producer", description)
    codes = read_tables(cursor, model, _OPERATOR_CODES, _TABLE_LIMIT)
    custom = sorted({name for code in codes if (name := read_string(cursor, code, _CUSTOM_CODE))})
    if custom:
        yield FACTS.known("artefact.custom_operators", custom)
    yield from extent(size_bytes, _buffers_end(cursor, model), exact=False)
    if not read_vector(cursor, model, _SUBGRAPHS):
        yield damage("no-graph", model.at)


def _buffers_end(cursor: Cursor, model: Table) -> int:
    """The end of the last buffer. Since 2023 a buffer may lie behind the FlatBuffer, by offset and size."""
    end = 0
    for buffer in read_tables(cursor, model, _BUFFERS, _TABLE_LIMIT):
        vector = read_vector(cursor, buffer, _DATA)
        if vector:
            end = max(end, sum(vector))
        offset, size = read_scalar(cursor, buffer, _OFFSET, 8), read_scalar(cursor, buffer, _SIZE, 8)
        if offset > 1 and size > 1:
            end = max(end, offset + size)
    return end
