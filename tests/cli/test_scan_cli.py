"""Scans as a user runs them: lists, rows that stream, resuming, progress, mistakes."""

from __future__ import annotations

import csv
import json
import os
import pty
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
TRAIN = ROOT / "fixtures" / "dataset" / "train"
SCAN = [sys.executable, "-m", "diagnose", "scan"]


def scan(*arguments: str | Path, stdin: bytes | None = None) -> subprocess.CompletedProcess[bytes]:
    return subprocess.run([*SCAN, *map(str, arguments)], input=stdin, capture_output=True, timeout=120, cwd=ROOT)


def many(folder: Path, files: int, content: bytes | None = None) -> Path:
    content = content if content is not None else (TRAIN / "ok-6.png").read_bytes()
    folder.mkdir(exist_ok=True)
    for number in range(files):
        (folder / f"{number:06}.png").write_bytes(content)
    return folder


@pytest.mark.parametrize("separator", [b"\n", b"\0"])
def test_files_listed_on_standard_input_are_scanned(separator: bytes) -> None:
    names = [TRAIN / "cut.jpg", TRAIN / "ok-0.jpg", TRAIN / "nowhere.jpg"]
    listed = separator.join(os.fsencode(name) for name in names)
    report = json.loads(scan("--files-from", "-", "--format", "json", stdin=listed).stdout)
    assert report["summary"] == {"scanned": 2, "errors": 1, "warnings": 0, "notes": 0, "not_checked": 1}
    assert report["subject"]["path"] == "-"


def test_rows_come_while_the_scan_runs_and_ctrl_c_ends_it_with_a_summary(tmp_path: Path) -> None:
    many(tmp_path, 20_000)
    (tmp_path / "000001.png").write_bytes(b"<html></html>")
    process = subprocess.Popen([*SCAN, "--format", "jsonl", str(tmp_path)], stdout=subprocess.PIPE, cwd=ROOT)
    assert process.stdout is not None
    first = json.loads(process.stdout.readline())
    running = process.poll() is None
    process.send_signal(signal.SIGINT)
    sent = time.monotonic()
    rest = process.stdout.read().splitlines()
    status = process.wait(timeout=20)
    assert running and first["subject"]["path"].endswith("000001.png")
    assert time.monotonic() - sent < 5  # a second on an idle machine
    summary = json.loads(rest[-1])
    assert status == 130 and summary["interrupted"] and summary["summary"]["scanned"] < 20_000


def test_a_closed_pipe_ends_a_scan_quietly(tmp_path: Path) -> None:
    many(tmp_path, 3000, b"<html></html>")
    process = subprocess.Popen(
        [*SCAN, "--format", "csv", str(tmp_path)], stdout=subprocess.PIPE, stderr=subprocess.PIPE, cwd=ROOT
    )
    assert process.stdout is not None and process.stderr is not None
    process.stdout.readline()
    process.stdout.close()
    assert process.stderr.read() == b""
    assert process.wait(timeout=20) == 1


def test_csv_is_a_table(tmp_path: Path) -> None:
    done = scan("--format", "csv", TRAIN)
    rows = list(csv.DictReader(done.stdout.decode().splitlines()))
    assert done.returncode == 1
    assert {Path(row["path"]).name for row in rows if row["severity"] == "error"} >= {"cut.jpg", "page.jpg"}


def test_resume_without_a_ledger_of_its_own_uses_the_cache_and_gives_the_same_report(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("DECODEDOCTOR_CACHE", str(tmp_path / "cache"))
    plain = scan("--format", "json", TRAIN)
    assert not list((tmp_path / "cache").glob("*.ledger"))
    first, second = (scan("--resume", "--format", "json", TRAIN) for _ in range(2))
    assert len(list((tmp_path / "cache").glob("*.ledger"))) == 1
    assert plain.stdout == first.stdout == second.stdout


def test_progress_shows_files_total_pace_and_time_left_on_a_terminal(tmp_path: Path) -> None:
    many(tmp_path, 6000)
    parent, child = pty.openpty()
    process = subprocess.Popen([*SCAN, str(tmp_path)], stdout=subprocess.DEVNULL, stderr=child, cwd=ROOT)
    os.close(child)
    shown = b""
    while True:
        try:
            shown += os.read(parent, 65536)
        except OSError:
            break
    os.close(parent)
    assert process.wait(timeout=60) == 0
    lines = [line.decode() for line in shown.replace(b"\x1b[K", b"").split(b"\r") if line]
    assert any(" of 6,000 files, 0 findings, " in line and line.endswith(" left") for line in lines), lines
    assert all(len(line) < 80 for line in lines)


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        ((), "name files or folders to scan"),
        (("--sample", "many", TRAIN), "'many' is neither a number of files nor a percentage"),
        (("--exclude", "[z-a]", TRAIN), "'[z-a]' is no pattern"),
        (("--state", ROOT / "README.md", TRAIN), "as a ledger of scans: file is not a database"),
        (("--files-from", "/no/such/list"), "cannot read /no/such/list: No such file or directory"),
        (("--ignore-file", "/no/such/file", TRAIN), "does not exist"),
    ],
)
def test_a_mistake_ends_with_two_and_says_what_it_is(arguments: tuple[str | Path, ...], told: str) -> None:
    before = (ROOT / "README.md").read_bytes()
    done = scan(*arguments)
    assert done.returncode == 2
    assert told in " ".join(done.stderr.decode().split())
    assert b"Traceback" not in done.stderr and done.stdout == b""
    assert (ROOT / "README.md").read_bytes() == before
