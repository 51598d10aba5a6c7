"""Files of records: TFRecord, Avro and ORC, and whether they end where their format says."""

from __future__ import annotations

from collections.abc import Iterator
from typing import BinaryIO

from diagnose.collectors.artefact.facts import FACTS, damage
from diagnose.collectors.artefact.reading import Cursor
from diagnose.collectors.crc32c import masked_crc32c
from diagnose.collectors.protobuf import read_varint
from diagnose.evidence import Fact

_RECORD_LIMIT = 200_000
_CHECKED_RECORDS = 2_000
"""The checksum of so many lengths is checked; the sum of all lengths is walked."""


def read_tfrecord(file: BinaryIO, size_bytes: int) -> Iterator[Fact]:
    """TFRecord: length, its masked CRC, the record, its CRC (TensorFlow, record_writer.cc). Raises CutError."""
    cursor = Cursor(file, size_bytes)
    records = 0
    while cursor.at < size_bytes and records < _RECORD_LIMIT:
        at = cursor.at
        length, crc = cursor.unpack("<QI")
        if records < _CHECKED_RECORDS and masked_crc32c(length.to_bytes(8, "little")) != crc:
            yield damage("bad-crc", at, f"the length of record {records}")
            return
        cursor.skip(length + 4)
        records += 1
    yield FACTS.known("artefact.member_count", records)
    if records >= _RECORD_LIMIT:
        yield FACTS.not_checked("artefact.truncated", f"more than {_RECORD_LIMIT} records")
    else:
        yield FACTS.known("artefact.truncated", False, f"byte {size_bytes}")


_SYNC_BYTES = 16
_ENTRY_LIMIT = 1000


def read_avro(file: BinaryIO, size_bytes: int) -> Iterator[Fact]:
    """Avro: the mark behind the header ends every block, so the file too (specification, "Object Container Files")."""
    cursor = Cursor(file, size_bytes, 4)
    for _ in range(_ENTRY_LIMIT):
        count = _read_long(cursor)
        if count < 0:
            _read_long(cursor)
        if not count:
            break
        for _ in range(min(abs(count), _ENTRY_LIMIT) * 2):
            cursor.skip(_read_long(cursor))
    mark = cursor.read(_SYNC_BYTES)
    is_whole = cursor.at == size_bytes or cursor.peek(_SYNC_BYTES, size_bytes - _SYNC_BYTES) == mark
    yield FACTS.known("artefact.truncated", not is_whole, f"byte {size_bytes}")


def _read_long(cursor: Cursor) -> int:
    """A zigzag varint. One that is cut or too long counts as 0."""
    found = read_varint(cursor.peek(min(10, cursor.size_bytes - cursor.at)), 0)
    value, length = found if found else (0, 1)
    cursor.skip(length)
    return value >> 1 ^ -(value & 1)


def read_orc(file: BinaryIO, size_bytes: int) -> Iterator[Fact]:
    """ORC: the last byte is the length of the postscript, which ends with the magic (specification, "File Tail")."""
    cursor = Cursor(file, size_bytes)
    length = cursor.peek(1, size_bytes - 1)[0]
    postscript = cursor.peek(min(length, size_bytes - 1), size_bytes - 1 - min(length, size_bytes - 1))
    yield FACTS.known("artefact.truncated", not postscript.endswith(b"ORC"), f"byte {size_bytes}")
