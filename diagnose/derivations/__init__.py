"""Facts from facts: numbers that a log states, computed with the field's formulas. Nothing here looks, nothing judges.

A log states a byte count, a shape, a time; what follows from them (which buffer it is, which context fits, how many
bytes per second a speed stands for) is a fact of its own, which rules judge. `derive` is cheap where nothing that it
needs is known: only the modules whose facts are there are loaded.
"""

from __future__ import annotations

from diagnose.evidence import Evidence

TIMINGS = frozenset(
    {
        "log.prefill_timing",
        "log.decode_timing",
        "log.bench_row",
        "log.decode_progress",
        "log.prefill_rate",
        "log.decode_rate",
        "log.time_to_first_token_ms",
        "log.time_to_first_token_s",
        "log.time_per_token_ms",
        "log.load_duration",
    }
)
MODELS = frozenset({"log.n_layer", "log.model_size", "log.model_parameters", "log.kv_cache_cells", "log.kv_self_mib"})
SERVING = frozenset({"log.kv_tokens_stored", "log.kv_gpu_blocks", "log.kv_cache_needed", "log.estimated_max_length"})
ALLOCATIONS = frozenset({"log.failed_allocation_bytes", "log.failed_allocation_mib", "log.failed_buffer_size"})
SIZES = frozenset(
    {
        "log.bytes_got",
        "log.failed_allocation_bytes",
        "log.torch_asked",
        "log.tensor_shape",
        "log.frame_size",
        "log.cma_pages",
    }
)
CODES = frozenset({"log.exit_code", "log.error_number", "log.ffmpeg_code", "log.http_status"})


def derive(evidence: Evidence) -> None:
    """Adds the facts that follow from those of the evidence. Called again on more evidence, it adds what is new."""
    known = set(evidence.names())
    if known & TIMINGS:
        from diagnose.derivations import timings

        timings.derive(evidence)
    if known & MODELS:
        from diagnose.derivations import kv_cache, weights

        kv_cache.derive(evidence)
        weights.derive(evidence)
    if known & (MODELS | ALLOCATIONS):
        from diagnose.derivations import allocations

        allocations.derive(evidence)
    if known & SERVING:
        from diagnose.derivations import serving

        serving.derive(evidence)
    if known & SIZES:
        from diagnose.derivations import sizes

        sizes.derive(evidence)
    if "log.torch_asked" in known:
        from diagnose.derivations import torch_memory

        torch_memory.derive(evidence)
    if "log.transcript_segment" in known:
        from diagnose.derivations import repeats

        repeats.derive(evidence)
    if known & CODES:
        from diagnose.derivations import codes

        codes.derive(evidence)
