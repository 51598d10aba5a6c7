"""Walking a protobuf message without its schema (Protocol Buffers, "Encoding"). Bounded, and never raises."""

from __future__ import annotations

from collections.abc import Iterator

from msgspec import Struct

VARINT, FIXED64, BYTES, GROUP, END_GROUP, FIXED32 = range(6)
_FIXED_LENGTH = {FIXED64: 8, FIXED32: 4}


class Field(Struct, frozen=True):
    """A field of a message. `value` is the number of a varint; `start` and `end` bound the payload, which may lie
    beyond the data that was given."""

    number: int
    wire: int
    value: int
    start: int
    end: int


def read_varint(data: bytes, at: int) -> tuple[int, int] | None:
    """The unsigned varint at `at` and the offset behind it, or None where it is cut or longer than 10 bytes."""
    value = 0
    for index in range(10):
        if at + index >= len(data):
            return None
        byte = data[at + index]
        value |= (byte & 0x7F) << (7 * index)
        if byte < 0x80:
            return value, at + index + 1
    return None


def walk_fields(data: bytes, at: int = 0, end: int | None = None, limit: int = 256) -> Iterator[Field]:
    """The fields from `at` on, until the data ends, `limit` fields were seen or the bytes are no protobuf.

    The last field may reach beyond `end`; the caller tells from `Field.end`.
    """
    stop = len(data) if end is None else min(end, len(data))
    for _ in range(limit):
        if at >= stop:
            return
        field = read_field(data, at)
        if field is None:
            return
        yield field
        at = field.end


def read_field(data: bytes, at: int, base: int = 0) -> Field | None:
    """The field whose tag stands at `at`, or None where there is none (groups, long gone, count as none).

    `base` is added to the offsets in the field, where `data` is a piece of something larger.
    """
    tag = read_varint(data, at)
    if tag is None or tag[0] >> 3 == 0 or tag[0] >> 3 > 0x1FFFFFFF:
        return None
    number, wire, at = tag[0] >> 3, tag[0] & 7, tag[1]
    if wire in _FIXED_LENGTH:
        return Field(number, wire, 0, base + at, base + at + _FIXED_LENGTH[wire])
    if wire not in (VARINT, BYTES):
        return None
    value = read_varint(data, at)
    if value is None:
        return None
    if wire == VARINT:
        return Field(number, wire, value[0], base + at, base + value[1])
    return Field(number, wire, 0, base + value[1], base + value[1] + value[0])
