"""Timing lines of language-model programs become speeds and ratios."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from diagnose.derivations.timings import duration_seconds, expected_slow_down
from diagnose.evidence import Evidence

FromLog = Callable[[str], Evidence]

SERVER = """
slot print_timing: | prompt eval time =   13556.62 ms /  2342 tokens (    5.79 ms per token,   172.76 tokens per second)
slot print_timing: |        eval time =   41133.71 ms /   861 tokens (   47.83 ms per token,    20.91 tokens per second)
"""
OLD_WITHOUT_RATE = """
llama_print_timings: prompt eval time =  6294.68 ms /   271 tokens (   23.23 ms per token)
llama_print_timings:        eval time = 115222.19 ms /   510 runs   (  225.93 ms per token)
"""
OLLAMA = """
total duration:       1.929017s
load duration:        1.036014583s
prompt eval count:    148 token(s)
prompt eval duration: 95.572ms
prompt eval rate:     502.24 tokens/s
eval count:           84 token(s)
eval duration:        796.532ms
eval rate:            105.46 tokens/s
"""
BENCH = """
| qwen3 8B Q4_K - Medium |   4.68 GiB |     8.19 B | CUDA       |  99 |           pp512 |       3000.00 ± 3.00 |
| qwen3 8B Q4_K - Medium |   4.68 GiB |     8.19 B | CUDA       |  99 |            tg32 |         83.42 ± 0.00 |
"""
MLX = "Prompt: 1200 tokens, 512.330 tokens-per-sec\nGeneration: 100 tokens, 45.610 tokens-per-sec\n"


@pytest.mark.parametrize(
    ("text", "prefill", "decode"),
    [
        pytest.param(SERVER, 172.76, 20.93, id="llama-server"),
        pytest.param(OLD_WITHOUT_RATE, 43.05, 4.43, id="llama.cpp that prints no rate"),
        pytest.param(OLLAMA, 502.24, 105.46, id="ollama --verbose"),
        pytest.param(BENCH, 3000.0, 83.42, id="llama-bench"),
        pytest.param(MLX, 512.33, 45.61, id="mlx"),
        pytest.param("Prefill: 83.20 tok/s\nDecode: 20.10 tok/s\n", 83.2, 20.1, id="other programs"),
    ],
)
def test_speeds_are_read_in_the_forms_that_programs_print(
    text: str, prefill: float, decode: float, from_log: FromLog
) -> None:
    evidence = from_log(text)
    assert evidence.value("derived.prefill_tokens_per_second") == pytest.approx(prefill, abs=0.01)
    assert evidence.value("derived.decode_tokens_per_second") == pytest.approx(decode, abs=0.01)
    assert evidence.value("derived.prefill_to_decode_ratio") == pytest.approx(prefill / decode, rel=0.001)


def test_the_longest_run_speaks_for_the_speed(from_log: FromLog) -> None:
    first = "prompt eval time = 90.00 ms / 12 tokens\n       eval time = 0.01 ms / 1 runs\n"
    warm_up = "prompt eval time = 900.00 ms / 120 tokens\n       eval time = 9000.00 ms / 20 runs\n"
    evidence = from_log(first + warm_up + SERVER)
    assert evidence.value("derived.prefill_tokens_per_second") == pytest.approx(172.76, abs=0.01)
    assert evidence.value("derived.decode_tokens_per_second") == pytest.approx(20.93, abs=0.01)


def test_a_short_prompt_says_nothing_of_prefill(from_log: FromLog) -> None:
    short = SERVER.replace("2342 tokens", "  12 tokens")
    assert from_log(short).value("derived.prefill_to_decode_ratio") is None


@pytest.mark.parametrize(
    ("text", "seconds"),
    [
        pytest.param("Mean TTFT (ms):                          182.50\n", 0.1825, id="vllm bench"),
        pytest.param("time to first token: 2.75 s\n", 2.75, id="in words"),
        pytest.param(SERVER, 13.5566, id="the time of the prefill"),
    ],
)
def test_time_to_first_token(text: str, seconds: float, from_log: FromLog) -> None:
    assert from_log(text).value("derived.time_to_first_token_s") == pytest.approx(seconds, abs=0.001)


@pytest.mark.parametrize(
    ("text", "milliseconds"),
    [("Mean TPOT (ms):                          12.34\n", 12.34), (SERVER, 47.774), (OLLAMA, 9.482)],
)
def test_time_per_token(text: str, milliseconds: float, from_log: FromLog) -> None:
    assert from_log(text).value("derived.decode_ms_per_token") == pytest.approx(milliseconds, abs=0.001)


@pytest.mark.parametrize(
    ("text", "seconds"), [("204.563ms", 0.204563), ("1m2.5s", 62.5), ("2h3m", 7380.0), ("12µs", 1.2e-5), ("", 0.0)]
)
def test_durations_of_go(text: str, seconds: float) -> None:
    assert duration_seconds(text) == pytest.approx(seconds)


def bench(*rows: tuple[int, float]) -> str:
    return "".join(
        f"|  {f'tg32 @ d{depth}' if depth else 'tg32':>20} |  {speed:.2f} ± 0.00 |\n" for depth, speed in rows
    )


def progress(*rows: tuple[int, float]) -> str:
    return "".join(
        f"slot print_timing: id 0 | task 0 | n_decoded = {tokens:6}, tg = 30.54 t/s, tg_3s = {speed:6.2f} t/s\n"
        for tokens, speed in rows
    )


def requests(*rows: tuple[int, int, float]) -> str:
    return "".join(
        f"prompt eval time = 100.00 ms / {prompt} tokens\n"
        f"       eval time = {made * 1000 / speed:.2f} ms / {made} tokens\n"
        for prompt, made, speed in rows
    )


@pytest.mark.parametrize(
    ("text", "slow_down", "slows"),
    [
        pytest.param(bench((0, 83.42), (4096, 75.85), (8192, 69.58)), 1.199, False, id="turboquant#21"),
        pytest.param(bench((0, 60.0), (16384, 6.0)), 10.0, True, id="attention on the CPU"),
        pytest.param(progress((500, 40.0), (2500, 25.0), (9000, 12.5)), 3.2, True, id="within one answer"),
        pytest.param(requests((200, 100, 40.0), (2000, 100, 30.0), (9000, 100, 16.0)), 2.5, True, id="over requests"),
        pytest.param(bench((0, 83.42)), None, None, id="one length"),
        pytest.param(progress((500, 40.0), (600, 38.0), (700, 37.0)), None, None, id="hardly longer"),
        pytest.param(requests((200, 100, 40.0), (9000, 100, 16.0)), None, None, id="two requests may differ otherwise"),
    ],
)
def test_slow_down_with_length(text: str, slow_down: float | None, slows: bool | None, from_log: FromLog) -> None:
    evidence = from_log(text)
    found = evidence.value("derived.decode_slowdown")
    assert found == (None if slow_down is None else pytest.approx(slow_down, abs=0.002))
    assert evidence.value("derived.decode_slows_with_length") is slows


def test_reading_the_cache_explains_a_part_of_the_slow_down(from_log: FromLog) -> None:
    """Llama-3.1-8B in Q4_K_M: 4.92 GB of weights, 2.15 GB of cache at 16384 tokens."""
    shape = (
        "print_info: n_layer = 32\nprint_info: n_embd_k_gqa     = 1024\nprint_info: file size   = 4.58 GiB (4.89 BPW)\n"
    )
    evidence = from_log(shape + bench((0, 60.0), (16384, 20.0)))
    assert evidence.value("derived.decode_slowdown_expected") == pytest.approx(1.436, abs=0.002)
    assert evidence.value("derived.decode_slowdown_unexplained") == pytest.approx(3.0 / 1.436, abs=0.005)


def test_expected_slow_down_is_the_ratio_of_the_bytes_read() -> None:
    assert expected_slow_down(5e9, 0.0, 5e9) == 2.0
