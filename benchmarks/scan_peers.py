"""A scan beside other tools that look for broken images: processor time a file, and how much each finds.

    python benchmarks/scan_peers.py [--files N] [--rounds N] [--cleanvision PYTHON]

Peers: jpeginfo -c, pngcheck -q, ImageMagick's identify -regard-warnings, Pillow's load() in a loop, and cleanvision in
the interpreter that has it. Those that are missing are left out. A time is what each of N sound files costs a command
with all its processes, beyond its start: the best of all rounds. How many it finds is told of 20 files of each of nine
kinds of damage; cleanvision ends at the first one that it cannot read.
"""

from __future__ import annotations

import argparse
import ctypes
import os
import random
import re
import resource
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

from image_verify import photograph

PICTURES = 16
FEW = 20
DAMAGED_OF_A_KIND = 20
PR_SET_CHILD_SUBREAPER = 36

PILLOW = """
import sys
from PIL import Image
for path in sys.stdin.read().split("\\0"):
    try:
        with Image.open(path) as image:
            image.load()
    except Exception:
        print(path)
"""
CLEANVISION = "import sys; from cleanvision import Imagelab; Imagelab(data_path=sys.argv[1]).find_issues(n_jobs=1)"
PAGE = b"<!DOCTYPE html><html><head><title>404 Not Found</title></head><body>Not Found</body></html>"
POINTER = b"version https://git-lfs.github.com/spec/v1\noid sha256:" + b"a" * 64 + b"\nsize 48213\n"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--files", type=int, default=2000)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--cleanvision", default=sys.executable, metavar="PYTHON")
    arguments = parser.parse_args()
    ctypes.CDLL(None).prctl(PR_SET_CHILD_SUBREAPER, 1)  # what a command leaves behind is ours to wait for
    print(f"{'files':6} {'tool':28} {'us/file':>8} {'times ours':>10} {'found':>8} {'alarms':>6}")
    with tempfile.TemporaryDirectory() as folder:
        for kind, make in (("JPEG", jpegs), ("PNG", pngs)):
            folders = make_folders(Path(folder) / kind, *make(), arguments.files)
            commands = dict(commands_for(kind, arguments.cleanvision))
            compare(kind, folders, commands, arguments.rounds)


def commands_for(kind: str, cleanvision: str) -> Iterator[tuple[str, list[str]]]:
    """Ours first, then those that are there."""
    yield (
        "decodedoctor scan --jobs 1",
        [sys.executable, "-m", "diagnose", "scan", "--format=csv", "--quiet", "--jobs=1"],
    )
    yield "Pillow Image.open().load()", [sys.executable, "-c", PILLOW]
    special = ["jpeginfo", "-c"] if kind == "JPEG" else ["pngcheck", "-q"]
    for command in (special, ["identify", "-regard-warnings"]):
        if shutil.which(command[0]):
            yield " ".join(command), command
    if subprocess.run([cleanvision, "-c", "import cleanvision"], capture_output=True, check=False).returncode == 0:
        yield "cleanvision", [cleanvision, "-c", CLEANVISION]


def compare(kind: str, folders: Folders, commands: dict[str, list[str]], rounds: int) -> None:
    """A line for each command; the first one is ours. Each round goes through all: they meet the same machine."""
    files = len(list(folders.many.iterdir())) - len(list(folders.few.iterdir()))
    start, whole = (dict.fromkeys(commands, float("inf")) for _ in range(2))
    told: dict[str, str] = {}
    for _ in range(rounds):
        for name, command in commands.items():
            start[name] = min(start[name], run(command, folders.few)[0])
            seconds, told[name] = run(command, folders.many)
            whole[name] = min(whole[name], seconds)
    each = {name: (whole[name] - start[name]) / files for name in commands}
    ours = next(iter(each.values()))
    damaged = {path.name for path in folders.damaged.iterdir()}
    for name, command in commands.items():
        found = f"{len(flagged_by(name, run(command, folders.damaged)[1]) & damaged)}/{len(damaged)}"
        alarms = len(flagged_by(name, told[name]))
        print(f"{kind:6} {name:28} {1e6 * each[name]:8.0f} {each[name] / ours:10.2f} {found:>8} {alarms:6}", flush=True)


