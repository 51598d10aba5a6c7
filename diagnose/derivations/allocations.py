"""An allocation that failed says by its size which buffer it is, and what would fit into the memory that is there.

llama.cpp allocates weights, KV cache and compute buffer in this order. Their sizes follow from the model's shape and
the settings, so that a byte count can be compared with each of them (`classified` states the tolerances).
"""

from __future__ import annotations

from msgspec import Struct

from diagnose.derivations.kv_cache import (
    PADDING,
    Shape,
    arithmetic,
    bytes_per_token,
    cache_bytes,
    cells_at,
    micro_batch,
    shape_at,
    window_tokens,
)
from diagnose.derivations.stated import (
    GIB,
    MIB,
    add,
    count_at,
    fact_at,
    figure,
    line_of,
    mib,
    number_at,
    numbers,
    size_bytes,
)
from diagnose.derivations.weights import weight_bytes
from diagnose.evidence import Evidence, Fact

SLACK_BYTES = 64 << 10
"""KV buffers are known to the byte; this is for the alignment of their tensors and for sizes printed in MiB."""

COMPUTE_SHARE = (0.97, 1.35)
"""A compute buffer holds the attention scores and, beside them, smaller tensors: up to a third more."""

WEIGHTS_SHARE = (0.90, 1.04)
"""Weights on one device lack what stays on the CPU (the embeddings)."""

RESERVE_BYTES = 512 * MIB
"""Kept free when computing what fits: logits and the driver's own context."""

LONGEST_CONTEXT = 1 << 24

CPU_ALIGNMENT = 32
"""Bytes that ggml adds to a buffer of the CPU (TENSOR_ALIGNMENT, ggml/src/ggml-backend.cpp)."""

USUAL_HEADS = 32
"""Attention heads of a model that the log does not describe: those of most models of 7 to 9 billion parameters."""


class Room(Struct, frozen=True):
    """Memory of the device that a cache is to fit into: free before anything was loaded, and taken by weights."""

    free_bytes: float
    weight_bytes: float
    share: float
    """Of the layers that are on this device."""
    source: Fact


def derive(evidence: Evidence) -> None:
    """Adds derived.failed_buffer for each failed allocation, and the settings that would fit."""
    for failed, size in failures(evidence):
        buffer, text = classified(evidence, size, line_of(failed))
        if buffer:
            add(evidence, "derived.failed_buffer", buffer, failed, text)
    last = failures(evidence)[-1:]
    line = line_of(last[0][0]) if last else 0
    tokens = count_at(evidence, "log.n_ctx", line)
    if tokens:
        size, text = compute_bytes(evidence, tokens, line)
        if size:
            add(evidence, "derived.compute_buffer_bytes", size, fact_at(evidence, "log.n_ctx", line), text)
    _settings_that_fit(evidence, line)


def failures(evidence: Evidence) -> list[tuple[Fact, int]]:
    """The allocations that failed, with their sizes in bytes, in the order of their lines."""
    found = [(fact, _bytes(fact)) for fact in evidence.known("log.failed_allocation_bytes")]
    found += [(fact, _bytes(fact, MIB)) for fact in evidence.known("log.failed_allocation_mib")]
    found += [(fact, size_bytes(str(fact.value)) or 0) for fact in evidence.known("log.failed_buffer_size")]
    return sorted(((fact, size) for fact, size in found if size > 0), key=lambda item: line_of(item[0]))


def _bytes(fact: Fact, unit: int = 1) -> int:
    return round((figure(fact) or 0) * unit)


def classified(evidence: Evidence, size: int, line: int) -> tuple[str, str]:
    """kv, compute, weights or unknown for an allocation of `size` bytes, with the sum; ("", "") where nothing is known
    to compare it with.

    kv:      within 64 KiB of the cache, or of the cache of a whole number of its layers (the rest is elsewhere)
    compute: 0.97 to 1.35 times the attention scores, where flash attention is not on
    weights: 0.90 to 1.04 times the weights that are offloaded, where none were loaded before
    """
    shape, tokens = shape_at(evidence, line), count_at(evidence, "log.n_ctx", line)
    text = _as_cache(shape, size, tokens, micro_batch(evidence, line)) if shape else _as_unknown_cache(size, tokens)
    if text:
        return "kv", text
    scores, sum_text = compute_bytes(evidence, tokens, line) if tokens else (0, "")
    copies = count_at(evidence, "log.n_copies", line) or 1
    is_compute = scores and COMPUTE_SHARE[0] <= size / scores <= COMPUTE_SHARE[1] * copies
    loaded = any(0 < line_of(fact) < line for fact in evidence.known("log.device_weights_mib"))
    weights = 0.0 if loaded else weight_bytes(evidence) * offloaded_share(evidence)
    is_weights = weights and WEIGHTS_SHARE[0] <= size / weights <= WEIGHTS_SHARE[1]
    if is_compute and not is_weights:
        return "compute", f"{mib(size)}: {sum_text}"
    if is_weights and not is_compute:
        return "weights", f"{mib(size)}: weights of {mib(weights)} to be offloaded"
    return ("unknown", "") if (shape and tokens) or scores or weights else ("", "")


