"""GGUF: header, metadata, tensor list, and whether the tensors lie within the file (ggml docs/gguf.md, gguf.cpp)."""

from __future__ import annotations

import math
import struct
from collections.abc import Iterator
from typing import BinaryIO

from msgspec import Struct

from diagnose.collectors.artefact.facts import FACTS, damage, extent
from diagnose.collectors.artefact.reading import Cursor, ImplausibleError
from diagnose.evidence import Fact

_LATEST_VERSION = 3
_COUNT_LIMIT = 1 << 20
_ELEMENT_LIMIT = 4 << 20
_WINDOW_BYTES = 64 << 10
"""More tensors, pairs or strings than any model has: walking further would only cost time."""

_SCALARS = {0: "B", 1: "b", 2: "H", 3: "h", 4: "I", 5: "i", 6: "f", 7: "?", 10: "Q", 11: "q", 12: "d"}
_STRING, _ARRAY = 8, 9

_TYPES: dict[int, tuple[str, int, int]] = {
    0: ("F32", 1, 4), 1: ("F16", 1, 2), 2: ("Q4_0", 32, 18), 3: ("Q4_1", 32, 20), 6: ("Q5_0", 32, 22),
    7: ("Q5_1", 32, 24), 8: ("Q8_0", 32, 34), 9: ("Q8_1", 32, 36), 10: ("Q2_K", 256, 84), 11: ("Q3_K", 256, 110),
    12: ("Q4_K", 256, 144), 13: ("Q5_K", 256, 176), 14: ("Q6_K", 256, 210), 15: ("Q8_K", 256, 292),
    16: ("IQ2_XXS", 256, 66), 17: ("IQ2_XS", 256, 74), 18: ("IQ3_XXS", 256, 98), 19: ("IQ1_S", 256, 50),
    20: ("IQ4_NL", 32, 18), 21: ("IQ3_S", 256, 110), 22: ("IQ2_S", 256, 82), 23: ("IQ4_XS", 256, 136),
    24: ("I8", 1, 1), 25: ("I16", 1, 2), 26: ("I32", 1, 4), 27: ("I64", 1, 8), 28: ("F64", 1, 8),
    29: ("IQ1_M", 256, 56), 30: ("BF16", 1, 2), 34: ("TQ1_0", 256, 54), 35: ("TQ2_0", 256, 66),
    39: ("MXFP4", 32, 17),
}  # fmt: skip
"""ggml's tensor types: name, elements in a block, bytes of a block (ggml.h, ggml-common.h)."""

_METADATA_FACTS = {
    "general.architecture": "artefact.architecture",
    "tokenizer.ggml.model": "artefact.tokenizer_model",
    "tokenizer.ggml.pre": "artefact.tokenizer_pre",
    "split.count": "artefact.split_count",
    "split.no": "artefact.split_index",
}


class _Tensor(Struct, frozen=True):
    name: str
    shape: tuple[int, ...]
    type: int
    offset: int


def read_gguf(file: BinaryIO, size_bytes: int) -> Iterator[Fact]:
    """Facts of a GGUF file. Raises CutError where it ends within the header."""
    cursor = Cursor(file, size_bytes, 4)
    order, version = _byte_order(cursor)
    yield FACTS.known("artefact.version", str(version), "byte 4")
    yield FACTS.known("artefact.endianness", "big" if order == ">" else "little", "byte 4")
    if not 1 <= version <= _LATEST_VERSION:
        yield damage("unknown-version", 4, str(version))
        return
    wide = order + ("Q" if version > 1 else "I")
    tensor_count, pair_count = cursor.unpack(wide)[0], cursor.unpack(wide)[0]
    yield FACTS.known("artefact.tensor_count", tensor_count, "byte 8")
    yield FACTS.known("artefact.metadata_count", pair_count, "byte 16")
    if tensor_count > _COUNT_LIMIT or pair_count > _COUNT_LIMIT:
        yield damage("count-too-large", 8, f"{tensor_count} tensors, {pair_count} pairs")
        return
    metadata = _Metadata(cursor, order, wide)
    pairs = metadata.read_pairs(pair_count)
    yield from _metadata_facts(pairs)
    yield from _tensor_facts(cursor, metadata, tensor_count, pairs.get("general.alignment", 32))


def _byte_order(cursor: Cursor) -> tuple[str, int]:
    """GGUF has no byte order mark: read the wrong way round, a small version has its low 16 bits zero."""
    raw = cursor.read(4)
    version = int.from_bytes(raw, "little")
    return (">", int.from_bytes(raw, "big")) if version & 0xFFFF == 0 and version else ("<", version)


