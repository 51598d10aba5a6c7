"""ONNX: the protobuf of a model walked with bounds (onnx.proto: ModelProto, GraphProto, NodeProto, TensorProto)."""

from __future__ import annotations

from collections.abc import Iterator
from typing import BinaryIO

from msgspec import Struct, field

from diagnose.collectors.artefact.facts import FACTS, damage, extent
from diagnose.collectors.artefact.reading import Cursor, ImplausibleError
from diagnose.collectors.protobuf import BYTES, VARINT, Field, read_field, walk_fields
from diagnose.evidence import Fact

_FIELD_LIMIT = 500_000
_WINDOW_BYTES = 1024
_LONGEST_TAG_AND_LENGTH = 20
_TEXT_LIMIT_BYTES = 4096
_PROTOBUF_LIMIT_BYTES = 2**31 - 1
"""No protobuf parser reads a longer message ("Protocol Buffers: Proto Limits")."""

_MODEL, _GRAPH, _FUNCTION, _NODE, _ATTRIBUTE, _TENSOR = "model", "graph", "function", "node", "attribute", "tensor"

_NESTED: dict[tuple[str, int], str] = {
    (_MODEL, 7): _GRAPH,
    (_MODEL, 25): _FUNCTION,
    (_GRAPH, 1): _NODE,
    (_GRAPH, 5): _TENSOR,
    (_FUNCTION, 7): _NODE,
    (_NODE, 5): _ATTRIBUTE,
    (_ATTRIBUTE, 5): _TENSOR,
    (_ATTRIBUTE, 6): _GRAPH,
    (_ATTRIBUTE, 10): _TENSOR,
    (_ATTRIBUTE, 11): _GRAPH,
}
"""Which fields of which message hold a message that is walked too."""

_STANDARD_DOMAINS = frozenset(("", "ai.onnx", "ai.onnx.ml", "ai.onnx.training", "ai.onnx.preview.training"))


class _Seen(Struct):
    """What a walk has gathered. `external` maps a file to the end of the last tensor in it."""

    needed_bytes: int
    ir_version: int | None = None
    producer: str = ""
    producer_version: str = ""
    opsets: dict[str, int] = field(default_factory=dict)
    operators: set[str] = field(default_factory=set)
    custom_operators: set[str] = field(default_factory=set)
    external: dict[str, int] = field(default_factory=dict)
    has_graph: bool = False


class _Message(Struct, frozen=True):
    kind: str
    start: int
    end: int


def read_onnx(file: BinaryIO, size_bytes: int) -> Iterator[Fact]:
    """Facts of an ONNX model; of a cut one as many as can be had."""
    walk = _Walk(Cursor(file, size_bytes))
    problem = walk.run()
    seen = walk.seen
    yield from _model_facts(seen)
    yield from extent(size_bytes, seen.needed_bytes)
    if problem:
        yield problem
    elif not seen.has_graph:
        yield damage("no-graph", size_bytes)
    if size_bytes > _PROTOBUF_LIMIT_BYTES:
        yield damage("exceeds-protobuf-limit", _PROTOBUF_LIMIT_BYTES, f"{size_bytes} bytes")


