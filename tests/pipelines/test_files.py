"""Which collectors look at a file follows from its content and name, and what they see arrives as evidence."""

from __future__ import annotations

import json
import os
import struct
from pathlib import Path

import pytest

from diagnose.collectors import signature
from diagnose.evidence import Evidence, Fact, State
from diagnose.pipelines.files import ChangedError, NotRegularError, collect_bytes, collect_path

PNG = b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR\0\0\0\1\0\0\0\1\x08\0\0\0\0"
JUNK = b"\xfa\x91\x07\x13\xc8\x8e\x02\x99" * 40
SAFETENSORS = struct.pack("<Q", 2) + b"{}"
INDEX = json.dumps({"metadata": {}, "weight_map": {"w": "model-1.safetensors", "v": "model-2.safetensors"}}).encode()
TOKENIZER = json.dumps(
    {"added_tokens": [], "model": {"type": "BPE", "vocab": {"a": 0}, "merges": [["a", "a"]]}}
).encode()
NETWORK = b'<?xml version="1.0"?><net name="a" version="11"><layers/></net>'
GGUF_HEAD = b"GGUF" + struct.pack("<IQQ", 3, 0, 0)

LOOKED_FOR = {"image": "image.format", "text": "text.valid_utf8", "artefact": "artefact.format"}


def collectors_of(evidence: Evidence) -> set[str]:
    return {name for name, fact in LOOKED_FOR.items() if evidence.state(fact) is not State.UNOBSERVED}


@pytest.mark.parametrize(
    ("name", "content", "collectors"),
    [
        ("a.png", PNG, {"image"}),
        ("a.txt", PNG, {"image"}),
        ("a.png", JUNK, {"image"}),
        ("a.txt", b"plain", {"text"}),
        ("a.csv", JUNK, {"text"}),
        ("no-extension", b"plain text", {"text"}),
        ("a.safetensors", SAFETENSORS, {"artefact"}),
        ("a.json", b'{"a": 1}', {"text", "artefact"}),
        ("tokenizer.json", TOKENIZER, {"text", "artefact"}),
        ("model.safetensors.index.json", INDEX, {"text", "artefact"}),
        ("net.xml", NETWORK, {"text", "artefact"}),
        ("a.xml", b"<?xml version='1.0'?><a/>", {"text"}),
        ("a.onnx", JUNK, {"artefact"}),
        ("a.gguf", JUNK, {"artefact"}),
        ("a.pt", JUNK, {"artefact"}),
        ("a.tar.gz", JUNK, {"artefact"}),
        ("a.zip", JUNK, {"artefact"}),
        ("a.mnn", JUNK, set()),
        ("a.bin", JUNK, set()),
        ("a.mp4", JUNK, set()),
        ("no-extension", JUNK, set()),
        ("a.onnx", b"", set()),
        ("a.onnx", bytes(5000), set()),
    ],
)
def test_collectors_that_look_at_a_file(name: str, content: bytes, collectors: set[str], tmp_path: Path) -> None:
    (tmp_path / name).write_bytes(content)
    assert collectors_of(collect_path(str(tmp_path / name))) == collectors
    assert collectors_of(collect_bytes(content, name)) == collectors


def test_unknown_content_is_read_as_what_its_name_claims() -> None:
    evidence = collect_bytes(JUNK, "weights.safetensors")
    assert evidence.value("artefact.format") == "safetensors"
    assert evidence.value("artefact.damage") == "header-too-large"


def test_a_tokenizer_is_both_a_text_and_a_model() -> None:
    evidence = collect_bytes(b"\xef\xbb\xbf" + TOKENIZER, "tokenizer.json")
    assert (evidence.value("text.bom"), evidence.value("artefact.merges_form")) == ("utf-8-sig", "pairs")


