"""Reading FlatBuffers with bounds (FlatBuffers, "Internals"): tables, their fields, vectors and strings."""

from __future__ import annotations

from collections.abc import Iterator

from msgspec import Struct

from diagnose.collectors.artefact.reading import Cursor, ImplausibleError

_VTABLE_LIMIT_BYTES = 2048


class Table(Struct, frozen=True):
    """A table at byte `at`; `fields` are the offsets of its fields from there, 0 for a field that is not there."""

    at: int
    fields: tuple[int, ...]

    def field_at(self, index: int) -> int | None:
        """The byte at which the field's value stands, or None where the table does not have it."""
        offset = self.fields[index] if index < len(self.fields) else 0
        return self.at + offset if offset else None


def read_root(cursor: Cursor) -> Table:
    """The root table. Raises CutError, or ImplausibleError where offsets make no sense."""
    return read_table(cursor, unsigned(cursor, 0))


def read_table(cursor: Cursor, at: int) -> Table:
    """The table at byte `at`. Raises like `read_root`."""
    distance = int.from_bytes(cursor.peek(4, at), "little", signed=True)
    vtable = at - distance
    if vtable < 0 or vtable + 4 > cursor.size_bytes:
        raise ImplausibleError("bad-offset", at, f"the vtable would be at {vtable}")
    size = int.from_bytes(cursor.peek(2, vtable), "little")
    if size < 4 or size % 2 or size > _VTABLE_LIMIT_BYTES:
        raise ImplausibleError("bad-offset", vtable, f"a vtable of {size} bytes")
    raw = cursor.peek(size, vtable)
    return Table(at, tuple(int.from_bytes(raw[start : start + 2], "little") for start in range(4, size, 2)))


def read_tables(cursor: Cursor, table: Table, index: int, limit: int) -> Iterator[Table]:
    """The tables of the vector in field `index`, `limit` of them at most. Raises like `read_root`."""
    vector = read_vector(cursor, table, index)
    if vector is None:
        return
    start, length = vector
    for at in range(start, start + 4 * min(length, limit), 4):
        yield read_table(cursor, at + unsigned(cursor, at))


def read_vector(cursor: Cursor, table: Table, index: int) -> tuple[int, int] | None:
    """Where the elements of the vector (or the characters of the string) in field `index` begin, and how many."""
    at = table.field_at(index)
    if at is None:
        return None
    start = at + unsigned(cursor, at)
    return start + 4, unsigned(cursor, start)


def read_string(cursor: Cursor, table: Table, index: int, limit: int = 256) -> str:
    """The string in field `index`, cut at `limit` bytes; empty where there is none."""
    vector = read_vector(cursor, table, index)
    return cursor.peek(min(vector[1], limit), vector[0]).decode("utf-8", "replace") if vector else ""


def read_scalar(cursor: Cursor, table: Table, index: int, size: int, default: int = 0) -> int:
    """The unsigned number of `size` bytes in field `index`, or `default`."""
    at = table.field_at(index)
    return default if at is None else int.from_bytes(cursor.peek(size, at), "little")


def unsigned(cursor: Cursor, at: int) -> int:
    return int.from_bytes(cursor.peek(4, at), "little")
