"""sentencepiece: the protobuf of a tokenizer.model, its pieces and whether one stands for unknown text."""

from __future__ import annotations

from collections.abc import Iterator
from typing import BinaryIO

from diagnose.collectors.artefact.facts import FACTS, damage, extent
from diagnose.collectors.artefact.reading import Cursor
from diagnose.collectors.protobuf import BYTES, VARINT, read_field, walk_fields
from diagnose.evidence import Fact

_SIZE_LIMIT_BYTES = 32 << 20
_PIECE_LIMIT = 500_000
_PIECES_SEARCHED = 1000
"""The piece for unknown text stands among the first."""

_PIECES, _TYPE = 1, 3
_UNKNOWN_TYPE = 2
"""sentencepiece_model.proto: ModelProto.pieces, SentencePiece.type and its value UNKNOWN."""


def read_sentencepiece(file: BinaryIO, size_bytes: int) -> Iterator[Fact]:
    """Facts of a sentencepiece model of up to 32 MiB."""
    if size_bytes > _SIZE_LIMIT_BYTES:
        yield FACTS.not_checked("artefact.truncated", f"larger than {_SIZE_LIMIT_BYTES} bytes")
        return
    data = Cursor(file, size_bytes).peek(size_bytes, 0)
    at, pieces, has_unknown = 0, 0, False
    while at < len(data) and pieces < _PIECE_LIMIT:
        field = read_field(data, at)
        if field is None:
            yield from _unreadable(data, at)
            break
        if field.number == _PIECES and field.wire == BYTES:
            pieces += 1
            if not has_unknown and pieces <= _PIECES_SEARCHED:
                has_unknown = _is_unknown(data, field.start, field.end)
        at = field.end
    if pieces >= _PIECE_LIMIT:
        yield FACTS.not_checked("artefact.truncated", f"more than {_PIECE_LIMIT} pieces")
        return
    yield FACTS.known("artefact.piece_count", pieces)
    yield FACTS.known("artefact.has_unknown_piece", has_unknown)
    yield from extent(size_bytes, max(at, size_bytes))


def _unreadable(data: bytes, at: int) -> Iterator[Fact]:
    if len(data) - at > 10 or data[at] == 0:
        yield damage("not-protobuf", at)


def _is_unknown(data: bytes, start: int, end: int) -> bool:
    if end - start > 512:
        return False
    return any(
        part.number == _TYPE and part.wire == VARINT and part.value == _UNKNOWN_TYPE
        for part in walk_fields(data, start, end)
    )
