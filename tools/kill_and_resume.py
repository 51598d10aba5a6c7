"""Kills a scan with SIGKILL at random moments and resumes it, and compares its report with an undisturbed one's.

    python tools/kill_and_resume.py [--rounds 50] [--files 3000] [--seed 1] [--loss 1.0]

Each round scans a tree of its own making from the beginning with a new ledger, is killed some times, and then left
to its end. Exit status 1 if a report differs, if a finding that was told more than so many seconds (`--loss`)
before the kill is not in the ledger, or if a worker outlives its scan.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import signal
import sqlite3
import subprocess
import sys
import tempfile
import threading
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Any

TRAIN = Path(__file__).resolve().parent.parent / "fixtures" / "dataset" / "train"
MAX_KILLS = 4


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=50)
    parser.add_argument("--files", type=int, default=3000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--loss", type=float, default=1.0, help="more where others keep the machine busy")
    arguments = parser.parse_args()
    chance = random.Random(arguments.seed)
    with tempfile.TemporaryDirectory() as folder:
        data = Path(folder) / "data"
        make_tree(data, arguments.files, chance)
        started = time.monotonic()
        expected = finish(data, None)
        seconds = time.monotonic() - started
        right = sum(
            Round(data, Path(folder) / f"ledger-{n}", seconds, arguments.loss, chance).is_right(expected)
            for n in range(arguments.rounds)
        )
    print(f"{right} of {arguments.rounds} scans, killed and resumed, reported what an undisturbed one does")
    return int(right < arguments.rounds)


def make_tree(root: Path, files: int, chance: random.Random) -> None:
    """Copies of the fixtures: about one in ten is broken."""
    contents = [path.read_bytes() for path in sorted(TRAIN.iterdir()) if path.name.startswith("ok-")]
    broken = [path.read_bytes() for path in sorted(TRAIN.iterdir()) if not path.name.startswith("ok-")]
    for number in range(files):
        folder = root / f"{number % 17:02}"
        folder.mkdir(parents=True, exist_ok=True)
        (folder / f"{number:06}.jpg").write_bytes(chance.choice(broken if chance.random() < 0.1 else contents))


@dataclass
class Round:
    """One tree that is scanned into a new ledger, killed some times on the way."""

    data: Path
    ledger: Path
    undisturbed_seconds: float
    loss_seconds: float
    chance: random.Random

    def is_right(self, expected: dict[str, Any]) -> bool:
        """Whether the scan ends with the expected report, and lost little each time that it was killed."""
        kills = self.chance.randint(1, MAX_KILLS)
        for _ in range(kills):
            complaint = self.killed_after(self.chance.uniform(0.05, self.undisturbed_seconds * 0.7))
            if complaint:
                print(complaint)
                return False
        differing = differences(expected, finish(self.data, self.ledger))
        if differing:
            print(f"after {kills} kills the report differs:", *differing, sep="\n  ")
        return not differing

    def killed_after(self, seconds: float) -> str:
        """Kills a scan after so many seconds; what is wrong with what is left, or an empty string."""
        process = start(self.data, self.ledger, "jsonl")
        told: list[tuple[float, str]] = []
        reader = threading.Thread(target=read_rows, args=(process, told))
        reader.start()
        time.sleep(seconds)
        workers = children(process.pid)
        killed = time.monotonic()
        process.send_signal(signal.SIGKILL)
        process.wait()
        reader.join()
        if not all_gone(workers):
            return "a worker outlived its scan"
        lost = {name for at, name in told if at < killed - self.loss_seconds} - recorded(self.ledger)
        return f"lost more than the last {self.loss_seconds} s: {sorted(lost)[:3]}" if lost else ""


def read_rows(process: subprocess.Popen[bytes], told: list[tuple[float, str]]) -> None:
    """When a finding on which file was told."""
    assert process.stdout is not None
    for line in process.stdout:
        try:
            row = json.loads(line)
        except ValueError:  # cut by the kill
            return
        if row["type"] == "diagnosis":
            told.append((time.monotonic(), Path(row["subject"]["path"]).name))


def differences(expected: dict[str, Any], actual: dict[str, Any]) -> list[str]:
    """What of two reports is not the same, in short."""
    told = [f"{key}: {actual[key]}" for key in ("tool", "summary", "interrupted") if expected[key] != actual[key]]
    before, after = ({json.dumps(each, sort_keys=True) for each in one["diagnoses"]} for one in (expected, actual))
    told += [f"lacks {each[:300]}" for each in sorted(before - after)[:3]]
    told += [f"has {each[:300]}" for each in sorted(after - before)[:3]]
    return told or (["order or groups"] if expected != actual else [])


def start(data: Path, ledger: Path | None, form: str = "json") -> subprocess.Popen[bytes]:
    """A scan of `data` with a ledger."""
    command = [sys.executable, "-m", "diagnose", "scan", "--format", form, "--quiet", "--jobs", "2", str(data)]
    if ledger is not None:
        command += ["--state", str(ledger)]
    return subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)


def finish(data: Path, ledger: Path | None) -> dict[str, Any]:
    """The report of a scan that is left to its end."""
    out, _ = start(data, ledger).communicate()
    report: dict[str, Any] = json.loads(out)
    return report


def recorded(ledger: Path) -> set[str]:
    """The names of the files on which the ledger holds a finding."""
    if not ledger.exists():
        return set()
    with sqlite3.connect(ledger) as database:
        try:
            return {name for (name,) in database.execute("SELECT name FROM files WHERE verdicts IS NOT NULL")}
        except sqlite3.OperationalError:  # it was killed before it had made its tables
            return set()


def children(process: int) -> list[int]:
    """The processes that descend from one, where /proc tells."""
    found: list[int] = []
    for task in Path("/proc").glob(f"{process}/task/*/children"):
        try:
            below = task.read_text().split()
        except OSError:  # a thread, or the whole process, ended meanwhile
            continue
        for child in below:
            found += [int(child), *children(int(child))]
    return found


def all_gone(processes: list[int], seconds: float = 30.0) -> bool:
    """Whether these processes end within some seconds."""
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        if not any(is_running(process) for process in processes):
            return True
        time.sleep(0.05)
    return False


def is_running(process: int) -> bool:
    try:
        os.kill(process, 0)
        return Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except (ProcessLookupError, FileNotFoundError):
        return False


if __name__ == "__main__":
    sys.exit(main())
