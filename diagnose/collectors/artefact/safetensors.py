"""safetensors: a JSON header of tensors that must cover the rest of the file without holes (README, tensor.rs)."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import BinaryIO

import msgspec
from msgspec import Struct

from diagnose.collectors.artefact.facts import FACTS, damage, extent
from diagnose.collectors.artefact.reading import READ_LIMIT_BYTES, Cursor
from diagnose.evidence import Fact

_HEADER_LIMIT_BYTES = 100_000_000
"""What the reference implementation reads at most (tensor.rs, MAX_HEADER_SIZE)."""

_BITS = {
    "BOOL": 8, "U8": 8, "I8": 8, "F8_E5M2": 8, "F8_E4M3": 8, "F8_E8M0": 8, "F4": 4, "F6_E2M3": 6, "F6_E3M2": 6,
    "I16": 16, "U16": 16, "F16": 16, "BF16": 16, "I32": 32, "U32": 32, "F32": 32, "F64": 64, "I64": 64, "U64": 64,
    "C64": 64,
}  # fmt: skip


class _Tensor(Struct, frozen=True):
    dtype: str
    shape: list[int]
    data_offsets: tuple[int, int]


def read_safetensors(file: BinaryIO, size_bytes: int) -> Iterator[Fact]:
    """Facts of a safetensors file. Raises CutError where it ends within the header."""
    cursor = Cursor(file, size_bytes)
    (length,) = cursor.unpack("<Q")
    yield FACTS.known("artefact.header_bytes", min(length, 2**63 - 1), "byte 0")
    if length > _HEADER_LIMIT_BYTES:
        yield damage("header-too-large", 0, f"{length} bytes")
        return
    if length > READ_LIMIT_BYTES:
        yield FACTS.not_checked("artefact.truncated", f"a header of {length} bytes is too long to read here")
        return
    try:
        tensors = _read_header(cursor.read(length))
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
        yield damage("not-json", 8, str(error))
        return
    yield FACTS.known("artefact.tensor_count", len(tensors))
    yield FACTS.known("artefact.dtypes", sorted({tensor.dtype for tensor in tensors.values()}))
    needed = max((tensor.data_offsets[1] for tensor in tensors.values()), default=0)
    yield from extent(size_bytes, cursor.at + needed)
    yield from _layout_damage(tensors, cursor.at)


def _read_header(header: bytes) -> dict[str, _Tensor]:
    entries = msgspec.json.decode(header, type=dict[str, msgspec.Raw])
    decode = msgspec.json.Decoder(_Tensor).decode
    return {name: decode(raw) for name, raw in entries.items() if name != "__metadata__"}


def _layout_damage(tensors: dict[str, _Tensor], start: int) -> Iterator[Fact]:
    """The first tensor, in the order of the data, that does not begin where the one before ends or has a wrong size."""
    expected = 0
    for name, tensor in sorted(tensors.items(), key=lambda item: item[1].data_offsets):
        begin, end = tensor.data_offsets
        if begin != expected or end < begin:
            kind = "hole" if begin > expected else "overlap"
            yield damage(kind, start + begin, f"{name!r} begins at {begin} instead of {expected}")
            return
        bits = _BITS.get(tensor.dtype)
        if bits is None:
            yield damage("unknown-dtype", start + begin, f"{name!r} is {tensor.dtype}")
        elif any(size < 0 for size in tensor.shape) or math.prod(tensor.shape) * bits != (end - begin) * 8:
            yield damage(
                "bad-shape", start + begin, f"{name!r} of {tensor.dtype} {tensor.shape} has {end - begin} bytes"
            )
            return
        expected = end
