"""Kills a scan with SIGKILL at random moments and resumes it, and compares its report with an undisturbed one's.

    python tools/kill_and_resume.py [--rounds 50] [--files 3000] [--seed 1]

Each round scans a tree of its own making from the beginning with a new ledger, is killed some times, and then left
to its end. Exit status 1 if a report differs, if a resumed scan repeats more than it may, or if a worker outlives
its scan.
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
import time
from pathlib import Path
from typing import Any

TRAIN = Path(__file__).resolve().parent.parent / "fixtures" / "dataset" / "train"
MAX_KILLS = 4


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=50)
    parser.add_argument("--files", type=int, default=3000)
    parser.add_argument("--seed", type=int, default=1)
    arguments = parser.parse_args()
    chance = random.Random(arguments.seed)
    with tempfile.TemporaryDirectory() as folder:
        data = Path(folder) / "data"
        make_tree(data, arguments.files, chance)
        started = time.monotonic()
        expected = finish(data, None)
        seconds = time.monotonic() - started
        right = sum(
            one_round(data, Path(folder) / f"ledger-{n}", expected, seconds, chance) for n in range(arguments.rounds)
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


def one_round(data: Path, ledger: Path, expected: dict[str, Any], seconds: float, chance: random.Random) -> bool:
    """Whether a scan that is killed some times ends with the expected report, and lost little each time."""
    kills = chance.randint(1, MAX_KILLS)
    recorded = 0
    for _ in range(kills):
        process = start(data, ledger)
        time.sleep(chance.uniform(0.05, seconds * 0.7))
        workers = children(process.pid)
        process.send_signal(signal.SIGKILL)
        process.wait()
        if not all_gone(workers):
            print("a worker outlived its scan by seconds")
            return False
        now = rows(ledger)
        if now < recorded:
            print(f"the ledger shrank from {recorded} to {now} files")
            return False
        recorded = now
    differing = differences(expected, finish(data, ledger))
    if differing:
        print(f"after {kills} kills the report differs:", *differing, sep="\n  ")
    return not differing


def differences(expected: dict[str, Any], actual: dict[str, Any]) -> list[str]:
    """What of two reports is not the same, in short."""
    told = [f"{key}: {actual[key]}" for key in ("tool", "summary", "interrupted") if expected[key] != actual[key]]
    before, after = ({json.dumps(each, sort_keys=True) for each in one["diagnoses"]} for one in (expected, actual))
    told += [f"lacks {each[:300]}" for each in sorted(before - after)[:3]]
    told += [f"has {each[:300]}" for each in sorted(after - before)[:3]]
    return told or (["order or groups"] if expected != actual else [])


def start(data: Path, ledger: Path | None) -> subprocess.Popen[bytes]:
    """A scan of `data` with a ledger."""
    command = [sys.executable, "-m", "diagnose", "scan", "--format", "json", "--quiet", "--jobs", "2", str(data)]
    if ledger is not None:
        command += ["--state", str(ledger)]
    return subprocess.Popen(command, stdout=subprocess.PIPE)


def finish(data: Path, ledger: Path | None) -> dict[str, Any]:
    """The report of a scan that is left to its end."""
    out, _ = start(data, ledger).communicate()
    report: dict[str, Any] = json.loads(out)
    return report


def rows(ledger: Path) -> int:
    """How many files the ledger holds."""
    if not ledger.exists():
        return 0
    with sqlite3.connect(ledger) as database:
        try:
            return int(database.execute("SELECT count(*) FROM files").fetchone()[0])
        except sqlite3.OperationalError:  # it was killed before it had made its tables
            return 0


def children(process: int) -> list[int]:
    """The processes that descend from one, where /proc tells."""
    found: list[int] = []
    for task in Path("/proc").glob(f"{process}/task/*/children"):
        for child in task.read_text().split():
            found += [int(child), *children(int(child))]
    return found


def all_gone(processes: list[int], seconds: float = 5.0) -> bool:
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
