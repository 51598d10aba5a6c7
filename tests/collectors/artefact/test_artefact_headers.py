"""What headers say: versions, counts, names, and the structures that are wrong."""

from __future__ import annotations

import collections
import io
import struct
import sys
import zipfile

import pytest
from artefact_builders import (
    Custom,
    gguf,
    hdf5,
    ncnn_param,
    npy,
    onnx,
    onnx_external,
    pickled,
    protobuf,
    rknn,
    safetensors,
    sentencepiece,
    tar_of,
    tflite,
    tokenizer,
    torch_legacy,
    zip_of,
)
from growth import growth

from diagnose.collectors import artefact
from diagnose.evidence import Fact, Value


def facts_of(format_: str, content: bytes) -> list[Fact]:
    return artefact.collect(io.BytesIO(content), len(content), format_)


def values(format_: str, content: bytes, name: str) -> list[Value | None]:
    return [fact.value for fact in facts_of(format_, content) if fact.name == f"artefact.{name}"]


def flipped(content: bytes, at: int) -> bytes:
    return content[:at] + bytes([content[at] ^ 0x55]) + content[at + 1 :]


TENSORS = {"a": {"dtype": "U8", "shape": [4], "data_offsets": [0, 4]}}
STORED = zip_of({"a.txt": b"hello", "b.txt": b"world"})
DEFLATED = zip_of({"a.txt": b"hello" * 20}, zipfile.ZIP_DEFLATED)
TAR = tar_of({"a.txt": b"hello"})
CUSTOM = "artefact_builders.Custom"
NAMESPACE = {"w": 1, "args": Custom()}

