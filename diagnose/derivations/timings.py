"""Timing lines of language-model programs: prefill and decode, and how decode changes with length.

Prefill reads the whole prompt at once and is bound by computation; decode makes one token after the other and is bound
by memory bandwidth. Their ratio, and the way decode slows down, say which part runs in the wrong place.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from msgspec import Struct

from diagnose.derivations.kv_cache import bytes_per_token, shape_at
from diagnose.derivations.stated import add, count_at, fact_at, figure, line_of, number_at
from diagnose.derivations.weights import roofline_tokens_per_second, weight_bytes
from diagnose.evidence import Evidence, Fact

SHORT_PROMPT = 100
"""Tokens below which the time of a prefill is mostly overhead."""

SHORT_RUN = 8
"""Tokens below which the time of a generation says little of its speed."""

GROWTH = 2.0
GROWTH_TOKENS = 1000
"""The longest measured length must be so many times, and so many tokens, longer than the shortest."""

SLOW_DOWN = 1.5
"""Decode is said to slow down with length where it is so many times slower at the longest as at the shortest length."""

MIXED_RUNS = 3
"""Measurements needed where each is of another request; two are enough where a benchmark states the depth."""

_NUMBER = re.compile(r"\d+(?:\.\d+)?")
_BENCH = re.compile(r"(pp|tg)(\d+)(?: @ d(\d+))?\s*\|\s*(\d+\.\d+)")
_DURATION = re.compile(r"(\d+(?:\.\d+)?)(h|ms|m|µs|us|s)")
_SECONDS = {"h": 3600.0, "m": 60.0, "s": 1.0, "ms": 1e-3, "µs": 1e-6, "us": 1e-6}


class Speed(Struct, frozen=True):
    """Tokens per second of a run, how many tokens it processed, and where that stands."""

    tokens: int
    per_second: float
    fact: Fact


def derive(evidence: Evidence) -> None:
    """Adds speeds (of the longest run of each kind), time to first token, ratio, and slow-down with length."""
    prefills = list(_prefills(evidence))
    decodes = [speed for speed in _decodes(evidence) if speed.tokens >= SHORT_RUN]
    prefill = max((s for s in prefills if s.tokens >= SHORT_PROMPT), key=lambda speed: speed.tokens, default=None)
    decode = max(decodes, key=lambda speed: speed.tokens, default=None)
    for name, speed in (("derived.prefill_tokens_per_second", prefill), ("derived.decode_tokens_per_second", decode)):
        if speed is not None:
            add(evidence, name, round(speed.per_second, 3), speed.fact, f"{speed.tokens} tokens")
    if prefill is not None and decode is not None:
        text = f"{prefill.per_second:.4g} / {decode.per_second:.4g} tokens/s"
        ratio = round(prefill.per_second / decode.per_second, 3)
        add(evidence, "derived.prefill_to_decode_ratio", ratio, prefill.fact, text)
    _latencies(evidence, prefills, decode)
    _slow_down(evidence, decodes)


def _prefills(evidence: Evidence) -> Iterator[Speed]:
    for fact in evidence.known("log.prefill_timing"):
        yield from _timed(fact)
    for fact in evidence.known("log.bench_row"):
        found = _BENCH.match(str(fact.value))
        if found and found.group(1) == "pp" and float(found.group(4)) > 0:
            yield Speed(int(found.group(2)), float(found.group(4)), fact)
    yield from _stated(evidence, "log.prefill_rate", "log.prefill_count")


def _decodes(evidence: Evidence) -> Iterator[Speed]:
    for fact in evidence.known("log.decode_timing"):
        yield from _timed(fact)
    for fact in evidence.known("log.bench_row"):
        found = _BENCH.match(str(fact.value))
        if found and found.group(1) == "tg" and float(found.group(4)) > 0:
            yield Speed(int(found.group(2)), float(found.group(4)), fact)
    yield from _stated(evidence, "log.decode_rate", "log.decode_count")


def _timed(fact: Fact) -> Iterator[Speed]:
    """`812.31 ms / 1200 tokens`. Formula: tokens x 1000 / milliseconds."""
    found = [float(number) for number in _NUMBER.findall(str(fact.value))[:2]]
    if len(found) == 2 and found[0] > 0 and found[1] >= 1:
        yield Speed(int(found[1]), found[1] * 1000 / found[0], fact)


def _stated(evidence: Evidence, rate: str, count: str) -> Iterator[Speed]:
    """Rates that are printed as such; the number of tokens stands in a line before them (Ollama) or nowhere."""
    for fact in evidence.known(rate):
        speed = figure(fact)
        if speed is not None and speed > 0:
            yield Speed(count_at(evidence, count, line_of(fact)) or SHORT_PROMPT, float(speed), fact)


def _latencies(evidence: Evidence, prefills: list[Speed], decode: Speed | None) -> None:
    """Time to first token: as stated, else the time of the prefill. Time per token: 1000 / tokens per second."""
    first = number_at(evidence, "log.time_to_first_token_ms")
    seconds = number_at(evidence, "log.time_to_first_token_s")
    if first is not None:
        source = fact_at(evidence, "log.time_to_first_token_ms")
        add(evidence, "derived.time_to_first_token_s", round(first / 1000, 4), source)
    elif seconds is not None:
        add(evidence, "derived.time_to_first_token_s", seconds, fact_at(evidence, "log.time_to_first_token_s"))
    elif prefills:
        speed = prefills[0]
        text = f"{speed.tokens} tokens at {speed.per_second:.4g} tokens/s"
        add(evidence, "derived.time_to_first_token_s", round(speed.tokens / speed.per_second, 4), speed.fact, text)
    each = number_at(evidence, "log.time_per_token_ms")
    if each is not None:
        add(evidence, "derived.decode_ms_per_token", each, fact_at(evidence, "log.time_per_token_ms"))
    elif decode is not None:
        add(evidence, "derived.decode_ms_per_token", round(1000 / decode.per_second, 3), decode.fact)
    load = fact_at(evidence, "log.load_duration")
    if load is not None:
        add(evidence, "derived.load_s", round(duration_seconds(str(load.value)), 3), load)


def duration_seconds(text: str) -> float:
    """Seconds of a duration as Go prints it (`1m2.5s`, `204.563ms`)."""
    return sum(float(number) * _SECONDS[unit] for number, unit in _DURATION.findall(text))


def _slow_down(evidence: Evidence, decodes: list[Speed]) -> None:
    """Adds derived.decode_slowdown, whether that is much, and how much reading the KV cache explains."""
    series = _by_length(evidence, decodes)
    if len(series) < 2:
        return
    short, long = series[0], series[-1]
    if long.tokens < short.tokens * GROWTH or long.tokens - short.tokens < GROWTH_TOKENS:
        return
    slower = short.per_second / long.per_second
    text = f"{short.per_second:.4g} tokens/s at {short.tokens} tokens, {long.per_second:.4g} at {long.tokens}"
    add(evidence, "derived.decode_slowdown", round(slower, 3), long.fact, text)
    add(evidence, "derived.decode_slows_with_length", slower >= SLOW_DOWN, long.fact, text)
    shape, weights = shape_at(evidence), weight_bytes(evidence)
    if shape is not None and weights:
        each = bytes_per_token(shape)
        expected = expected_slow_down(weights, each * short.tokens, each * long.tokens)
        text = f"weights {weights:.4g} bytes, KV cache {each} bytes per token"
        add(evidence, "derived.decode_slowdown_expected", round(expected, 3), long.fact, text)
        ratio = f"{slower:.4g} / {expected:.4g} that reading the KV cache explains"
        add(evidence, "derived.decode_slowdown_unexplained", round(slower / expected, 3), long.fact, ratio)


def expected_slow_down(weights: float, kv_bytes_short: float, kv_bytes_long: float) -> float:
    """How many times slower decode gets by reading the KV cache alone: the ratio of the two rooflines."""
    return roofline_tokens_per_second(1.0, weights, kv_bytes_short) / roofline_tokens_per_second(
        1.0, weights, kv_bytes_long
    )


def _by_length(evidence: Evidence, decodes: list[Speed]) -> list[Speed]:
    """Speeds of decode by length of context, shortest first, of the kind of line that states lengths best."""
    depths = [_depth(fact) for fact in evidence.known("log.bench_row")]
    bench = [speed for speed in depths if speed is not None]
    if len(bench) > 1:
        return sorted(bench, key=lambda speed: speed.tokens)
    progress = [speed for fact in evidence.known("log.decode_progress") for speed in _progress(fact)]
    if len(progress) >= MIXED_RUNS:
        return sorted(progress, key=lambda speed: speed.tokens)
    requests = [_with_prompt(evidence, speed) for speed in decodes if speed.fact.name == "log.decode_timing"]
    return sorted(requests, key=lambda speed: speed.tokens) if len(requests) >= MIXED_RUNS else []


def _depth(fact: Fact) -> Speed | None:
    """llama-bench: `tg128 @ d8192 | 69.58` generates behind a context of 8192 tokens."""
    found = _BENCH.match(str(fact.value))
    if found is None or found.group(1) != "tg" or float(found.group(4)) <= 0:
        return None
    return Speed(int(found.group(3) or 0) + int(found.group(2)) // 2, float(found.group(4)), fact)


def _progress(fact: Fact) -> Iterator[Speed]:
    """llama-server: `1081, tg = 12.93 t/s, tg_3s = 12.57`, tokens so far, mean speed, speed of the last 3 seconds."""
    found = _NUMBER.findall(re.sub(r"tg_3s", "", str(fact.value)))
    if len(found) >= 3 and float(found[2]) > 0:
        yield Speed(int(float(found[0])), float(found[2]), fact)


def _with_prompt(evidence: Evidence, speed: Speed) -> Speed:
    """A request's decode at the length of its context: prompt, as stated just before, and half of what was made."""
    prompt = fact_at(evidence, "log.prefill_timing", line_of(speed.fact))
    stated = _NUMBER.findall(str(prompt.value))[:2] if prompt is not None else []
    before = int(float(stated[1])) if len(stated) == 2 else 0
    return Speed(before + speed.tokens // 2, speed.per_second, speed.fact)
