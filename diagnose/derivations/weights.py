"""Weights: their size from parameters and type, and the memory traffic that a decode speed stands for.

Each generated token reads all weights (of a mixture of experts only the active ones) and the KV cache once, so that
decode is bound by memory: tokens/s <= bandwidth / (bytes of weights + bytes of KV cache read).
"""

from __future__ import annotations

import re

from diagnose.derivations.ggml_types import bits_per_element
from diagnose.derivations.stated import GIB, add, fact_at, mib, number_at, numbers, size_bytes, text_at
from diagnose.evidence import Evidence

FILE_TYPE_BITS = {
    "IQ1_S": 2.0042,
    "IQ1_M": 2.1460,
    "IQ2_XXS": 2.3824,
    "IQ2_XS": 2.5882,
    "IQ2_S": 2.7403,
    "IQ2_M": 2.9294,
    "IQ3_XXS": 3.2548,
    "IQ3_XS": 3.4977,
    "IQ3_S": 3.6606,
    "IQ3_M": 3.7628,
    "IQ4_XS": 4.4597,
    "IQ4_NL": 4.6818,
    "Q2_K_S": 2.9697,
    "Q2_K": 3.1593,
    "Q3_K_S": 3.6429,
    "Q3_K_M": 3.9960,
    "Q3_K_L": 4.2979,
    "Q4_K_S": 4.6672,
    "Q4_K_M": 4.8944,
    "Q5_K_S": 5.5704,
    "Q5_K_M": 5.7036,
    "Q6_K": 6.5633,
    "Q8_0": 8.5008,
    "F16": 16.0005,
    "BF16": 16.0005,
}
"""Bits per weight of GGUF file types, which mix types of blocks: measured on Llama-3.1-8B (llama.cpp,
tools/quantize/README.md). Other models deviate by a few hundredths, small ones by more (embeddings weigh more)."""

OFFERED = ("Q8_0", "Q6_K", "Q5_K_M", "Q4_K_M", "Q3_K_M", "Q2_K")
"""File types that are offered for nearly every model, the largest first."""

_PARAMETERS = re.compile(r"(\d+(?:\.\d+)?) ?([KMBT])?", re.IGNORECASE)
_SCALE = {"": 1, "K": 10**3, "M": 10**6, "B": 10**9, "T": 10**12}
_FILE_TYPE = re.compile(r"\b((?:B?F|Q|IQ|TQ|MXFP|NVFP)\d\w*)(?: - (Small|Medium|Large))?", re.IGNORECASE)


def derive(evidence: Evidence) -> None:
    """Adds the size of the weights, bits per weight, the largest file type that fits, and the traffic of decode."""
    weights, parameters = weight_bytes(evidence), parameter_count(evidence)
    if not weights:
        return
    source = fact_at(evidence, "log.model_size") or fact_at(evidence, "log.model_parameters")
    add(evidence, "derived.weight_bytes", round(weights), source, mib(weights))
    if parameters:
        bits = weights * 8 / parameters
        add(evidence, "derived.bits_per_weight", round(bits, 3), source, f"{mib(weights)} x 8 / {parameters:.4g}")
        _file_type_that_fits(evidence, parameters, weights)
    _traffic(evidence, weights)


def weight_bytes(evidence: Evidence) -> float:
    """Bytes of the weights: as stated, else parameters x bits of the file type / 8; 0 where neither is known."""
    stated = size_bytes(text_at(evidence, "log.model_size"))
    if stated:
        return stated
    bits = number_at(evidence, "log.bits_per_weight") or bits_of_file_type(text_at(evidence, "log.model_file_type"))
    return parameter_count(evidence) * (bits or 0) / 8


def bits_of_file_type(name: str) -> float | None:
    """Bits per weight of a file type as programs write it (`Q4_K - Medium`, `mostly Q4_1`, `q5_k_m`), or None."""
    found = _FILE_TYPE.search(name)
    if found is None:
        return None
    base = found.group(1).upper()
    mixed = f"{base}_{found.group(2)[0].upper()}" if found.group(2) else base
    return FILE_TYPE_BITS.get(mixed) or FILE_TYPE_BITS.get(base) or bits_per_element(base)


def parameter_count(evidence: Evidence) -> float:
    """Parameters of the model (`8.03 B`, `7B`, `7,615,616,512`), 0 where the log does not state them."""
    found = _PARAMETERS.match(text_at(evidence, "log.model_parameters").replace(",", ""))
    return float(found.group(1)) * _SCALE[(found.group(2) or "").upper()] if found else 0.0


def file_bytes(parameters: float, bits_per_weight: float) -> float:
    """Bytes of a model file: parameters x bits per weight / 8. 8.03e9 at 4.8944 bits: 4.91 GB."""
    return parameters * bits_per_weight / 8


def roofline_tokens_per_second(bandwidth_bytes_per_s: float, weights: float, kv_bytes_read: float = 0.0) -> float:
    """The most tokens per second that a memory bandwidth allows: bandwidth / bytes read for each token."""
    return bandwidth_bytes_per_s / (weights + kv_bytes_read)


def _file_type_that_fits(evidence: Evidence, parameters: float, weights: float) -> None:
    """A tenth of the memory is left for the KV cache and the compute buffer."""
    free = sum(numbers(evidence, "log.gpu_free_mib")) * (1 << 20)
    free = free or (number_at(evidence, "log.system_memory_free_gib") or 0) * GIB
    if not free or weights <= 0.9 * free:
        return
    for name in OFFERED:
        size = file_bytes(parameters, FILE_TYPE_BITS[name])
        if size <= 0.9 * free and size < weights:
            text = f"{parameters:.4g} x {FILE_TYPE_BITS[name]} / 8 = {mib(size)} of {mib(free)} free"
            add(evidence, "derived.largest_file_type_that_fits", name, fact_at(evidence, "log.model_parameters"), text)
            return


def _traffic(evidence: Evidence, weights: float) -> None:
    """Formula: bytes of weights x tokens/s. Nothing is said of a mixture of experts, which reads a part of them."""
    speed = number_at(evidence, "derived.decode_tokens_per_second")
    if speed is None or number_at(evidence, "log.n_expert"):
        return
    text = f"{speed:g} tokens/s x {mib(weights)} of weights"
    source = fact_at(evidence, "derived.decode_tokens_per_second")
    add(evidence, "derived.decode_gigabytes_per_s", round(weights * speed / 1e9, 2), source, text)