SAYINGS: list[tuple[str, bytes, str, list[Value | None]]] = [
    ("gguf", gguf(), "version", ["3"]),
    ("gguf", gguf(), "endianness", ["little"]),
    ("gguf", gguf(">"), "endianness", ["big"]),
    ("gguf", gguf(">"), "architecture", ["llama"]),
    ("gguf", gguf(), "tensor_count", [1]),
    ("gguf", gguf(), "dtypes", [["F32"]]),
    ("gguf", gguf(), "split_count", [3]),
    ("gguf", gguf(version=9), "damage", ["unknown-version"]),
    ("gguf", gguf(offset=32, data_bytes=128), "damage", ["bad-offset"]),
    ("gguf", b"GGUF" + struct.pack("<IQQ", 3, 1 << 60, 0), "damage", ["count-too-large"]),
    ("gguf", b"GGUF" + struct.pack("<IQQQ", 3, 0, 1, 1 << 62) + bytes(99), "damage", ["length-too-large"]),
    ("safetensors", safetensors(), "header_bytes", [len(safetensors()) - 32]),
    ("safetensors", safetensors(), "dtypes", [["F32"]]),
    ("safetensors", struct.pack("<Q", 1 << 40) + b"{", "damage", ["header-too-large"]),
    ("safetensors", b"version https://git", "damage", ["header-too-large"]),
    ("safetensors", safetensors(b'{},"__metadata__":{"format":"pt"}}', 0), "damage", ["not-json"]),
    ("safetensors", safetensors(b"[" * 100_000, 0), "damage", ["not-json"]),
    ("safetensors", safetensors(shape=[2, 2]), "damage", ["bad-shape"]),
    ("safetensors", safetensors(data_offsets=[4, 28], data_bytes=28), "damage", ["hole"]),
    ("safetensors", safetensors(TENSORS | {"b": TENSORS["a"]}, 4), "damage", ["overlap"]),
    ("safetensors", safetensors(dtype="F128"), "damage", ["unknown-dtype"]),
    ("onnx", onnx(), "ir_version", [8]),
    ("onnx", onnx(), "opset", [17]),
    ("onnx", onnx(), "opset_domains", [["com.acme:1"]]),
    ("onnx", onnx(), "producer", ["pytorch 2.1.0"]),
    ("onnx", onnx(), "operators", [["Conv", "If", "Relu", "Spin"]]),
    ("onnx", onnx(), "custom_operators", [["com.acme::Spin"]]),
    ("onnx", onnx(onnx_external("w.bin", 4096, 100), onnx_external("w.bin", 0, 64)), "external_data", [["w.bin"]]),
    ("onnx", onnx(onnx_external("w.bin", 4096, 100)), "external_data_end_bytes", [4196]),
    ("onnx", protobuf((1, 8), (2, "pytorch")), "damage", ["no-graph"]),
    ("onnx", onnx()[:40] + bytes(60) + onnx()[100:], "damage", ["not-protobuf"]),
    ("tflite", tflite(), "version", ["3"]),
    ("tflite", tflite(), "custom_operators", [["FlexErf"]]),
    ("tflite", tflite(), "producer", ["hand"]),
    ("tflite", b"\x10\0\0\0CTYP" + bytes(64), "damage", ["bad-identifier"]),
    ("tflite", b"\x10\0\0\0TFL3" + b"\xff" * 64, "damage", ["bad-offset"]),
    ("hdf5", hdf5(version=2), "version", ["2"]),
    ("hdf5", hdf5(), "stored_eof", [2048]),
    ("hdf5", hdf5(version=3, flags=1), "open_for_writing", [True]),
    ("hdf5", hdf5(version=3), "open_for_writing", [False]),
    ("hdf5", b"\x89HDF\r\n\x1a\n\x09" + bytes(90), "damage", ["unknown-version"]),
    ("npy", npy(), "version", ["1.0"]),
    ("npy", npy("'<U5'", "(2,)", 40), "truncated", [False]),
    ("npy", npy("'<f8'", "()", 8), "truncated", [False]),
    ("npy", npy("'|O'", "(2,)", 99), "object_array", [True]),
    ("npy", npy("'<f4'", "three"), "damage", ["bad-header"]),
    ("npy", npy("[('a', '<f4')]", "(3,)", 12), "truncated", [None]),
    ("sentencepiece", sentencepiece(2, 3, 1, 1), "piece_count", [4]),
    ("sentencepiece", sentencepiece(2, 3, 1, 1), "has_unknown_piece", [True]),
    ("sentencepiece", sentencepiece(1, 1), "has_unknown_piece", [False]),
    ("json", tokenizer(["a b"]), "merges_form", ["strings"]),
    ("json", tokenizer([["a", "b"]]), "merges_form", ["pairs"]),
    ("json", tokenizer(["a b"]), "merges_out_of_vocabulary", [0]),
    ("json", tokenizer([["a", "b"], ["a", "z"]]), "merges_out_of_vocabulary", [1]),
    ("json", tokenizer(["a b"]), "tokenizer_model", ["BPE"]),
    (
        "json",
        tokenizer([], pre_tokenizer={"type": "Metaspace", "add_prefix_space": True, "prepend_scheme": "first"}),
        "metaspace_options",
        [["add_prefix_space", "prepend_scheme"]],
    ),
    ("json", tokenizer(["a b"])[:-5], "damage", ["not-json"]),
    (
        "json",
        b'{"weight_map": {"a": "x-2.bin", "b": "x-1.bin", "c": "x-1.bin"}}',
        "shard_files",
        [["x-1.bin", "x-2.bin"]],
    ),
    ("json", b'{"hidden_size": 5', "damage", []),
    ("pickle", pickled([1], 2), "pickle_protocol", [2]),
    ("pickle", pickled(collections.OrderedDict(), 4), "pickle_globals", [["collections.OrderedDict"]]),
    ("pickle", pickled(collections.OrderedDict(), 0), "pickle_globals", [["collections.OrderedDict"]]),
    ("pickle", pickled(collections.OrderedDict(), 4), "pickle_foreign_globals", []),
    ("pickle", pickled([Custom(), Custom()], 4), "pickle_foreign_globals", [[CUSTOM]]),
    ("pickle", b"\x80\x04\xff\xff", "damage", ["bad-opcode"]),
    ("torch-legacy", torch_legacy(NAMESPACE), "pickle_foreign_globals", [[CUSTOM]]),
    ("torch-legacy", torch_legacy(NAMESPACE)[:60], "truncated", [True]),
    (
        "torch-zip",
        zip_of({"m/data.pkl": pickled(NAMESPACE, 2)}),
        "pickle_foreign_globals",
        [[CUSTOM]],
    ),
    ("zip", STORED, "member_count", [2]),
    ("zip", DEFLATED, "compression_methods", [["deflate"]]),
    ("zip", STORED[:-30], "damage", ["no-central-directory"]),
    ("zip", flipped(STORED, 36), "damage", ["bad-crc"]),
    ("zip", flipped(DEFLATED, 35), "damage", ["bad-data"]),
    ("zip", flipped(STORED, 31), "damage", ["headers-disagree"]),
    ("zip", flipped(STORED, STORED.index(b"PK\1\2")), "damage", ["bad-central-directory"]),
    ("zip", STORED + b"trailer", "surplus_bytes", [7]),
    ("zip", b"#!/bin/sh\n" + STORED, "damage", []),
    ("tar", TAR, "member_count", [1]),
    ("tar", flipped(TAR, 0), "damage", ["bad-checksum"]),
    ("tar", TAR[:515], "truncated", [True]),
    ("rknn", rknn(), "version", ["6"]),
    ("tensorrt-plan", b"ptrt\x61\0\0\0", "version", ["97"]),
    ("ncnn-param", ncnn_param(), "truncated", [False]),
    ("ncnn-param", ncnn_param(3), "truncated", [True]),
    ("ncnn-param", b"7767517\nlayers\n", "damage", ["bad-header"]),
    ("parquet", b"PAR1" + bytes(20), "truncated", [True]),
]


