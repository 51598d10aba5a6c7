"""--probe looks at files that the log names and at the host; without it nothing is touched."""

from __future__ import annotations

from io import BytesIO
from pathlib import Path

import pytest

from diagnose.pipelines import probe as looking
from diagnose.pipelines.explain import explain
from diagnose.pipelines.rulebook import Rulebook

POINTER = b"version https://git-lfs.github.com/spec/v1\noid sha256:" + b"4d" * 32 + b"\nsize 132745\n"


@pytest.fixture
def log_path(tmp_path: Path) -> Path:
    (tmp_path / "img").mkdir()
    (tmp_path / "img" / "cat 1.jpg").write_bytes(POINTER)
    path = tmp_path / "train.log"
    path.write_text("PIL.UnidentifiedImageError: cannot identify image file 'img/cat 1.jpg'\n")
    return path


def explained(path: Path, book: Rulebook, probe: bool) -> list[str]:
    return [d.rule for d in explain(BytesIO(path.read_bytes()), str(path), book, probe=probe).diagnoses]


def test_what_the_bytes_are_decides_once_they_may_be_looked_at(log_path: Path, book: Rulebook) -> None:
    assert "transport/image-is-lfs-pointer" not in explained(log_path, book, probe=False)
    assert "transport/image-is-lfs-pointer" in explained(log_path, book, probe=True)


def test_without_probe_nothing_is_opened(log_path: Path, book: Rulebook, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*_: object) -> None:
        raise AssertionError("the host was looked at")

    monkeypatch.setattr(looking, "probe", fail)
    assert explained(log_path, book, probe=False)


def test_a_file_that_cannot_be_inspected_in_time_is_told(
    log_path: Path, book: Rulebook, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(looking, "SECONDS", 0.001)
    report = explain(BytesIO(log_path.read_bytes()), str(log_path), book, probe=True)
    assert [item.reason for item in report.not_checked] == ["no answer in 0.001 s"]