class _Walk:
    """Walks the model and the messages in it, the outer before the inner ones."""

    def __init__(self, cursor: Cursor) -> None:
        self._cursor = cursor
        self._fields_left = _FIELD_LIMIT
        self.seen = _Seen(needed_bytes=cursor.size_bytes)

    def run(self) -> Fact | None:
        """Walk everything; returns where the bytes stop to make sense or the walk stopped, if either did."""
        pending = [_Message(_MODEL, 0, self._cursor.size_bytes)]
        try:
            while pending:
                pending.extend(self._visit(pending.pop()))
        except ImplausibleError as error:
            return damage(error.kind, error.at, error.text)
        if self._fields_left <= 0:
            return FACTS.not_checked("artefact.damage", f"the model has more than {_FIELD_LIMIT} fields")
        return None

    def _visit(self, message: _Message) -> list[_Message]:
        """Note what the message says, and return the messages in it that are to be walked."""
        inner = []
        texts: dict[int, str] = {}
        external: dict[str, str] = {}
        for found in self._fields(message):
            kind = _NESTED.get((message.kind, found.number))
            if kind and found.wire == BYTES:
                self.seen.has_graph = self.seen.has_graph or kind == _GRAPH
                inner.append(_Message(kind, found.start, min(found.end, self._cursor.size_bytes)))
            elif message.kind == _MODEL:
                self._note_model_field(found)
            elif message.kind == _NODE and found.number in (4, 7):
                texts[found.number] = self._text(found)
            elif message.kind == _TENSOR and found.number == 13:
                external.update([self._pair(found)])
        if 4 in texts:
            self._note_operator(texts[4], texts.get(7, ""))
        if external.get("location"):
            self._note_external(external)
        return inner

    def _fields(self, message: _Message) -> Iterator[Field]:
        size_bytes = self._cursor.size_bytes
        at = base = message.start
        window = b""
        while at < message.end and self._fields_left > 0:
            self._fields_left -= 1
            if base + len(window) - at < _LONGEST_TAG_AND_LENGTH:
                base, window = at, self._cursor.peek(min(_WINDOW_BYTES, size_bytes - at), at)
            found = read_field(window, at - base, base)
            if found is None:
                self._note_unreadable(message, at)
                return
            if found.end > message.end:
                self._note_overrun(message, found)
            yield found
            at = found.end

    def _note_unreadable(self, message: _Message, at: int) -> None:
        """A field that cannot be read: cut off with the file, or no protobuf."""
        size_bytes = self._cursor.size_bytes
        rest = self._cursor.peek(size_bytes - at, at) if size_bytes - at < _LONGEST_TAG_AND_LENGTH else b""
        if message.end < size_bytes or not rest or rest[0] == 0:
            raise ImplausibleError("not-protobuf", at, f"in the {message.kind}")
        self.seen.needed_bytes = max(self.seen.needed_bytes, size_bytes + 1)

    def _note_overrun(self, message: _Message, found: Field) -> None:
        if message.kind == _MODEL:
            self.seen.needed_bytes = found.end
        elif message.end < self._cursor.size_bytes or self.seen.needed_bytes <= self._cursor.size_bytes:
            raise ImplausibleError("bad-length", found.start, f"field {found.number} of the {message.kind}")

    def _note_model_field(self, found: Field) -> None:
        seen = self.seen
        if found.number == 1 and found.wire == VARINT:
            seen.ir_version = found.value
        elif found.number == 2:
            seen.producer = self._text(found)
        elif found.number == 3:
            seen.producer_version = self._text(found)
        elif found.number == 8 and found.wire == BYTES:
            domain, version = _operator_set(self._bytes(found))
            seen.opsets[domain] = version

    def _note_operator(self, name: str, domain: str) -> None:
        self.seen.operators.add(name)
        if domain not in _STANDARD_DOMAINS:
            self.seen.custom_operators.add(f"{domain}::{name}")

    def _note_external(self, entries: dict[str, str]) -> None:
        end = sum(int(entries[key]) for key in ("offset", "length") if entries.get(key, "").isdecimal())
        location = entries["location"]
        self.seen.external[location] = max(end, self.seen.external.get(location, 0))

    def _pair(self, found: Field) -> tuple[str, str]:
        """StringStringEntryProto: key 1, value 2."""
        data = self._bytes(found)
        texts = {part.number: data[part.start : part.end].decode("utf-8", "replace") for part in walk_fields(data)}
        return texts.get(1, ""), texts.get(2, "")

    def _text(self, found: Field) -> str:
        return self._bytes(found).decode("utf-8", "replace") if found.wire == BYTES else ""

    def _bytes(self, found: Field) -> bytes:
        end = min(found.end, self._cursor.size_bytes, found.start + _TEXT_LIMIT_BYTES)
        return self._cursor.peek(max(end - found.start, 0), found.start) if found.start <= end else b""


def _operator_set(data: bytes) -> tuple[str, int]:
    """OperatorSetIdProto: domain 1, version 2."""
    domain, version = "", 0
    for part in walk_fields(data):
        if part.number == 1 and part.wire == BYTES:
            domain = data[part.start : part.end].decode("utf-8", "replace")
        elif part.number == 2 and part.wire == VARINT:
            version = part.value
    return domain, version


def _model_facts(seen: _Seen) -> Iterator[Fact]:
    if seen.ir_version is not None:
        yield FACTS.known("artefact.ir_version", seen.ir_version, "byte 0")
        yield FACTS.known("artefact.version", str(seen.ir_version), "byte 0")
    if seen.producer:
        yield FACTS.known("artefact.producer", f"{seen.producer} {seen.producer_version}".strip())
    default = seen.opsets.get("", seen.opsets.get("ai.onnx"))
    if default is not None:
        yield FACTS.known("artefact.opset", default)
    others = sorted(f"{domain}:{version}" for domain, version in seen.opsets.items() if domain not in ("", "ai.onnx"))
    lists = (
        ("artefact.opset_domains", others),
        ("artefact.operators", sorted(seen.operators)),
        ("artefact.custom_operators", sorted(seen.custom_operators)),
        ("artefact.external_data", sorted(seen.external)),
    )
    for name, values in lists:
        if values:
            yield FACTS.known(name, values)
    for location, end in sorted(seen.external.items()):
        yield FACTS.known("artefact.external_data_end_bytes", end, text=location)
