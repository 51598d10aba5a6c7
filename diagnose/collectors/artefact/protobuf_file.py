"""Model files that are one protobuf message, of which only the outermost fields are walked: Core ML, TensorFlow.

What is cut shows as a field that reaches beyond the file (Protocol Buffers, "Encoding").
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import BinaryIO

from diagnose.collectors.artefact.facts import FACTS, damage, extent
from diagnose.collectors.artefact.reading import Cursor
from diagnose.collectors.protobuf import read_field
from diagnose.evidence import Fact

_FIELD_LIMIT = 1_000_000
_LONGEST_TAG_AND_LENGTH = 20


def read_protobuf(file: BinaryIO, size_bytes: int) -> Iterator[Fact]:
    """Whether the fields of the message end where the file does."""
    cursor = Cursor(file, size_bytes)
    at = 0
    for _ in range(_FIELD_LIMIT):
        if at >= size_bytes:
            yield from extent(size_bytes, at)
            return
        window = cursor.peek(min(_LONGEST_TAG_AND_LENGTH, size_bytes - at), at)
        found = read_field(window, 0, at)
        if found is None:
            yield from _unreadable(window, at, size_bytes)
            return
        at = found.end
    yield FACTS.not_checked("artefact.truncated", f"more than {_FIELD_LIMIT} fields")


def _unreadable(window: bytes, at: int, size_bytes: int) -> Iterator[Fact]:
    """No field stands there: cut off within a tag or length where few bytes are left, else no protobuf."""
    if len(window) == _LONGEST_TAG_AND_LENGTH or window[0] == 0:
        yield damage("not-protobuf", at)
    else:
        yield from extent(size_bytes, size_bytes + 1)
