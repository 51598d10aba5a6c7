"""A scan with a ledger goes on where another was ended, and its report is that of an undisturbed one."""

from __future__ import annotations

import os
import sqlite3
import subprocess
import sys
from pathlib import Path

import pytest
from scan_samples import mixed_tree, plain, scanned

from diagnose.diagnosis import Severity
from diagnose.pipelines.rulebook import Rulebook
from diagnose.pipelines.scan import ledger as ledgers
from diagnose.pipelines.scan import pool
from diagnose.pipelines.scan.entries import File, Listed
from diagnose.pipelines.scan.errors import ScanError
from diagnose.pipelines.scan.ledger import Ledger
from diagnose.pipelines.scan.recall import Recalled, recall
from diagnose.pipelines.scan.stamp import stamp_of
from diagnose.pipelines.scan.verdict import Verdict

ROOT = Path(__file__).resolve().parents[3]
BAD = Verdict("image/x", "cut", Severity.ERROR, b"{}")


def no_worker(paths: list[str]) -> bytes:
    raise AssertionError(f"{paths} were examined")


def known(ledger: Ledger, files: list[File]) -> list[list[Verdict] | None]:
    """What the ledger says of each of these files, neighbours at once; None where it knows nothing."""
    answers: dict[File, list[Verdict] | None] = {}
    for folder in dict.fromkeys(file.folder for file in files):
        group = [file for file in files if file.folder == folder]
        listed = Listed(folder, "", [f.name for f in group], [f.size_bytes for f in group], [f.mtime_ns for f in group])
        others: dict[str, list[Verdict]] = {}
        rest: list[File] = []
        sound = 0
        for item in recall([listed], ledger):
            if isinstance(item, Recalled):
                others, sound = dict(item.others), item.sound
            elif isinstance(item, Listed):
                rest = list(item.files())
        answers.update({file: None if file in rest else others.get(file.path, []) for file in group})
        assert sound == sum(answers[file] == [] for file in group)
    return [answers[file] for file in files]


def test_what_was_recorded_is_known_and_nothing_else(tmp_path: Path) -> None:
    sound, bad, name = File("/a/", "sound", 1, 2), File("/a/", "caf\udce9", 3, 4), File("/a/", "图", 5, 6)
    first = Ledger(tmp_path / "ledger", "rules 1")
    first.record(sound, ())
    first.record(bad, [BAD])
    first.record(name, ())
    first.close()
    again = Ledger(tmp_path / "ledger", "rules 1")
    changed = [File("/a/", "other", 1, 2), File("/a/", "图", 5, 7), File("/b/", "sound", 1, 2)]
    assert known(again, [sound, bad, name]) == [[], [BAD], []]
    assert known(again, [File("/a/", "sound", 9, 2), bad, *changed]) == [None, [BAD], None, None, None]
    assert known(again, [File("/a/", "sound", 1, 9)]) == [None]
    assert known(Ledger(tmp_path / "ledger", "rules 2"), [sound, bad]) == [None, None]


def test_a_folder_is_the_same_by_whatever_path(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "data").mkdir()
    monkeypatch.chdir(tmp_path)
    ledger = Ledger(tmp_path / "ledger", "s")
    ledger.record(File("data/", "x", 1, 1), ())
    ledger.commit()
    assert known(ledger, [File(f"{tmp_path}/data/", "x", 1, 1)]) == [[]]


def test_few_files_of_a_large_folder_and_times_beyond_64_bits(tmp_path: Path) -> None:
    ledger = Ledger(tmp_path / "ledger", "s")
    files = [File("/a/", f"{number:05}", number, (1 << 63) + number) for number in range(6000)]
    for file in files[::2]:
        ledger.record(file, [BAD] if file.size_bytes % 3 else ())
    ledger.commit()
    expected = [None if file.size_bytes % 2 else [BAD] if file.size_bytes % 3 else [] for file in files]
    assert known(ledger, files) == expected
    assert known(ledger, files[::-700]) == expected[::-700]


def test_verdicts_that_cannot_be_read_are_made_anew(tmp_path: Path) -> None:
    ledger = Ledger(tmp_path / "ledger", "s")
    ledger.record(File("/a/", "x", 1, 1), [BAD])
    ledger.commit()
    with sqlite3.connect(tmp_path / "ledger") as database:
        database.execute("UPDATE files SET verdicts = x'c1ff'")
    assert known(ledger, [File("/a/", "x", 1, 1)]) == [None]


