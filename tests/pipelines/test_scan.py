"""A scan lists lazily, survives its decoders, and tells what it could not look at."""

from __future__ import annotations

import os
import socket
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from PIL import Image

from diagnose.diagnosis import NotChecked
from diagnose.engine.judge import Judge
from diagnose.pipelines.rulebook import Rulebook
from diagnose.pipelines.scan import groups, pool, scan
from diagnose.pipelines.scan.walk import walk


def write_jpeg(path: Path) -> bytes:
    path.parent.mkdir(parents=True, exist_ok=True)
    Image.effect_noise((64, 48), 60).convert("RGB").save(path, "JPEG")
    return path.read_bytes()


def listed(*paths: Path) -> tuple[list[str], dict[str, str]]:
    entries = list(walk([str(path) for path in paths]))
    files = [entry for entry in entries if isinstance(entry, str)]
    return files, {entry.what: entry.reason for entry in entries if isinstance(entry, NotChecked)}


def test_files_come_in_order_and_version_control_is_left_out(tmp_path: Path) -> None:
    for name in ("b/2", "a", "b/1", ".git/config", "c/d/e/f"):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).touch()
    files, _ = listed(tmp_path)
    assert [os.path.relpath(path, tmp_path) for path in files] == ["a", "b/1", "b/2", "c/d/e/f"]


def test_loops_special_files_and_broken_links_are_told_and_never_opened(tmp_path: Path) -> None:
    (tmp_path / "loop").symlink_to(tmp_path)
    (tmp_path / "broken").symlink_to(tmp_path / "nowhere")
    os.mkfifo(tmp_path / "fifo")
    server = socket.socket(socket.AF_UNIX)
    server.bind(str(tmp_path / "socket"))
    (tmp_path / "good").touch()
    (tmp_path / "link").symlink_to(tmp_path / "good")
    files, reasons = listed(tmp_path)
    server.close()
    assert [Path(path).name for path in files] == ["good", "link"]
    told = {Path(path).name: reason for path, reason in reasons.items()}
    assert told == {
        "loop": "a link to a folder, not followed",
        "broken": "a broken link",
        "fifo": "a FIFO, never opened",
        "socket": "a socket, never opened",
    }


def test_a_very_deep_tree_is_walked(tmp_path: Path) -> None:
    here = os.getcwd()
    os.chdir(tmp_path)
    try:
        for _ in range(400):
            os.mkdir("d")
            os.chdir("d")
        Path("leaf").touch()
    finally:
        os.chdir(here)
    files, _ = listed(tmp_path)
    assert len(files) == 1 and files[0].endswith("/leaf")


def test_names_that_are_not_utf_8_are_scanned(tmp_path: Path, book: Rulebook) -> None:
    name = os.path.join(os.fsencode(tmp_path), b"caf\xe9\x1b[2J.jpg")
    with open(name, "wb") as stream:
        stream.write(b"<html>no picture</html>")
    report = scan([str(tmp_path)], book, jobs=1)
    assert report.summary.errors == 1
    assert os.fsencode(report.diagnoses[0].subject.path) == name


def test_a_file_that_vanishes_or_cannot_be_read_is_not_checked(tmp_path: Path, book: Rulebook) -> None:
    write_jpeg(tmp_path / "good.jpg")
    results = list(pool.examine_all([str(tmp_path / "gone.jpg"), str(tmp_path / "good.jpg")], Judge(book.rules), (), 1))
    assert [(Path(result.path).name, result.not_checked) for result in results] == [
        ("gone.jpg", "No such file or directory"),
        ("good.jpg", ""),
    ]


def crash(paths: list[str]) -> list[Any]:
    from diagnose.pipelines.scan.worker import examine

    if any(path.endswith("crash.jpg") for path in paths):
        os.abort()
    return examine(paths)


def hang(paths: list[str]) -> list[Any]:
    import time

    from diagnose.pipelines.scan.worker import examine

    if any(path.endswith("hang.jpg") for path in paths):
        time.sleep(60)
    return examine(paths)


@pytest.mark.parametrize(
    ("bad_decoder", "name", "rule"),
    [(crash, "crash.jpg", "image/decoder-crashes"), (hang, "hang.jpg", "image/decoder-hangs")],
)
@pytest.mark.skipif(sys.platform == "win32", reason="signals are POSIX")
def test_a_decoder_that_crashes_or_hangs_costs_one_file(
    tmp_path: Path,
    book: Rulebook,
    monkeypatch: pytest.MonkeyPatch,
    bad_decoder: Callable[[list[str]], list[Any]],
    name: str,
    rule: str,
) -> None:
    names = [f"{number:02}.jpg" for number in range(12)] + [name]
    for each in names:
        write_jpeg(tmp_path / each)
    monkeypatch.setattr(pool, "examine", bad_decoder)
    paths = [str(tmp_path / each) for each in names]
    results = list(pool.examine_all(paths, Judge(book.rules), (), jobs=2, file_seconds=1.5))
    assert [result.path for result in results] == paths
    raised = {Path(result.path).name: [d.rule for d in result.diagnoses] for result in results}
    assert raised.pop(name) == [rule]
    assert set(map(tuple, raised.values())) == {()}


def test_many_files_of_one_fault_are_one_group_and_all_are_listed(tmp_path: Path, book: Rulebook) -> None:
    data = write_jpeg(tmp_path / "ok.jpg")
    for number in range(40):
        (tmp_path / f"cut-{number:02}.jpg").write_bytes(data[: len(data) // 2])
    report = scan([str(tmp_path)], book, jobs=2)
    assert (report.summary.scanned, report.summary.errors) == (41, 40)
    assert len({d.subject.path for d in report.diagnoses}) == 40
    (group,) = [group for group in report.groups if group.severity.value == "error"]
    assert group.count == 40 and len(group.examples) == 5
    assert groups(report.diagnoses) == report.groups
