"""The longest sequence that vLLM's KV cache holds."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from diagnose.derivations.serving import longest_sequence
from diagnose.evidence import Evidence

FromLog = Callable[[str], Evidence]
GIB = 1 << 30

NEEDS = (
    "ValueError: To serve at least one request with the models's max seq len ({tokens}), "
    "({needed} GiB KV cache is needed, which is larger than the available KV cache memory ({free} GiB). "
)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        pytest.param(
            "ValueError: The model's max seq len (32768) is larger than the maximum number of tokens "
            "that can be stored in KV cache (7344).",
            7344,
            id="stated, Qwen3#295",
        ),
        pytest.param(
            NEEDS.format(tokens=131072, needed="16.00", free="0.71") + "the estimated maximum model length is 5632.",
            5632,
            id="estimated by vLLM",
        ),
        pytest.param(NEEDS.format(tokens=262144, needed="24.0", free="3.18"), 34720, id="from bytes, vllm#34076"),
        pytest.param("max_seq_len=8192\n# GPU blocks: 378, # CPU blocks: 512", 6048, id="from blocks, vllm#2163"),
        pytest.param("max_seq_len=4096\n# GPU blocks: 3780, # CPU blocks: 512", None, id="enough blocks"),
    ],
)
def test_longest_sequence_of_a_log(text: str, expected: int | None, from_log: FromLog) -> None:
    assert from_log(text + "\n").value("derived.largest_context_that_fits") == expected


@pytest.mark.parametrize(
    ("tokens", "needed", "free", "stated"),
    [(262144, 24.0, 3.18, 34736), (1048576, 22.5, 17.39, 810208)],
    ids=["vllm#34076", "kaito#2132"],
)
def test_share_of_bytes_is_the_share_of_tokens(tokens: int, needed: float, free: float, stated: int) -> None:
    """vLLM's own estimates, from figures that it prints rounded."""
    assert longest_sequence(tokens, round(needed * GIB), round(free * GIB)) == pytest.approx(stated, rel=0.001)


def test_nothing_fits_into_nothing() -> None:
    assert longest_sequence(4096, GIB, 0) == 0
    assert longest_sequence(4096, 0, GIB) == 0