@pytest.mark.parametrize(
    ("format_", "content", "name", "expected"),
    SAYINGS,
    ids=[f"{index}-{saying[0]}-{saying[2]}" for index, saying in enumerate(SAYINGS)],
)
def test_header_says(format_: str, content: bytes, name: str, expected: list[Value | None]) -> None:
    assert values(format_, content, name) == expected


def test_damage_says_where_and_what_stood_there() -> None:
    (fact,) = (f for f in facts_of("safetensors", safetensors(shape=[2, 2])) if f.name == "artefact.damage")
    assert fact.where == f"byte {len(safetensors()) - 24}"
    assert "'w' of F32 [2, 2] has 24 bytes" in fact.text


def test_cut_onnx_still_tells_its_operators() -> None:
    cut = onnx(opsets_last=False)[:-10]
    assert values("onnx", cut, "opset") == [17]
    assert "Conv" in str(values("onnx", cut, "operators"))


def test_pickles_are_walked_and_never_loaded() -> None:
    sys.modules.pop("this", None)
    facts_of("pickle", b"cthis\ns\n.")
    assert values("pickle", b"cthis\ns\n.", "pickle_globals") == [["this.s"]]
    assert "this" not in sys.modules


def test_stack_global_takes_its_names_from_the_memo() -> None:
    content = pickled([Custom, Custom(), collections.Counter()], 4)
    assert values("pickle", content, "pickle_globals") == [[CUSTOM, "collections.Counter"]]


def test_zip64_directory_is_found() -> None:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as archive, archive.open("a", "w", force_zip64=True) as member:
        member.write(b"hello")
    assert values("zip", buffer.getvalue(), "damage") == []
    assert values("zip", buffer.getvalue(), "member_count") == [1]


def test_array_header_of_blanks_costs_time_in_proportion() -> None:
    def damage(blanks: bytes) -> list[object]:
        header = b"{'descr': '<f4', 'shape': (" + blanks
        return values("npy", b"\x93NUMPY\2\0" + struct.pack("<I", len(header)) + header, "damage")

    assert damage(b" " * 900_000) == ["bad-header"]
    assert growth(damage, b" ", 900_000) < 10


def test_long_vocabulary_is_walked_in_windows() -> None:
    strings = b"".join(struct.pack("<Q", size) + bytes(size) for size in [3, 200_000, 0, 70_000] * 3)
    pair = struct.pack("<Q", 1) + b"k" + struct.pack("<IIQ", 9, 8, 12) + strings
    content = b"GGUF" + struct.pack("<IQQ", 3, 0, 1) + pair
    assert values("gguf", content, "truncated") == [False]
    assert values("gguf", content[:-1], "truncated") == [True]
