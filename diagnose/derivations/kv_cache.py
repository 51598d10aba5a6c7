"""The KV cache: how many bytes a model's shape takes for a context.

Formulas and the figures they were checked with: llama.cpp (src/llama-kv-cache.cpp, src/llama-hparams.cpp), the logs of
llama.cpp#9881, #8101, #9112, #12728 and ik_llama.cpp#235. A token takes, in each layer, one row of K and one of V;
a row has KV heads x head size elements (grouped-query attention has fewer KV heads than attention heads).
"""

from __future__ import annotations

import re

from msgspec import Struct

from diagnose.derivations.ggml_types import row_bytes
from diagnose.derivations.stated import (
    MIB,
    add,
    count_at,
    fact_at,
    figure,
    line_of,
    mib,
    number_at,
    size_bytes,
    text_at,
)
from diagnose.evidence import Evidence, Fact

DEFAULT_UBATCH = 512
"""Tokens of a micro-batch where the log states none: llama.cpp's default."""

PADDING = 256
"""llama.cpp rounds the cells of a cache up to a multiple of this."""

_CELLS = re.compile(r"(\d+(?:\.\d+)? MiB) \( ?(\d+) cells")


class Shape(Struct, frozen=True):
    """What of a model decides its KV cache: layers, and elements of one token's K and V, summed over all layers.

    Of windowed layers (`windowed` of all `layers`) the cache holds only the last `window` tokens.
    """

    layers: int
    key_elements: int
    value_elements: int
    key_type: str = "f16"
    value_type: str = "f16"
    window: int = 0
    windowed: int = 0


class Cells(Struct, frozen=True):
    """Caches that the program has reported: bytes of each token of the context, and bytes that do not grow with it."""

    bytes_per_token: float
    fixed_bytes: int
    source: Fact


def derive(evidence: Evidence) -> None:
    """Adds derived.kv_bytes_per_token, and derived.kv_bytes for the context that the log states."""
    shape = shape_at(evidence)
    if shape is None:
        return
    source = fact_at(evidence, "log.n_layer")
    per_token = bytes_per_token(shape)
    add(evidence, "derived.kv_bytes_per_token", per_token, source, f"{_layers(shape)} = {per_token} bytes")
    for fact in evidence.known("log.n_ctx"):
        tokens = count_at(evidence, "log.n_ctx", line_of(fact))
        if tokens:
            total = cache_bytes(shape, tokens, micro_batch(evidence, line_of(fact)))
            add(evidence, "derived.kv_bytes", total, fact, arithmetic(shape, tokens))


def bytes_per_token(shape: Shape) -> int:
    """Bytes that one token takes in all layers: elements of K x bytes of their type + elements of V x bytes of theirs.

    Llama-3-8B: 32 layers x 8 KV heads x 128 x (2 + 2) = 131072. With multi-head latent attention a row holds the
    latent and the rotated part instead: DeepSeek-V3, 61 x (512 + 64) x 2 = 70272.
    """
    return row_bytes(shape.key_type, shape.key_elements) + row_bytes(shape.value_type, shape.value_elements)


def cache_bytes(shape: Shape, tokens: int, ubatch: int = DEFAULT_UBATCH) -> int:
    """Bytes of the cache for a context of `tokens`.

    A windowed layer keeps min(tokens, window + micro-batch, rounded up to 256) tokens (llama.cpp pull request 13833).
    """
    if not shape.windowed or not shape.window:
        return bytes_per_token(shape) * tokens
    kept = min(tokens, window_tokens(shape, ubatch))
    growing = shape.layers - shape.windowed
    return bytes_per_token(shape) * (growing * tokens + shape.windowed * kept) // shape.layers