def test_shards_missing_beside_an_index_on_disk_arrive_as_a_fact(tmp_path: Path) -> None:
    path = tmp_path / "model.safetensors.index.json"
    path.write_bytes(INDEX)
    (tmp_path / "model-1.safetensors").write_bytes(SAFETENSORS)
    assert collect_path(str(path)).value("artefact.missing_files") == ["model-2.safetensors"]
    (tmp_path / "model-2.safetensors").write_bytes(SAFETENSORS)
    assert collect_path(str(path)).state("artefact.missing_files") is State.ABSENT


def test_nobody_looks_beside_bytes_that_are_in_memory() -> None:
    assert collect_bytes(INDEX, "model.safetensors.index.json").state("artefact.missing_files") is State.UNOBSERVED


def test_a_mapped_text_is_judged_by_its_first_part(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("diagnose.pipelines.files.READ_WHOLE_BYTES", 1000)
    path = tmp_path / "a.json"
    path.write_bytes(b'{"a": "' + b"x" * 992 + "é".encode() + b'"}')
    evidence = collect_path(str(path))
    assert evidence.value("text.valid_utf8") is True
    assert evidence.state("text.json_error") is State.NOT_CHECKED


def test_a_mapped_model_has_the_facts_of_one_that_was_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "a.gguf"
    path.write_bytes(GGUF_HEAD + bytes(3000))
    read = collect_path(str(path)).facts
    monkeypatch.setattr("diagnose.pipelines.files.READ_WHOLE_BYTES", 1000)
    assert collect_path(str(path)).facts == read


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="there are no FIFOs here")
def test_special_files_are_refused_and_never_waited_for(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe.onnx")
    for path in (str(tmp_path / "pipe.onnx"), os.devnull, str(tmp_path)):
        with pytest.raises(NotRegularError):
            collect_path(path)


@pytest.mark.skipif(not hasattr(os, "SEEK_HOLE"), reason="the system does not tell holes")
@pytest.mark.parametrize("reads_whole", [True, False])
def test_a_part_that_was_never_written_is_located(
    reads_whole: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    if not reads_whole:
        monkeypatch.setattr("diagnose.pipelines.files.READ_WHOLE_BYTES", 1000)
    path = tmp_path / "a.gguf"
    with path.open("wb") as stream:
        stream.write(GGUF_HEAD.ljust(1 << 16, b"x"))
        stream.seek(1 << 20)
        stream.write(b"the end")
    if os.stat(path).st_blocks * 512 > 1 << 20:
        pytest.skip("the file system stores no holes")
    evidence = collect_path(str(path))
    assert evidence.value("file.first_hole") == 1 << 16
    assert evidence.value("artefact.format") == "gguf"
    path.write_bytes(path.read_bytes())
    assert collect_path(str(path)).state("file.first_hole") is State.ABSENT
    assert collect_bytes(path.read_bytes(), "a.gguf").state("file.first_hole") is State.UNOBSERVED


@pytest.mark.parametrize(
    ("new_size", "largest_read_whole"), [(10, 5000), (5000, 5000), (5000, 1000)], ids=["cut", "grows", "grows mapped"]
)
def test_a_file_that_is_written_while_it_is_read_is_not_judged(
    new_size: int, largest_read_whole: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "a.gguf"
    path.write_bytes(GGUF_HEAD + bytes(2000))
    look = signature.collect_from_disk

    def look_while_it_is_written(descriptor: int, size_bytes: int) -> list[Fact]:
        facts = look(descriptor, size_bytes)
        os.truncate(path, new_size)
        return facts

    monkeypatch.setattr("diagnose.collectors.signature.collect_from_disk", look_while_it_is_written)
    monkeypatch.setattr("diagnose.pipelines.files.READ_WHOLE_BYTES", largest_read_whole)
    with pytest.raises(ChangedError, match="changed while it was read"):
        collect_path(str(path))


def test_a_file_that_is_not_there_raises(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError):
        collect_path(str(tmp_path / "gone"))