class _Metadata:
    """The key-value pairs: scalars and short strings are kept, arrays are only walked."""

    def __init__(self, cursor: Cursor, order: str, wide: str) -> None:
        self._cursor = cursor
        self.order = order
        self.wide = wide
        self._elements = 0

    def read_pairs(self, count: int) -> dict[str, int | float | bool | str]:
        pairs: dict[str, int | float | bool | str] = {}
        for _ in range(count):
            key = self.read_string()
            value = self._read_value(self._cursor.unpack(self.order + "I")[0])
            if value is not None:
                pairs[key] = value
        return pairs

    def read_string(self) -> str:
        (length,) = self._cursor.unpack(self.wide)
        return self._cursor.read(length).decode("utf-8", "replace")

    def _read_value(self, kind: int) -> int | float | bool | str | None:
        if kind in _SCALARS:
            value: int | float | bool = self._cursor.unpack(self.order + _SCALARS[kind])[0]
            return value
        if kind == _STRING:
            return self.read_string()
        if kind != _ARRAY:
            raise ImplausibleError("unknown-value-type", self._cursor.at - 4, str(kind))
        self._skip_array(depth=0)
        return None

    def _skip_array(self, depth: int) -> None:
        start = self._cursor.at
        (kind,) = self._cursor.unpack(self.order + "I")
        (count,) = self._cursor.unpack(self.wide)
        if kind in _SCALARS:
            self._cursor.skip(count * struct.calcsize("=" + _SCALARS[kind]))
            return
        self._elements += count
        if kind not in (_STRING, _ARRAY) or depth > 4 or self._elements > _ELEMENT_LIMIT:
            raise ImplausibleError("unknown-value-type" if kind > 12 else "count-too-large", start, f"{kind}, {count}")
        if kind == _STRING:
            self._skip_strings(count)
            return
        for _ in range(count):
            self._skip_array(depth + 1)

    def _skip_strings(self, count: int) -> None:
        """Vocabularies have hundreds of thousands: they are walked in windows, not read one by one."""
        cursor, width = self._cursor, struct.calcsize(self.wide)
        length_at = struct.Struct(self.wide).unpack_from
        while count:
            window = cursor.peek(min(_WINDOW_BYTES, cursor.size_bytes - cursor.at))
            at = 0
            while count and at + width <= len(window):
                end = at + width + length_at(window, at)[0]
                if end > len(window):
                    break
                at, count = end, count - 1
            if at:
                cursor.skip(at)
            else:
                cursor.skip(cursor.unpack(self.wide)[0])
                count -= 1


def _metadata_facts(pairs: dict[str, int | float | bool | str]) -> Iterator[Fact]:
    for key, name in _METADATA_FACTS.items():
        value = pairs.get(key)
        wanted = FACTS.specs[name].type
        if (wanted == "str" and isinstance(value, str)) or (wanted == "int" and type(value) is int):
            yield FACTS.known(name, value, key)


def _tensor_facts(cursor: Cursor, metadata: _Metadata, count: int, alignment: object) -> Iterator[Fact]:
    if not isinstance(alignment, int) or not 0 < alignment <= 1 << 20 or alignment & (alignment - 1):
        yield damage("bad-alignment", 0, str(alignment))
        return
    yield FACTS.known("artefact.alignment", alignment)
    tensors = [_read_tensor(cursor, metadata) for _ in range(count)]
    start = (cursor.at + alignment - 1) // alignment * alignment
    yield FACTS.known("artefact.dtypes", sorted({_type_name(tensor.type) for tensor in tensors}))
    end = max((start + tensor.offset + _size_bytes(tensor) for tensor in tensors), default=cursor.at)
    yield from extent(cursor.size_bytes, end, exact=False)
    yield from _misplaced(tensors, alignment)


def _read_tensor(cursor: Cursor, metadata: _Metadata) -> _Tensor:
    at = cursor.at
    name = metadata.read_string()
    order = metadata.order
    (dimensions,) = cursor.unpack(order + "I")
    if dimensions > 8:
        raise ImplausibleError("too-many-dimensions", at, f"{name!r} has {dimensions}")
    shape = cursor.unpack(f"{order}{dimensions}{metadata.wide[1]}")
    return _Tensor(name, shape, *cursor.unpack(order + "IQ"))


def _type_name(kind: int) -> str:
    return _TYPES[kind][0] if kind in _TYPES else f"type {kind}"


def _size_bytes(tensor: _Tensor) -> int:
    """0 for a type that is not known here: then only the tensor's start is checked."""
    _, block, block_bytes = _TYPES.get(tensor.type, ("", 1, 0))
    return -(-math.prod(tensor.shape) // block) * block_bytes


def _misplaced(tensors: list[_Tensor], alignment: int) -> Iterator[Fact]:
    """gguf.cpp: each tensor begins where the one before ends, padded to the alignment."""
    expected = 0
    for tensor in tensors:
        if tensor.offset != expected:
            yield damage("bad-offset", tensor.offset, f"{tensor.name!r} at {tensor.offset} instead of {expected}")
            return
        if tensor.type not in _TYPES:
            return
        expected += -(-_size_bytes(tensor) // alignment) * alignment
