"""Size of weights, and what a decode speed means in memory traffic."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from diagnose.derivations.ggml_types import bits_per_element
from diagnose.derivations.weights import bits_of_file_type, file_bytes, roofline_tokens_per_second
from diagnose.evidence import Evidence

GIB = 1 << 30
FromLog = Callable[[str], Evidence]


@pytest.mark.parametrize(
    ("name", "bits"),
    [
        ("Q4_0", 4.5), ("Q4_1", 5.0), ("Q5_0", 5.5), ("Q5_1", 6.0), ("Q8_0", 8.5), ("Q2_K", 2.625), ("Q3_K", 3.4375),
        ("Q4_K", 4.5), ("Q5_K", 5.5), ("Q6_K", 6.5625), ("IQ4_NL", 4.5), ("IQ4_XS", 4.25), ("MXFP4", 4.25),
        ("NVFP4", 4.5), ("TQ1_0", 1.6875), ("TQ2_0", 2.0625), ("IQ1_S", 1.5625), ("F16", 16.0), ("Q9_9", None),
    ],
)  # fmt: skip
def test_bits_of_a_type_follow_from_its_block(name: str, bits: float | None) -> None:
    assert bits_per_element(name) == bits


@pytest.mark.parametrize(
    ("name", "bits"),
    [
        ("Q4_K - Medium", 4.8944),
        ("Q4_K - Small", 4.6672),
        ("mostly Q4_1", 5.0),
        ("q5_k_m", 5.7036),
        ("Q6_K", 6.5633),
        ("all F32", 32.0),
        ("something new", None),
    ],
)
def test_file_type_is_read_as_programs_write_it(name: str, bits: float | None) -> None:
    assert bits_of_file_type(name) == bits


@pytest.mark.parametrize(
    ("parameters", "bits", "gib"),
    [
        (8.03e9, 4.8944, 4.58), (8.03e9, 5.7036, 5.33), (8.03e9, 6.5633, 6.14), (8.03e9, 8.5008, 7.95),
        (8.03e9, 16.0005, 14.96), (70.55e9, 4.8944, 40.2), (70.55e9, 5.7036, 46.8), (70.55e9, 6.5633, 53.9),
        (70.55e9, 8.5008, 69.8), (70.55e9, 16.0005, 131.4),
    ],
)  # fmt: skip
def test_file_size_follows_from_parameters_and_bits(parameters: float, bits: float, gib: float) -> None:
    assert file_bytes(parameters, bits) / GIB == pytest.approx(gib, rel=0.003)


@pytest.mark.parametrize(
    ("bandwidth", "weights", "kv", "expected"),
    [(102.4e9, 4.92e9, 0, 20.8), (102.4e9, 4.92e9, 0.54e9, 18.8), (17.07e9, 2.02e9, 0, 8.45)],
)
def test_roofline_is_bandwidth_by_bytes_read(bandwidth: float, weights: float, kv: float, expected: float) -> None:
    assert roofline_tokens_per_second(bandwidth, weights, kv) == pytest.approx(expected, abs=0.05)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("print_info: file size   = 4.58 GiB (4.89 BPW)\n", 4.58 * GIB),
        ("llm_load_print_meta: model size       = 807.32 MiB (8.50 BPW)\n", 807.32 * (1 << 20)),
        ("print_info: model params     = 8.03 B\nprint_info: file type   = Q4_K - Medium\n", 8.03e9 * 4.8944 / 8),
        ("internal: ftype      = 3 (mostly Q4_1)\ninternal: model size = 7B\n", 7e9 * 5 / 8),
        ("| llama 8B Q4_K - Medium | 4.58 GiB |     8.03 B | CUDA |  99 |  tg128 |  71.93 ± 1.52 |\n", 4.58 * GIB),
        ("print_info: n_layer          = 32\n", None),
    ],
)
def test_weights_are_as_stated_or_computed(text: str, expected: float | None, from_log: FromLog) -> None:
    found = from_log(text).value("derived.weight_bytes")
    assert found == (None if expected is None else pytest.approx(expected))


A100 = """
llama_model_load_internal: ftype      = 3 (mostly Q4_1)
llama_model_load_internal: model size = 7B
llama_print_timings:        eval time = {milliseconds} ms /   127 runs
"""


@pytest.mark.parametrize(("milliseconds", "gigabytes"), [("11238.94", 49.4), ("1673.04", 332.1)])
def test_speed_stands_for_a_bandwidth(milliseconds: str, gigabytes: float, from_log: FromLog) -> None:
    """llama.cpp#2641, 7B in Q4_1 on an A100: 11.3 tokens/s without offload, 75.91 with it."""
    evidence = from_log(A100.format(milliseconds=milliseconds))
    assert evidence.value("derived.decode_gigabytes_per_s") == pytest.approx(gigabytes, abs=0.2)


def test_no_bandwidth_is_claimed_of_a_mixture_of_experts(from_log: FromLog) -> None:
    evidence = from_log(A100.format(milliseconds="1673.04") + "print_info: n_expert         = 8\n")
    assert evidence.value("derived.decode_gigabytes_per_s") is None


@pytest.mark.parametrize(
    ("free", "expected"), [(24000, "Q5_K_M"), (20600, "Q4_K_M"), (17500, "Q3_K_M"), (8000, None), (48000, None)]
)
def test_the_largest_type_that_fits_is_named(free: int, expected: str | None, from_log: FromLog) -> None:
    evidence = from_log(
        f"using device CUDA0 (NVIDIA GeForce RTX 3090) - {free} MiB free\n"
        "print_info: model params     = 30.53 B\nprint_info: file size   = 30.25 GiB (8.51 BPW)\n"
    )
    assert evidence.value("derived.largest_file_type_that_fits") == expected
