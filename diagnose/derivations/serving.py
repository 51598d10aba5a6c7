"""Servers with a paged KV cache (vLLM): the longest sequence that its memory holds."""

from __future__ import annotations

from diagnose.derivations.stated import add, count_at, fact_at, size_bytes, text_at
from diagnose.evidence import Evidence

BLOCK_TOKENS = 16
"""Tokens of a block of vLLM's KV cache, by default; 378 blocks hold 6048 tokens (vllm pull request 2163)."""


def derive(evidence: Evidence) -> None:
    """Adds derived.largest_context_that_fits: as the program states it, else from blocks, else from bytes."""
    for name in ("log.kv_tokens_stored", "log.estimated_max_length"):
        stated = count_at(evidence, name)
        if stated:
            add(evidence, "derived.largest_context_that_fits", stated, fact_at(evidence, name))
            return
    blocks, longest = count_at(evidence, "log.kv_gpu_blocks"), count_at(evidence, "log.max_model_len") or 0
    if blocks and blocks * BLOCK_TOKENS < longest:
        text = f"{blocks} blocks x {BLOCK_TOKENS} tokens"
        source = fact_at(evidence, "log.kv_gpu_blocks")
        add(evidence, "derived.largest_context_that_fits", blocks * BLOCK_TOKENS, source, text)
    needed, free = text_at(evidence, "log.kv_cache_needed"), text_at(evidence, "log.kv_cache_available")
    fits = longest_sequence(longest, size_bytes(needed) or 0, size_bytes(free) or 0)
    if fits:
        source = fact_at(evidence, "log.kv_cache_needed")
        text = f"{longest} tokens x {free} / {needed}"
        add(evidence, "derived.largest_context_that_fits", fits, source, text)


def longest_sequence(tokens: int, needed_bytes: int, free_bytes: int) -> int:
    """Tokens that fit into the free memory, in whole blocks, where `tokens` need so much; 0 where none do.

    Formula: tokens x free / needed. vLLM prints 262144 tokens, 24.0 GiB needed, 3.18 GiB available and estimates 34736.
    """
    if needed_bytes <= 0 or free_bytes >= needed_bytes:
        return 0
    return int(tokens * free_bytes / needed_bytes) // BLOCK_TOKENS * BLOCK_TOKENS
