"""Files that a model needs beside it: found, missing, short, or named where nothing must be looked at."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from diagnose.collectors.artefact import FACTS, find_companions
from diagnose.evidence import Fact


def companions(path: Path, *facts: Fact) -> dict[str, object]:
    return {fact.name.removeprefix("artefact."): fact.value for fact in find_companions(str(path), facts)}


def external(*names: str) -> Fact:
    return FACTS.known("artefact.external_data", list(names))


def test_external_tensors_that_are_missing_or_short_are_named(tmp_path: Path) -> None:
    (tmp_path / "weights").mkdir()
    (tmp_path / "weights" / "a.data").write_bytes(bytes(100))
    (tmp_path / "b.data").write_bytes(bytes(99))
    ends = [
        FACTS.known("artefact.external_data_end_bytes", 100, text=name) for name in ("weights/a.data", "b.data", "c")
    ]
    found = companions(tmp_path / "m.onnx", external("weights/a.data", "b.data", "c"), *ends)
    assert found == {"missing_files": ["c"], "short_files": ["b.data"]}


def test_shards_of_an_index_are_looked_for_beside_it(tmp_path: Path) -> None:
    (tmp_path / "model-1.safetensors").write_bytes(b"x")
    shards = FACTS.known("artefact.shard_files", ["model-1.safetensors", "model-2.safetensors"])
    assert companions(tmp_path / "model.safetensors.index.json", shards) == {"missing_files": ["model-2.safetensors"]}


def test_links_are_followed_and_broken_ones_are_missing(tmp_path: Path) -> None:
    (tmp_path / "blob").write_bytes(b"x")
    folder = tmp_path / "snapshot"
    folder.mkdir()
    (folder / "good").symlink_to("../blob")
    (folder / "broken").symlink_to("../gone")
    assert companions(folder / "m.onnx", external("good", "broken")) == {"missing_files": ["broken"]}


@pytest.mark.parametrize(
    ("name", "count", "missing"),
    [
        ("m-00002-of-00003.gguf", 3, ["m-00001-of-00003.gguf", "m-00003-of-00003.gguf"]),
        ("m-00002-of-00003.gguf", 4, None),
        ("m.gguf", 3, None),
    ],
)
def test_parts_of_a_split_gguf_follow_from_its_name(
    tmp_path: Path, name: str, count: int, missing: list[str] | None
) -> None:
    found = companions(tmp_path / name, FACTS.known("artefact.split_count", count))
    assert found.get("missing_files") == missing


def test_openvino_wants_the_weights_under_the_same_name(tmp_path: Path) -> None:
    network = Fact("file.format", "openvino-ir-xml")
    assert companions(tmp_path / "net.xml", network) == {"missing_files": ["net.bin"]}
    (tmp_path / "net.bin").touch()
    assert companions(tmp_path / "net.xml", network) == {}


@pytest.mark.parametrize(
    "hostile", ["/etc/passwd", "../secret", "a/../../secret", "..\\secret", "C:secret", "\\\\host\\share", "a\0b", ""]
)
def test_nothing_is_looked_at_outside_the_folder(tmp_path: Path, hostile: str, monkeypatch: pytest.MonkeyPatch) -> None:
    looked_at: list[object] = []
    monkeypatch.setattr(os, "stat", looked_at.append)
    assert companions(tmp_path / "m.onnx", external(hostile)) == {"outside_files": [hostile]}
    assert looked_at == []


def test_a_name_that_no_file_system_takes_is_missing(tmp_path: Path) -> None:
    assert companions(tmp_path / "m.onnx", external("x" * 5000)) == {"missing_files": ["x" * 5000]}
