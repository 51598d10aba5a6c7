"""check_bytes gives a scan's verdicts as rows that travel, and leaves nothing behind in the process that calls it."""

from __future__ import annotations

import json
import multiprocessing
import os
import pickle
import subprocess
import sys
import threading
import warnings
from concurrent.futures import ProcessPoolExecutor, ThreadPoolExecutor
from pathlib import Path
from typing import Any

import msgspec
import pytest
from PIL import Image, ImageFile

import diagnose

TRAIN = Path(__file__).resolve().parent.parent / "fixtures" / "dataset" / "train"
NAMES = sorted(path.name for path in TRAIN.iterdir())


def rules_of(name: str) -> list[str]:
    return [row.rule for row in diagnose.check_bytes((TRAIN / name).read_bytes(), name)]


def test_rows_are_what_a_scan_finds() -> None:
    scanned = diagnose.scan(TRAIN, jobs=1)
    found: dict[str, set[str]] = {name: set() for name in NAMES}
    for diagnosis in scanned.diagnoses:
        found[Path(diagnosis.subject.path).name].add(diagnosis.rule)
    assert {name: set(rules_of(name)) for name in NAMES} == found
    assert sum(map(bool, found.values())) > 8


@pytest.mark.parametrize("protocol", range(2, pickle.HIGHEST_PROTOCOL + 1))
def test_rows_pickle(protocol: int) -> None:
    rows = [row for name in NAMES for row in diagnose.check_bytes((TRAIN / name).read_bytes(), f"caf\udce9/{name}")]
    assert rows and pickle.loads(pickle.dumps(rows, protocol)) == rows  # noqa: S301 - our own rows


def test_rows_become_plain_values() -> None:
    (row, *_) = diagnose.check_bytes((TRAIN / "cut.jpg").read_bytes(), "cut.jpg")
    assert json.loads(json.dumps(msgspec.to_builtins(row)))["severity"] == "error"


def state() -> dict[str, Any]:
    """What a loader's process shares with whatever runs in it."""
    return {
        "folder": os.getcwd(),
        "environment": dict(os.environ),
        "files": sorted(os.listdir("/proc/self/fd")) if Path("/proc/self/fd").exists() else [],
        "threads": threading.active_count(),
        "filters": list(warnings.filters),
        "pixel limit": Image.MAX_IMAGE_PIXELS,
        "lenient": ImageFile.LOAD_TRUNCATED_IMAGES,
        "standard error": os.fstat(2)[:3],
        "limits": open("/proc/self/limits").read() if Path("/proc/self/limits").exists() else "",
    }


def test_nothing_is_left_behind(tmp_path: Path, capfd: pytest.CaptureFixture[str], monkeypatch: Any) -> None:
    monkeypatch.chdir(tmp_path)
    for name in NAMES:  # libraries load, and open files of their own, when they are first used
        rules_of(name)
    before = state()
    for name in NAMES:
        data = bytearray((TRAIN / name).read_bytes())
        diagnose.check_bytes(data, name)
        assert data == (TRAIN / name).read_bytes()
    assert state() == before
    assert list(tmp_path.iterdir()) == []
    assert capfd.readouterr() == ("", "")


def test_threads_do_not_disturb_each_other() -> None:
    expected = [rules_of(name) for name in NAMES]
    before = state()
    with ThreadPoolExecutor(4) as pool:
        assert list(pool.map(rules_of, NAMES * 3)) == expected * 3
    assert state() == before


@pytest.mark.parametrize("method", ["fork", "spawn"])
def test_it_runs_in_processes_of_either_kind(method: str) -> None:
    if method not in multiprocessing.get_all_start_methods():
        pytest.skip(f"this platform cannot {method}")
    names = NAMES[:4]
    with ProcessPoolExecutor(1, multiprocessing.get_context(method)) as pool:
        assert list(pool.map(rules_of, names)) == [rules_of(name) for name in names]


def test_it_runs_where_no_home_can_be_written(tmp_path: Path) -> None:
    program = "import diagnose, sys; print([r.rule for r in diagnose.check_bytes(b'<html></html>', 'a.jpg')])"
    environment = {**os.environ, "DECODEDOCTOR_CACHE": "/proc/nowhere", "HOME": "/proc/nowhere"}
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, env=environment, cwd=tmp_path, timeout=600
    )  # it reads all rules anew, which takes long on a loaded machine
    assert done.returncode == 0 and b"transport/" in done.stdout, done.stderr.decode()