def test_a_commit_comes_by_itself_within_a_second(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    now = [100.0]
    monkeypatch.setattr(ledgers.time, "monotonic", lambda: now[0])
    ledger = Ledger(tmp_path / "ledger", "s")
    first, second = File("/a/", "1", 1, 1), File("/a/", "2", 1, 1)
    ledger.record(first, ())
    ledger.commit_when_due()
    assert known(ledger, [first]) == [[]]
    ledger.record(second, ())
    ledger.commit_when_due()
    assert known(ledger, [second]) == [None]
    now[0] += 0.5
    ledger.commit_when_due()
    assert known(ledger, [second]) == [[]]


def test_what_is_no_ledger_is_not_touched(tmp_path: Path) -> None:
    other = tmp_path / "other.sqlite"
    with sqlite3.connect(other) as database:
        database.execute("CREATE TABLE mine (x)")
    text = tmp_path / "notes.txt"
    text.write_text("precious\n" * 100)
    before = other.read_bytes(), text.read_bytes()
    for path in (other, text):
        with pytest.raises(ScanError, match=f"cannot use {path} as a ledger"):
            Ledger(path, "s")
    assert (other.read_bytes(), text.read_bytes()) == before


def test_a_ledger_that_can_no_longer_be_written_does_not_end_the_scan(tmp_path: Path, book: Rulebook) -> None:
    mixed_tree(tmp_path / "data")
    state = tmp_path / "ledger"
    Ledger(state, "s").close()
    with sqlite3.connect(state) as database:
        database.execute("CREATE TRIGGER full BEFORE INSERT ON files BEGIN SELECT RAISE(ABORT, 'disk full'); END")
    report = scanned(book, tmp_path / "data", state=state)
    assert report.remarks == ["the ledger could not be written: disk full"]
    assert report.groups == scanned(book, tmp_path / "data").groups


def test_a_second_scan_examines_only_what_has_changed(
    tmp_path: Path, book: Rulebook, monkeypatch: pytest.MonkeyPatch
) -> None:
    data, state = tmp_path / "data", tmp_path / "ledger"
    mixed_tree(data)
    first = scanned(book, data, state=state)
    with monkeypatch.context() as patch:
        patch.setattr(pool, "examine", no_worker)
        assert plain(scanned(book, data, state=state)) == plain(first)
    os.truncate(data / "part-1" / "001.jpg", 300)
    (data / "part-2" / "new.jpg").write_bytes(b"")
    (data / "page.jpg").unlink()
    assert plain(scanned(book, data, state=state)) == plain(scanned(book, data))


def test_other_rules_or_another_language_make_a_ledger_s_verdicts_void(tmp_path: Path) -> None:
    plain_stamp = stamp_of((), "en")
    assert stamp_of((), "en") == plain_stamp
    rules = tmp_path / "rules"
    rules.mkdir()
    (rules / "mine.yaml").write_text("rules: []\n")
    mine = stamp_of([rules], "en")
    (rules / "mine.yaml").write_text("rules: [ ]\n")
    stamps = {plain_stamp, stamp_of((), "zh"), mine, stamp_of([rules], "en"), stamp_of((), "en", ["target x"])}
    assert len(stamps) == 5


def test_a_model_that_points_to_other_files_is_looked_at_again(tmp_path: Path, book: Rulebook) -> None:
    data, state = tmp_path / "data", tmp_path / "ledger"
    data.mkdir()
    (data / "model.safetensors.index.json").write_text('{"weight_map": {"w": "model-1.safetensors"}}')
    before = scanned(book, data, state=state)
    (data / "model-1.safetensors").write_bytes((2).to_bytes(8, "little") + b"{}")
    after = scanned(book, data, state=state)
    assert before.summary.errors == 1 and after.summary.errors == 0


def test_killed_and_resumed_scans_report_what_an_undisturbed_one_does() -> None:
    script = ROOT / "tools" / "kill_and_resume.py"
    command = [sys.executable, str(script), "--rounds", "2", "--files", "500", "--loss", "10"]
    done = subprocess.run(command, capture_output=True, timeout=600)  # a minute on a loaded machine
    assert done.returncode == 0, done.stdout.decode() + done.stderr.decode()
    assert b"2 of 2 scans" in done.stdout
