"""How many damaged images of a labelled corpus the scan finds, beside single decoders on the same files.

    python benchmarks/scan_accuracy.py CORPUS [--seconds 25]

CORPUS holds `files/` and `manifest.jsonl`: a line a file with `path`, `kind` (image), `format`, and `truth` (ok; odd:
valid but unusual; bad; anything else does not count). Decoders are taken where they are installed:

    pip install opencv-python-headless 'pyvips[binary]'
    apt-get install imagemagick jpeginfo pngcheck

A decoder counts as having found a bad file when it raises, returns nothing, crashes, hangs, or exits with an error. It
judges only formats of which it opens at least one file that is not bad: a decoder without TIFF finds no bad TIFF by
refusing all. `silent` are bad files that it decodes without an error, `alarms` sound files (ok) that it refuses.
"""

from __future__ import annotations

import argparse
import collections
import importlib
import json
import multiprocessing
import os
import resource
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from functools import partial
from importlib.util import find_spec
from pathlib import Path
from typing import NamedTuple

MEMORY_BYTES = 4 << 30
WORKERS = 4


class Image(NamedTuple):
    path: str
    format: str
    truth: str


def pillow_load(path: str) -> None:
    from PIL import Image as PillowImage

    with PillowImage.open(path) as image:
        image.load()


def pillow_verify(path: str) -> None:
    from PIL import Image as PillowImage

    with PillowImage.open(path) as image:
        image.verify()


def opencv(path: str) -> None:
    import cv2

    if cv2.imread(path, cv2.IMREAD_UNCHANGED) is None:
        raise ValueError("imread returns None")


def libvips(path: str) -> None:
    import pyvips

    pyvips.Image.new_from_file(path, fail_on="error").copy_memory()


IN_PROCESS: dict[str, tuple[str, Callable[[str], None]]] = {
    "Pillow load()": ("PIL", pillow_load),
    "Pillow verify()": ("PIL", pillow_verify),
    "OpenCV imread": ("cv2", opencv),
    "libvips, fail_on=error": ("pyvips", libvips),
}
PROGRAMS: dict[str, tuple[list[str], str]] = {
    "ImageMagick identify": (["identify"], ""),
    "ImageMagick identify -verbose": (["identify", "-verbose"], ""),
    "jpeginfo -c": (["jpeginfo", "-c"], "jpeg"),
    "pngcheck -q": (["pngcheck", "-q"], "png"),
}
"""Arguments before the file's name, and the only format that the program is for."""


def refused_in_child(decode: Callable[[str], None], path: str, seconds: int) -> bool:
    """Whether the decoder raises, crashes or hangs on the file."""
    child = os.fork()
    if not child:
        null = os.open(os.devnull, os.O_WRONLY)
        os.dup2(null, 1)
        os.dup2(null, 2)
        resource.setrlimit(resource.RLIMIT_AS, (MEMORY_BYTES, MEMORY_BYTES))
        signal.alarm(seconds)
        try:
            decode(path)
        except BaseException:  # whatever a decoder raises
            os._exit(1)
        os._exit(0)
    return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) != 0


def refused_by_program(command: list[str], path: str, seconds: int) -> bool:
    try:
        done = subprocess.run([*command, path], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, timeout=seconds)
    except subprocess.TimeoutExpired:
        return True
    return done.returncode != 0


def judged(refuses: Callable[[str], bool], images: list[Image]) -> set[str]:
    """The files that a decoder refuses."""
    paths = [image.path for image in images]
    with multiprocessing.get_context("fork").Pool(WORKERS) as workers:
        return {path for path, refused in zip(paths, workers.map(refuses, paths, 16), strict=True) if refused}


def scanned(corpus: Path, images: list[Image]) -> set[str]:
    """The files for which the scan reports an error. In a process of its own, since it leaves threads behind."""
    command = [sys.executable, "-m", "diagnose", "scan", "--format", "json", str(corpus / "files")]
    report = json.loads(subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL).stdout)
    errors = {os.path.realpath(one["subject"]["path"]) for one in report["diagnoses"] if one["severity"] == "error"}
    return {image.path for image in images if os.path.realpath(image.path) in errors}


def row(name: str, images: list[Image], refused: set[str], judges_all: bool) -> str:
    opened = {image.format for image in images if image.truth != "bad" and image.path not in refused}
    judged = images if judges_all else [image for image in images if image.format in opened]
    counts = collections.Counter((image.truth, image.path in refused) for image in judged)
    bad, found = counts["bad", True] + counts["bad", False], counts["bad", True]
    share = f"{100 * found / bad:.1f} %" if bad else "-"
    sound, alarms = counts["ok", True] + counts["ok", False], counts["ok", True]
    return f"| {name} | {bad} | {found} ({share}) | {bad - found} | {alarms} of {sound} |"


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("corpus", type=Path)
    parser.add_argument("--seconds", type=int, default=25, help="what a decoder may take for a file")
    args = parser.parse_args()
    lines = (args.corpus / "manifest.jsonl").read_text(encoding="utf-8").splitlines()
    images = [
        Image(str(args.corpus / one["path"]), one["format"], one["truth"])
        for one in map(json.loads, lines)
        if one["kind"] == "image" and one["truth"] in ("ok", "odd", "bad")
    ]
    print("| | bad it judges | found | silent | alarms |\n| --- | --- | --- | --- | --- |")
    print(row("decodedoctor scan", images, scanned(args.corpus, images), judges_all=True), flush=True)
    for name, (module, decode) in IN_PROCESS.items():
        if find_spec(module):
            importlib.import_module(module)
            if module == "PIL":
                importlib.import_module("PIL.Image").init()  # all plugins at once, not in every child
            refused = judged(partial(refused_in_child, decode, seconds=args.seconds), images)
            print(row(name, images, refused, judges_all=False), flush=True)
    for name, (command, only) in PROGRAMS.items():
        if shutil.which(command[0]):
            own = [one for one in images if not only or one.format == only]
            refused = judged(partial(refused_by_program, command, seconds=args.seconds), own)
            print(row(name, own, refused, judges_all=False), flush=True)
    print(f"{len(images)} images, {time.strftime('%Y-%m-%d')}", file=sys.stderr)
    return 0


if __name__ == "__main__":
    sys.exit(main())
