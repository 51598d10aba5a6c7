"""Cached rules are used when they fit, and ignored when they are damaged, foreign or of something else."""

from __future__ import annotations

import os
import shutil
from pathlib import Path

import pytest

from diagnose.pipelines import cache
from diagnose.pipelines import rulebook as module
from diagnose.pipelines.packed import pack
from diagnose.pipelines.rulebook import rulebook, shipped_rules


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An own cache, and a few of the shipped rules: all of them take seconds to compile."""
    few = tmp_path / "few"
    shutil.copytree(shipped_rules() / "general", few / "general")
    monkeypatch.setattr(module, "shipped_rules", lambda: few)
    monkeypatch.setenv("DECODEDOCTOR_CACHE", str(tmp_path / "cache"))
    return tmp_path / "cache"


def test_what_was_written_is_read_for_the_same_stamp_only(folder: Path) -> None:
    cache.write_cached("x", b"stamp", b"payload")
    assert cache.read_cached("x", b"stamp") == b"payload"
    assert cache.read_cached("x", b"other") is None
    assert cache.read_cached("y", b"stamp") is None


@pytest.mark.parametrize("damage", ["cut", "flipped", "emptied"])
def test_a_damaged_file_counts_as_not_there(folder: Path, damage: str) -> None:
    cache.write_cached("x", b"stamp", b"payload" * 100)
    content = bytearray((folder / "x").read_bytes())
    damaged = {"cut": content[:-5], "flipped": content[:-5] + b"!" + content[-4:], "emptied": b""}[damage]
    (folder / "x").write_bytes(bytes(damaged))
    assert cache.read_cached("x", b"stamp") is None


@pytest.mark.skipif(not hasattr(os, "geteuid"), reason="owners and modes are POSIX")
def test_a_file_that_others_may_write_counts_as_not_there(folder: Path) -> None:
    cache.write_cached("x", b"stamp", b"payload")
    (folder / "x").chmod(0o666)
    assert cache.read_cached("x", b"stamp") is None


@pytest.mark.skipif(not hasattr(os, "geteuid") or os.geteuid() != 0, reason="only root can give files away")
def test_a_file_of_another_user_counts_as_not_there(folder: Path) -> None:
    cache.write_cached("x", b"stamp", b"payload")
    os.chown(folder / "x", 12345, 12345)
    assert cache.read_cached("x", b"stamp") is None


def test_without_a_writable_folder_rules_still_load(
    folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "file").write_text("in the way")
    monkeypatch.setenv("DECODEDOCTOR_CACHE", str(tmp_path / "file" / "cache"))
    assert rulebook().rules.rules


def test_a_garbled_cache_gives_the_same_rules(folder: Path) -> None:
    first = list(rulebook().rules.rules)
    for path in folder.iterdir():
        path.write_bytes(cache.MAGIC + b"\xff" * 1000)
    assert list(rulebook().rules.rules) == first
    assert list(rulebook().rules.rules) == first


def test_own_rules_are_added_and_a_change_is_seen(folder: Path, tmp_path: Path) -> None:
    own = tmp_path / "own"
    own.mkdir()
    text = (
        "rules:\n- id: text/{name}\n  layer: text\n  severity: note\n  title: {{en: T, zh: T}}\n"
        "  match: {{log: 'own words here'}}\n  causes: [{{id: c, title: {{en: C, zh: C}}, prior: 0.5}}]\n"
        "  steps: [{{id: s, repair: {{en: S, zh: S}}, fixes: {{c: 0.5}}, minutes: 1}}]\n  sources: [me]\n"
        "  examples: [{{log: own words here}}]\n"
    )
    (own / "mine.yaml").write_text(text.format(name="first"))
    assert "text/first" in {rule.id for rule in rulebook([own]).rules.rules}
    (own / "mine.yaml").write_text(text.format(name="second-one"))
    names = {rule.id for rule in rulebook([own]).rules.rules}
    assert "text/second-one" in names and "text/first" not in names


def test_rules_packed_with_the_package_are_used_without_reading_the_files(
    folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    read = rulebook().rules
    packed = tmp_path / "rules.msgpack"
    packed.write_bytes(pack(read))
    monkeypatch.setattr(module, "_packed_rules", lambda: packed)
    monkeypatch.setattr(module, "load_rules", None)
    assert list(rulebook().rules.rules) == list(read.rules)
