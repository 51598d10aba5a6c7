"""What the machinery of a scan costs beside the work itself: ratios of figures that were taken in turns in one run.

    python benchmarks/scan_pipeline.py [--part overhead|workers|rescan|first|memory] [--rounds N] [--files N]

overhead  a scan with one worker against reading and verifying the same files in a loop, in processor time
workers   a scan with two workers against one with one
rescan    a tree that the ledger knows against `find -printf '%s %T@ %p\\n'`
first     from the start of the program to its first finding in `--format jsonl`
memory    resident memory of the main process at 100,000 and at 1,000,000 files (only when asked for: an hour)

Pictures are 640x480 JPEGs of its own making. Each figure is the best of all rounds: what else the machine does can
only make it worse.
"""

from __future__ import annotations

import argparse
import json
import os
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

from image_verify import photograph

WALL, PROCESSOR = "wall", "processor"
PICTURES = 24
PICTURE_FILES = 3000
TREE_FILES = 100_000
FILES_A_FOLDER = 1000
MEMORY_FILES = (100_000, 1_000_000)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--part", choices=list(PARTS), action="append")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--files", type=int, help="files of the tree or trees, in place of the usual number")
    parser.add_argument("--only", nargs=2, metavar=("WHAT", "FOLDER"), help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    if arguments.only is not None:
        print(json.dumps(MEASURED[arguments.only[0]](arguments.only[1])))
        return
    with tempfile.TemporaryDirectory() as folder:
        for part in arguments.part or ("overhead", "workers", "rescan", "first"):
            PARTS[part](Path(folder), arguments.rounds, arguments.files)


def overhead(folder: Path, rounds: int, files: int | None) -> None:
    few, many = pictures(folder, files)
    times = {"loop": [9e9], "loop, with the file's identification": [9e9], "scan": [9e9]}
    for _ in range(rounds):
        for name, what in zip(times, ("bare", "collected", "scan1"), strict=True):
            times[name].append(measured(what, many)[PROCESSOR] - measured(what, few)[PROCESSOR])
    bare = min(times["loop"])
    print("overhead, in processor time")
    for name, each in times.items():
        print(f"  {name:40} {1e6 * min(each) / (count(many) - count(few)):8.0f} us/file  {min(each) / bare - 1:+7.1%}")


def workers(folder: Path, rounds: int, files: int | None) -> None:
    few, many = pictures(folder, files)
    best = {(what, clock): 9e9 for what in ("scan1", "scan2") for clock in (WALL, PROCESSOR)}
    for _ in range(rounds):
        for what in ("scan1", "scan2"):
            start, whole = measured(what, few), measured(what, many)
            for clock in (WALL, PROCESSOR):
                best[what, clock] = min(best[what, clock], whole[clock] - start[clock])
    faster, dearer = best["scan1", WALL] / best["scan2", WALL], best["scan2", PROCESSOR] / best["scan1", PROCESSOR]
    print(f"workers: two are {faster:.2f} times as fast as one, and take {dearer:.2f} times its processor time")


def rescan(folder: Path, rounds: int, files: int | None) -> None:
    tree, ledger = folder / "tree", folder / "ledger"
    make_tree(tree, files or TREE_FILES)
    scan = [sys.executable, "-m", "diagnose", "scan", "--quiet", "--state", str(ledger), str(tree)]
    find = ["find", str(tree), "-printf", r"%s %T@ %p\n"]
    seconds(scan)
    best = [9e9, 9e9]
    for _ in range(rounds):
        best = [min(best[0], seconds(find)), min(best[1], seconds(scan))]
    times = best[1] / best[0]
    print(f"rescan of {files or TREE_FILES:,} files: find {best[0]:.3f} s, scan {best[1]:.3f} s, {times:.2f} times")
    shutil.rmtree(tree)


def first(folder: Path, rounds: int, files: int | None) -> None:
    tree = folder / "first"
    make_tree(tree, files or TREE_FILES)
    (tree / "00000" / "00000003.jpg").write_bytes(b"<html></html>")
    best = 9e9
    for _ in range(rounds):
        started = time.perf_counter()
        command = [sys.executable, "-m", "diagnose", "scan", "--format", "jsonl", "--quiet", str(tree)]
        with subprocess.Popen(command, stdout=subprocess.PIPE) as process:
            assert process.stdout is not None
            process.stdout.readline()
            best = min(best, time.perf_counter() - started)
            process.kill()
    print(f"first finding after {best:.2f} s")
    shutil.rmtree(tree)


def memory(folder: Path, _rounds: int, files: int | None) -> None:
    for number in [files] if files else MEMORY_FILES:
        tree = folder / f"memory-{number}"
        make_tree(tree, number, broken_every=1000)
        started = time.perf_counter()
        command = [
            sys.executable,
            "-m",
            "diagnose",
            "scan",
            "--quiet",
            "--state",
            str(folder / f"ledger-{number}"),
            str(tree),
        ]
        print(f"memory at {number:,} files: {peak(command) >> 10:,} MiB resident at most, ", end="")
        print(f"{time.perf_counter() - started:,.0f} s; known to the ledger: {peak(command) >> 10:,} MiB", flush=True)
        shutil.rmtree(tree)


def pictures(folder: Path, files: int | None) -> tuple[Path, Path]:
    """Folders with few and with many pictures; what both take is the same start-up."""
    few, many = folder / "few", folder / "many"
    if not many.exists():
        made = [photograph(640, 480, quality=75) for _ in range(PICTURES)]
        for path, number in ((few, PICTURES), (many, files or PICTURE_FILES)):
            path.mkdir()
            for each in range(number):
                (path / f"{each:06}.jpg").write_bytes(made[each % PICTURES])
    return few, many


def make_tree(root: Path, files: int, broken_every: int = 0) -> None:
    """Small pictures, a thousand a folder."""
    data = photograph(32, 24, quality=75)
    for start in range(0, files, FILES_A_FOLDER):
        folder = root / f"{start // FILES_A_FOLDER:05}"
        folder.mkdir(parents=True)
        for number in range(start, min(files, start + FILES_A_FOLDER)):
            is_broken = broken_every and number % broken_every == 0
            (folder / f"{number:08}.jpg").write_bytes(data[:-200] if is_broken else data)


def count(folder: Path) -> int:
    return len(os.listdir(folder))


def measured(what: str, folder: Path) -> dict[str, float]:
    """Seconds by either clock that a process of its own needed for one of `MEASURED`, without its start."""
    command = [sys.executable, __file__, "--only", what, str(folder)]
    out = subprocess.run(command, stdout=subprocess.PIPE, check=True).stdout
    return dict(json.loads(out))


def seconds(command: list[str]) -> float:
    started = time.perf_counter()
    subprocess.run(command, stdout=subprocess.DEVNULL, check=False)
    return time.perf_counter() - started


def peak(command: list[str]) -> int:
    """KiB of resident memory that the process itself (none of its workers) had at most."""
    with subprocess.Popen(command, stdout=subprocess.DEVNULL) as process:
        highest = 0
        while process.poll() is None:
            time.sleep(0.2)
            try:
                status = Path(f"/proc/{process.pid}/status").read_text()
            except OSError:
                break
            lines = [line for line in status.splitlines() if line.startswith("VmHWM:")]
            highest = max(highest, int(lines[0].split()[1]) if lines else 0)
    return highest


def bare(folder: str) -> dict[str, float]:
    from diagnose.collectors.image import collect

    def verify(path: str) -> None:
        with open(path, "rb") as stream:
            data = stream.read()
        collect(data, "jpeg", len(data))

    return looped(folder, verify)


def collected(folder: str) -> dict[str, float]:
    from diagnose.pipelines.files import collect_path

    return looped(folder, lambda path: collect_path(path))


def looped(folder: str, look: Callable[[str], object]) -> dict[str, float]:
    paths = sorted(entry.path for entry in os.scandir(folder))
    with Clocks() as clocks:
        for path in paths:
            look(path)
    return clocks.taken


def scanned(folder: str, jobs: int) -> dict[str, float]:
    from diagnose.pipelines.rulebook import rulebook
    from diagnose.pipelines.scan import ScanRequest, scan

    rules = rulebook(with_patterns=False).rules
    with Clocks() as clocks:
        report = scan(ScanRequest([folder], jobs=jobs), rules)
    assert report.summary.errors == 0
    return clocks.taken


class Clocks:
    """What the block took by either clock; processor time is that of this process and all its descendants."""

    def __enter__(self) -> Clocks:
        self._started = time.perf_counter(), spent(os.getpid())
        return self

    def __exit__(self, *_: object) -> None:
        wall, processor = self._started
        self.taken = {WALL: time.perf_counter() - wall, PROCESSOR: spent(os.getpid()) - processor}


def spent(process: int) -> float:
    """Processor seconds of a process, its children, and theirs that have ended (proc(5), fields 14 to 17 of stat)."""
    stat = Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()
    below = [spent(int(child)) for each in Path(f"/proc/{process}/task").iterdir() for child in children(each)]
    return sum(map(int, stat[11:15])) / os.sysconf("SC_CLK_TCK") + sum(below)


def children(task: Path) -> list[str]:
    return (task / "children").read_text().split()


PARTS: dict[str, Callable[[Path, int, int | None], None]] = {
    "overhead": overhead,
    "workers": workers,
    "rescan": rescan,
    "first": first,
    "memory": memory,
}
MEASURED: dict[str, Callable[[str], dict[str, float]]] = {
    "bare": bare,
    "collected": collected,
    "scan1": lambda folder: scanned(folder, 1),
    "scan2": lambda folder: scanned(folder, 2),
}

if __name__ == "__main__":
    main()