def _as_cache(shape: Shape, size: int, tokens: int | None, ubatch: int) -> str:
    """How the size is the cache of some layers, or "". Without a stated context, of a multiple of 256 tokens."""
    if tokens is None:
        per_token = bytes_per_token(shape)
        found = round(size / per_token / PADDING) * PADDING
        exact = 2048 <= found <= LONGEST_CONTEXT and abs(size - found * per_token) <= SLACK_BYTES
        return arithmetic(shape, found) if exact else ""
    for held in dict.fromkeys((tokens, -(-tokens // PADDING) * PADDING, window_tokens(shape, ubatch))):
        per_layer = bytes_per_token(shape) * held / shape.layers
        layers = round(size / per_layer)
        if 1 <= layers <= shape.layers and abs(size - layers * per_layer) <= min(SLACK_BYTES, per_layer / 8):
            part = "" if layers == shape.layers else f", {layers} of the layers in this buffer: {mib(size)}"
            return arithmetic(shape, held) + part
    return ""


def _as_unknown_cache(size: int, tokens: int | None) -> str:
    """Without a shape: a long context divides the size, but for the 32 bytes of alignment that a CPU's buffer has.

    llama.cpp#8101: 137438953504 = 1048576 tokens x 131072 bytes + 32.
    """
    if not tokens or tokens < 16384:
        return ""
    each, rest = divmod(size, tokens)
    if rest != CPU_ALIGNMENT or each % 1024 or not 4096 <= each <= 4 * MIB:
        return ""
    return f"{size} = {tokens} tokens x {each} bytes + {rest}"


def compute_bytes(evidence: Evidence, tokens: int, line: int = 0) -> tuple[int, str]:
    """Bytes of the attention scores of one micro-batch, the largest part of a compute buffer, and the sum; 0 where the
    heads are not known or flash attention, which needs no such buffer, is on.

    Formula: context x micro-batch x attention heads x 4 bytes. llama.cpp#10251: 131072 x 6500 x 40 x 4 = 136.3 GB.
    """
    heads = count_at(evidence, "log.n_head", line)
    if not heads or has_flash_attention(evidence, line):
        return 0, ""
    ubatch = micro_batch(evidence, line)
    size = tokens * ubatch * heads * 4
    return size, f"{tokens} tokens x {ubatch} x {heads} heads x 4 bytes = {mib(size)}"


def compute_bytes_per_token(evidence: Evidence, tokens: int, line: int = 0) -> float:
    """What a compute buffer grows by with each token of context: as reported, else by formula.

    With flash attention only the mask grows, micro-batch x 2 bytes (unsloth#7637).
    """
    reported = max(numbers(evidence, "log.compute_buffer_mib"), default=0.0)
    if reported:
        return reported * MIB / tokens
    if has_flash_attention(evidence, line):
        return micro_batch(evidence, line) * 2
    return micro_batch(evidence, line) * (count_at(evidence, "log.n_head", line) or USUAL_HEADS) * 4


def has_flash_attention(evidence: Evidence, line: int = 0) -> bool:
    """Whether the log says that flash attention is on; `auto` turns it on where the device can."""
    fact = fact_at(evidence, "log.flash_attention", line)
    return fact is not None and str(fact.value).lower() in ("1", "on", "true", "enabled", "auto")


def offloaded_share(evidence: Evidence) -> float:
    """The share of the model's layers that are on the GPU: 1 where the log does not say."""
    done, total = number_at(evidence, "log.layers_offloaded"), number_at(evidence, "log.layers_total")
    return min(1.0, done / total) if done is not None and total else 1.0


def largest_context(room_bytes: float, kv_bytes_per_token: float, compute_bytes_per_token: float = 0.0) -> int:
    """The longest context, in steps of 256 tokens, whose cache and compute buffer fit into `room_bytes`."""
    each = kv_bytes_per_token + compute_bytes_per_token
    return max(0, int(room_bytes / each)) // PADDING * PADDING if each > 0 else 0


def _settings_that_fit(evidence: Evidence, line: int) -> None:
    """Adds the context and the number of layers that fit, where they are fewer than were asked for."""
    room, shape, cells = _room(evidence, line), shape_at(evidence, line), cells_at(evidence)
    tokens = count_at(evidence, "log.n_ctx", line)
    if room is None or not tokens or (shape is None and cells is None):
        return
    per_token, fixed = _growth(shape, micro_batch(evidence, line)) if shape else (0.0, 0.0)
    if cells is not None:
        per_token, fixed = cells.bytes_per_token, cells.fixed_bytes
    scores = compute_bytes_per_token(evidence, tokens, line)
    left = room.free_bytes - room.weight_bytes - RESERVE_BYTES
    fits = largest_context(left - fixed * room.share, per_token * room.share, scores)
    sums = f"{mib(room.free_bytes)} free - {mib(room.weight_bytes)} weights - {mib(RESERVE_BYTES)} reserve"
    if 2 * PADDING <= fits < tokens:
        text = f"({sums}) / {per_token * room.share + scores:.0f} bytes per token"
        add(evidence, "derived.largest_context_that_fits", fits, room.source, text)
    _layers_that_fit(evidence, room, per_token * tokens + fixed, scores * tokens)


def _growth(shape: Shape, ubatch: int) -> tuple[float, float]:
    """Bytes that each further token takes, and bytes of the windowed layers, which do not grow."""
    if not shape.windowed:
        return float(bytes_per_token(shape)), 0.0
    base = window_tokens(shape, ubatch)
    slope = (cache_bytes(shape, base + PADDING, ubatch) - cache_bytes(shape, base, ubatch)) / PADDING
    return slope, cache_bytes(shape, base, ubatch) - slope * base


def _layers_that_fit(evidence: Evidence, room: Room, kv_bytes: float, scores: float) -> None:
    """Formula: (free - reserve - compute buffer) / (weights + KV cache of one layer)."""
    layers = count_at(evidence, "log.layers_total") or (count_at(evidence, "log.n_layer") or -1) + 1
    weights = weight_bytes(evidence)
    if not weights or not layers:
        return
    left = room.free_bytes - RESERVE_BYTES - scores
    fits = max(0, int(left / ((weights + kv_bytes) / layers)))
    asked = round(offloaded_share(evidence) * layers)
    if fits < asked:
        text = f"({mib(room.free_bytes)} free - {mib(RESERVE_BYTES + scores)}) / {mib((weights + kv_bytes) / layers)}"
        add(evidence, "derived.layers_that_fit", fits, room.source, f"{text} a layer with its cache")


def _room(evidence: Evidence, line: int) -> Room | None:
    """The memory of the device whose allocation failed: a GPU's, or the system's for buffers of the CPU."""
    device = fact_at(evidence, "log.failed_device", line)
    share = offloaded_share(evidence)
    free = 0.0
    on_cpu = device is not None and str(device.value).lower().startswith("cpu")
    if on_cpu or share == 0:
        source = fact_at(evidence, "log.system_memory_free_gib", line)
        share = 1.0
        free = _bytes(source, GIB) if source is not None else 0
    else:
        source, free = _gpu_memory(evidence, line)
    if source is None or not free:
        return None
    stated = sum(numbers(evidence, "log.device_weights_mib")) * MIB
    return Room(free, stated if stated and not on_cpu else weight_bytes(evidence) * share, share, source)


def _gpu_memory(evidence: Evidence, line: int) -> tuple[Fact | None, float]:
    """Free memory of all GPUs together, or what macOS lets the GPU use.

    More free memory than there is (unified memory seen where there is none, llama.cpp#17536) is no figure to count on.
    """
    totals, free = numbers(evidence, "log.gpu_total_mib"), numbers(evidence, "log.gpu_free_mib")
    if totals and free and max(free) > max(totals):
        return None, 0
    for name, unit in (
        ("log.metal_limit_mib", MIB),
        ("log.gpu_free_mib", MIB),
        ("log.gpu_memory_available_gib", GIB),
        ("log.metal_working_set_mb", 10**6),
    ):
        found = numbers(evidence, name)
        if found:
            several = name == "log.gpu_free_mib"
            return fact_at(evidence, name, line), (sum(found) if several else found[0]) * unit
    return None, 0
