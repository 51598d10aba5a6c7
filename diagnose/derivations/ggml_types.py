"""Types of ggml: what a block of elements takes. Source: the structs of ggml/src/ggml-common.h."""

from __future__ import annotations

BLOCKS: dict[str, tuple[int, int]] = {
    "f32": (1, 4),
    "f16": (1, 2),
    "bf16": (1, 2),
    "q4_0": (32, 18),
    "q4_1": (32, 20),
    "q5_0": (32, 22),
    "q5_1": (32, 24),
    "q8_0": (32, 34),
    "iq4_nl": (32, 18),
    "mxfp4": (32, 17),
    "nvfp4": (64, 36),
    "q2_k": (256, 84),
    "q3_k": (256, 110),
    "q4_k": (256, 144),
    "q5_k": (256, 176),
    "q6_k": (256, 210),
    "iq1_s": (256, 50),
    "iq4_xs": (256, 136),
    "tq1_0": (256, 54),
    "tq2_0": (256, 66),
}
"""Elements of a block and its bytes, by the type's name in lower case."""


def bits_per_element(name: str) -> float | None:
    """Bits that one element takes on average, or None for a type that is not known.

    Formula: block bytes x 8 / elements of a block.
    """
    block = BLOCKS.get(name.lower())
    return block[1] * 8 / block[0] if block else None


def row_bytes(name: str, elements: int) -> int:
    """Bytes of a row of elements; a type that is not known counts as f16, the default of KV caches."""
    length, size = BLOCKS.get(name.lower(), BLOCKS["f16"])
    return elements * size // length