def run(command: list[str], folder: Path) -> tuple[float, str]:
    """Processor seconds of a command and all that it started, and what it said."""
    files = sorted(folder.iterdir())
    by_list = command[-1] == PILLOW
    by_folder = command[-1] == CLEANVISION or "scan" in command
    named = [] if by_list else [str(folder)] if by_folder else [path.name for path in files]
    before = waited_for()
    listed = "\0".join(path.name for path in files) if by_list else None
    done = subprocess.run(
        [*command, *named], input=listed, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, cwd=folder,
        check=False, errors="replace",
    )  # fmt: skip
    while True:
        try:
            os.wait()
        except ChildProcessError:
            return waited_for() - before, done.stdout


def waited_for() -> float:
    usage = resource.getrusage(resource.RUSAGE_CHILDREN)
    return usage.ru_utime + usage.ru_stime


def flagged_by(tool: str, told: str) -> set[str]:
    """The names of the files that a tool complains of."""
    lines = told.splitlines()
    if tool.startswith("decodedoctor"):
        lines = [line for line in lines if ",error," in line]
    elif tool.startswith("jpeginfo"):
        lines = [line for line in lines if " WARNING " in line or " ERROR " in line]
    elif tool.startswith("identify"):
        lines = [line for line in lines if line.startswith("identify")]
    return {name for line in lines for name in re.findall(r"(?:bad|ok)-[\w-]+\.\w+", line)}


@dataclass
class Folders:
    few: Path
    many: Path
    damaged: Path


Damages = dict[str, Callable[[bytes], bytes]]


def make_folders(root: Path, suffix: str, pictures: list[bytes], damages: Damages, files: int) -> Folders:
    """Few and many sound files, and damaged ones."""
    folders = Folders(root / "few", root / "many", root / "damaged")
    for folder, count in ((folders.few, FEW), (folders.many, files)):
        folder.mkdir(parents=True)
        for number in range(count):
            (folder / f"ok-{number:05}.{suffix}").write_bytes(pictures[number % len(pictures)])
    folders.damaged.mkdir()
    for name, damage in damages.items():
        for number in range(DAMAGED_OF_A_KIND):
            (folders.damaged / f"bad-{name}-{number}.{suffix}").write_bytes(damage(pictures[number % len(pictures)]))
    return folders


def jpegs() -> tuple[str, list[bytes], Damages]:
    chance = random.Random(1)
    pictures = [photograph(640, 480, quality=75) for _ in range(PICTURES)]
    damages = common_damages(chance) | {
        "no-end": lambda data: data[:-2],
        "zero-hole": lambda data: hole(data, chance, 4096),
        "small-hole": lambda data: hole(data, chance, 512),
        "flipped": lambda data: flipped(data, chance),
    }
    return "jpg", pictures, damages


def pngs() -> tuple[str, list[bytes], Damages]:
    chance = random.Random(1)
    pictures = [photograph(500, 375, grain=4, format="PNG") for _ in range(PICTURES)]
    damages = common_damages(chance) | {
        "no-end": lambda data: data[:-12],
        "bad-crc": lambda data: data[:29] + bytes([data[29] ^ 1]) + data[30:],
        "text-mode": lambda data: data.replace(b"\r\n", b"\n"),
        "flipped": lambda data: flipped(data, chance),
    }
    return "png", pictures, damages


def common_damages(chance: random.Random) -> Damages:
    return {
        "cut": lambda data: data[: int(len(data) * chance.uniform(0.1, 0.95))],
        "page": lambda _data: PAGE,
        "pointer": lambda _data: POINTER,
        "empty": lambda _data: b"",
        "zeros": lambda data: bytes(len(data)),
    }


def hole(data: bytes, chance: random.Random, size: int) -> bytes:
    """Sectors in the second half that were never written."""
    start = chance.randrange(len(data) // 2, len(data) - size) // 512 * 512
    return data[:start] + bytes(size) + data[start + size :]


def flipped(data: bytes, chance: random.Random) -> bytes:
    """One bit of the pixel data is another."""
    at = chance.randrange(len(data) // 3, len(data) - 100)
    return data[:at] + bytes([data[at] ^ 1 << chance.randrange(8)]) + data[at + 1 :]


if __name__ == "__main__":
    main()
