"""Sizes that a log states: cut transfers, shapes that are no shapes, tensors, frames and contiguous memory."""

from __future__ import annotations

import math
import re
import struct

from diagnose.derivations.stated import add, fact_at, line_of, mib, number_at, size_bytes, text_at
from diagnose.evidence import Evidence, Fact

BLOCK_BYTES = 4096
"""The smallest block that transfers and file systems are cut at."""

ABSURD_BYTES = 1 << 50
"""A pebibyte: no allocation of one program is larger, so that a larger count is a corrupted or negative one."""

PAGE_BYTES = 4096

ELEMENT_BYTES = {
    "double": 8, "float64": 8, "int64": 8, "float": 4, "float32": 4, "int32": 4, "half": 2, "float16": 2,
    "bfloat16": 2, "int8": 1, "uint8": 1, "bool": 1,
}  # fmt: skip
"""Bytes of an element by its type's name in TensorFlow and PyTorch."""

_PLAUSIBLE_FLOAT = (1e-12, 1e12)


def derive(evidence: Evidence) -> None:
    """Adds what follows from the sizes that the log states."""
    _transfer(evidence)
    for fact in evidence.known("log.failed_allocation_bytes"):
        reason = absurdity(fact.value) if isinstance(fact.value, int) else ""
        if reason:
            add(evidence, "derived.absurd_size", reason.split(":")[0], fact, reason)
    _share_of_total(evidence)
    _tensor(evidence)
    _frames(evidence)
    for fact in evidence.known("log.cma_pages"):
        if isinstance(fact.value, int):
            asked = fact.value * PAGE_BYTES
            text = f"{fact.value} pages x {PAGE_BYTES} bytes = {mib(asked)}"
            add(evidence, "derived.contiguous_bytes", asked, fact, text)


def _transfer(evidence: Evidence) -> None:
    """Bytes that came against those that should have come."""
    got = fact_at(evidence, "log.bytes_got")
    received = number_at(evidence, "log.bytes_got")
    expected = number_at(evidence, "log.bytes_expected", line_of(got) if got else 0)
    missing = number_at(evidence, "log.bytes_remaining")
    if expected is None and received is not None and missing is not None:
        expected = received + missing
    if received is None or not expected or received >= expected:
        return
    text = f"{received:.0f} of {expected:.0f} bytes"
    add(evidence, "derived.bytes_missing", int(expected - received), got, text)
    add(evidence, "derived.bytes_share", round(received / expected, 4), got, text)
    block = cut_block(int(received))
    if block:
        add(evidence, "derived.cut_at_block_bytes", block, got, f"{received:.0f} = {received / block:.0f} x {block}")


def cut_block(size: int) -> int:
    """The largest power of two, from 4096 on, that divides the size, or 0: a transfer that ends there was cut between
    two blocks or buffers, not at the end of its content."""
    block = size & -size
    return block if size > 0 and block >= BLOCK_BYTES else 0


def absurdity(size: int) -> str:
    """Why a byte count can be none, or "" where it can.

    negative: from 2^63 on it is a negative number read as unsigned (18446744073709551608 = -8)
    float-bits: the bits are a plausible floating-point number, so that values were read in place of a shape
    too-large: more than a pebibyte
    """
    if size < ABSURD_BYTES:
        return ""
    if (1 << 63) <= size < 1 << 64:
        return f"negative: {size} is {size - (1 << 64)} read as unsigned"
    if size < 1 << 63:
        (value,) = struct.unpack("<d", size.to_bytes(8, "little"))
        if math.isfinite(value) and _PLAUSIBLE_FLOAT[0] < abs(value) < _PLAUSIBLE_FLOAT[1]:
            return f"float-bits: the bits of {size} are the number {value:.6g}"
    return f"too-large: {size} bytes are {size / (1 << 50):.4g} PiB"


def _share_of_total(evidence: Evidence) -> None:
    """PyTorch states what it asked for and what the GPU has."""
    total, asked = text_at(evidence, "log.torch_total"), text_at(evidence, "log.torch_asked")
    total_bytes, asked_bytes = size_bytes(total), size_bytes(asked)
    if total_bytes and asked_bytes is not None:
        source = fact_at(evidence, "log.torch_asked")
        share = round(asked_bytes / total_bytes, 4)
        add(evidence, "derived.allocation_share", share, source, f"{asked} of {total}")


def _tensor(evidence: Evidence) -> None:
    """Formula: product of the shape x bytes of an element. The first dimension is mostly the batch."""
    for fact in evidence.known("log.tensor_shape"):
        dimensions = [int(item) for item in re.findall(r"\d{1,12}", str(fact.value))][:8]
        if not dimensions or 0 in dimensions:
            continue
        kind = fact_at(evidence, "log.tensor_type", line_of(fact))
        each = ELEMENT_BYTES.get(str(kind.value).lower(), 4) if kind is not None else 4
        size = math.prod(dimensions) * each
        text = f"{' x '.join(str(item) for item in dimensions)} x {each} bytes = {mib(size)}"
        add(evidence, "derived.tensor_bytes", size, fact, text)
        add(evidence, "derived.tensor_batch", dimensions[0], fact, text)


def _frames(evidence: Evidence) -> None:
    """Width and height of pictures, as rules compare them with limits of decoders."""
    for fact in evidence.known("log.frame_size"):
        sides = [int(item) for item in re.findall(r"\d{1,9}", str(fact.value))][:2]
        if len(sides) == 2 and all(sides):
            _frame(evidence, fact, *sides)


def _frame(evidence: Evidence, fact: Fact, width: int, height: int) -> None:
    text = f"{width} x {height}"
    add(evidence, "derived.frame_pixels", width * height, fact, text)
    add(evidence, "derived.frame_longest_side", max(width, height), fact, text)
    add(evidence, "derived.frame_sides_odd", bool(width % 2 or height % 2), fact, text)
    macroblocks = -(-width // 16) * -(-height // 16)
    add(evidence, "derived.frame_macroblocks", macroblocks, fact, f"{text} in blocks of 16 x 16")
