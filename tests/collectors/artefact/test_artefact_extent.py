"""Whole files are whole, cut files are cut, and no damage makes a reader raise, hang or eat memory."""

from __future__ import annotations

import io
import tracemalloc

import pytest
from artefact_builders import (
    WHOLE,
    gguf,
    hdf5,
    npy,
    onnx,
    rknn,
    safetensors,
    sentencepiece,
    tflite,
    tokenizer,
    torch_legacy,
    zip_of,
)
from hypothesis import given, settings
from hypothesis import strategies as st

from diagnose.collectors import artefact
from diagnose.evidence import Fact, Value

EVERY = WHOLE | {
    "torch-legacy": torch_legacy({"a": 1}),
    "sentencepiece": sentencepiece(2, 1),
    "json": tokenizer(["a b"]),
    "tensorrt-plan": b"ptrt\x61\0\0\0",
}


def facts_of(format_: str, content: bytes) -> list[Fact]:
    return artefact.collect(io.BytesIO(content), len(content), format_)


def value(format_: str, content: bytes, name: str) -> Value | None:
    return next((fact.value for fact in facts_of(format_, content) if fact.name == name), None)


@pytest.mark.parametrize("format_", WHOLE)
def test_whole_file_is_neither_truncated_nor_damaged(format_: str) -> None:
    facts = facts_of(format_, WHOLE[format_])
    assert [fact.value for fact in facts if fact.name == "artefact.truncated"] == [False]
    assert not [fact for fact in facts if fact.name in ("artefact.damage", "artefact.surplus_bytes")]


@pytest.mark.parametrize("format_", sorted(WHOLE.keys() - {"tar", "ncnn-param"}))
def test_file_without_its_last_byte_is_truncated(format_: str) -> None:
    assert value(format_, WHOLE[format_][:-1], "artefact.truncated") is True


@pytest.mark.parametrize("format_", sorted(WHOLE))
def test_file_cut_in_half_is_truncated(format_: str) -> None:
    content = WHOLE[format_]
    half = content[: 512 + 700] if format_ == "tar" else content[: len(content) // 2]
    assert value(format_, half, "artefact.truncated") is True or value(format_, half, "artefact.damage")


@pytest.mark.parametrize(
    ("format_", "content", "missing"),
    [
        ("gguf", gguf()[:-10], 10),
        ("safetensors", safetensors()[:-10], 10),
        ("onnx", onnx(opsets_last=False)[:-10], 10),
        ("tflite", tflite(32)[:-10], 10),
        ("hdf5", hdf5(eof=2048, actual=2000), 48),
        ("hdf5", hdf5(eof=2048, actual=2000, version=2), 48),
        ("hdf5", hdf5(eof=2048, actual=2500, user_block=512), 60),
        ("npy", npy()[:-10], 10),
        ("rknn", rknn(16, 26), 10),
        ("safetensors", b"\x40\0\0", 5),
    ],
)
def test_missing_bytes_are_counted(format_: str, content: bytes, missing: int) -> None:
    assert value(format_, content, "artefact.missing_bytes") == missing


@pytest.mark.parametrize(("format_", "content"), [("safetensors", safetensors() + b"x"), ("npy", npy() + b"x")])
def test_surplus_bytes_are_counted_where_the_format_forbids_them(format_: str, content: bytes) -> None:
    assert value(format_, content, "artefact.surplus_bytes") == 1


@pytest.mark.parametrize("format_", EVERY)
def test_no_cut_raises(format_: str) -> None:
    content = EVERY[format_]
    for length in range(0, len(content), max(1, len(content) // 150)):
        assert facts_of(format_, content[:length])[0].name == "artefact.format"


@given(st.sampled_from(sorted(EVERY)), st.integers(0, 4000), st.binary(min_size=1, max_size=12))
@settings(max_examples=400, deadline=2000)
def test_no_overwritten_bytes_raise(format_: str, at: int, junk: bytes) -> None:
    content = EVERY[format_]
    at %= len(content)
    assert facts_of(format_, content[:at] + junk + content[at + len(junk) :])[0].name == "artefact.format"


@given(st.sampled_from(sorted(EVERY)), st.binary(max_size=300))
@settings(max_examples=300, deadline=2000)
def test_no_foreign_content_raises(format_: str, content: bytes) -> None:
    assert facts_of(format_, content)[0].name == "artefact.format"


@pytest.mark.parametrize("format_", EVERY)
def test_lengths_that_lie_cost_no_memory(format_: str) -> None:
    tracemalloc.start()
    content = EVERY[format_]
    for at in range(0, min(len(content), 200), 3):
        facts_of(format_, content[:at] + b"\xff" * 8 + content[at + 8 :])
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert peak < 20 << 20


def test_format_without_a_reader_has_no_facts() -> None:
    assert facts_of("jpeg", b"\xff\xd8\xff") == []


def test_every_format_with_a_reader_is_one_that_signatures_tell() -> None:
    from diagnose.collectors.signature.identification import _KINDS

    assert artefact.READERS.keys() <= _KINDS.keys()


def test_zip_with_bytes_lost_inside_says_how_many() -> None:
    whole = zip_of({"a": b"x" * 100, "b": b"y" * 100})
    assert value("zip", whole[:50] + whole[60:], "artefact.missing_bytes") == 10