def window_tokens(shape: Shape, ubatch: int = DEFAULT_UBATCH) -> int:
    """Tokens that the cache of a windowed layer holds."""
    return -(-(shape.window + ubatch) // PADDING) * PADDING


def arithmetic(shape: Shape, tokens: int) -> str:
    """The sum in words, for a person to check."""
    most = ", at most: some layers keep a window only" if shape.window > 1 and not shape.windowed else ""
    return f"{tokens} tokens x {_layers(shape)} = {mib(bytes_per_token(shape) * tokens)}{most}"


def _layers(shape: Shape) -> str:
    keys, values = shape.key_elements // shape.layers, shape.value_elements // shape.layers
    rows = f"K {keys} {shape.key_type} + V {values} {shape.value_type}" if values else f"{keys} {shape.key_type}"
    return f"{shape.layers} layers x ({rows})"


def shape_at(evidence: Evidence, line: int = 0) -> Shape | None:
    """The shape that the log states up to a line, or None where it does not suffice to know the KV cache."""
    layers = count_at(evidence, "log.n_layer", line)
    elements = _elements(evidence, line, layers) if layers else None
    if not layers or elements is None:
        return None
    window = count_at(evidence, "log.n_swa", line) or 0
    pattern = count_at(evidence, "log.n_swa_pattern", line)
    shape = Shape(
        layers=layers,
        key_elements=elements[0],
        value_elements=elements[1],
        key_type=text_at(evidence, "log.cache_type_k", line) or "f16",
        value_type=text_at(evidence, "log.cache_type_v", line) or "f16",
        window=window,
        windowed=layers - layers // pattern if window > 1 and pattern else 0,
    )
    return shape if bytes_per_token(shape) else None


def _elements(evidence: Evidence, line: int, layers: int) -> tuple[int, int] | None:
    """Elements of one token's K and V over all layers."""
    lists = [_list(evidence, name, line, layers) for name in ("log.n_embd_k_gqa_list", "log.n_embd_v_gqa_list")]
    if lists[0]:
        return lists[0], lists[1] or lists[0]
    rank = count_at(evidence, "log.kv_lora_rank", line)
    rotated = count_at(evidence, "log.rope_dimension", line)
    keys = count_at(evidence, "log.n_embd_k_gqa", line)
    if rank and rotated and (keys is None or number_at(evidence, "log.mla_attention", line)):
        return (rank + rotated) * layers, 0
    if keys:
        return keys * layers, (count_at(evidence, "log.n_embd_v_gqa", line) or keys) * layers
    heads = _list(evidence, "log.n_head_kv_list", line, layers)
    heads = heads or (count_at(evidence, "log.n_head_kv", line) or 0) * layers
    key_size = count_at(evidence, "log.n_embd_head_k", line) or _head_size(evidence, line)
    if not heads or not key_size:
        return None
    return heads * key_size, heads * (count_at(evidence, "log.n_embd_head_v", line) or key_size)


def _head_size(evidence: Evidence, line: int) -> int | None:
    """Without a size of its own, a head has its share of the embedding."""
    width, heads = count_at(evidence, "log.n_embd", line), count_at(evidence, "log.n_head", line)
    return width // heads if width and heads else None


def _list(evidence: Evidence, name: str, line: int, layers: int) -> int:
    """The sum of a list with an item for each layer (`[8, 8, 0]`), 0 where there is none of this length."""
    items = [int(item) for item in re.findall(r"\d{1,8}", text_at(evidence, name, line))]
    return sum(items) if len(items) == layers else 0


def cells_at(evidence: Evidence) -> Cells | None:
    """What the caches take by the program's own report (`size = 1024.00 MiB ( 8192 cells, 32 layers`, or older,
    `KV self size = 1024.00 MiB` for the whole context), or None.

    A model with windowed layers has two caches; the one with the most cells grows with the context.
    """
    reported: list[tuple[int, int, Fact]] = []
    for fact in evidence.known("log.kv_cache_cells"):
        found = _CELLS.match(" ".join(str(fact.value).split()))
        size = size_bytes(found.group(1)) if found else None
        if found and size and int(found.group(2)):
            reported.append((int(found.group(2)), size, fact))
    for fact in evidence.known("log.kv_self_mib"):
        tokens, mebibytes = count_at(evidence, "log.n_ctx", line_of(fact)), figure(fact)
        if tokens and mebibytes:
            reported.append((tokens, round(mebibytes * MIB), fact))
    if not reported:
        return None
    most = max(cells for cells, _, _ in reported)
    growing = [(size, fact) for cells, size, fact in reported if cells == most]
    fixed = sum(size for cells, size, _ in reported if cells < most)
    return Cells(sum(size for size, _ in growing) / most, fixed, growing[0][1])


def micro_batch(evidence: Evidence, line: int = 0) -> int:
    """Tokens of a micro-batch."""
    return count_at(evidence, "log.n_ubatch", line) or DEFAULT_UBATCH
