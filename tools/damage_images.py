"""What the scan misses: sound images of every format, damaged in every way of a list, one damage at a time.

    python tools/damage_images.py [--format png] [--misses] [--folder DIR]

A damage counts as seen when the scan reports an error (or, in the second column, a warning). Where a damage leaves the
pixels of every frame as they were by Pillow's word, it does not count. Without a checksum a changed sample looks like
any other, so that formats of bare samples (BMP, PPM, TGA ...) can't reach 100 % in holes, flips and swaps; cuts,
lost and inserted blocks and header fields they can. `--folder` takes further sound files from a folder.
"""

from __future__ import annotations

import argparse
import collections
import hashlib
import io
import multiprocessing
import os
import re
import sys
import warnings
from collections.abc import Iterator
from pathlib import Path

from image_seeds import Seed, seeds

import diagnose
from diagnose.diagnosis import Severity

STEPS = 16
HEADER = 64


def damages(data: bytes) -> Iterator[tuple[str, str, bytes]]:
    """Family of the damage, its place, and the damaged file."""
    size = len(data)
    step = max(1, size // STEPS)
    for number in range(1, STEPS):
        at = number * size // STEPS
        yield "cut", f"at {at}", data[:at]
        yield "zero hole", f"at {at}", data[:at] + bytes(len(data[at : at + step])) + data[at + step :]
        yield "lost block", f"at {at}", data[:at] + data[at + step :]
        yield "inserted byte", f"at {at}", data[:at] + b"\x5a" + data[at:]
        yield "flipped bit", f"at {at}", _flipped(data, at, 1 << number % 8)
        if number + 1 < STEPS:
            one, two = data[at : at + step], data[at + step : at + 2 * step]
            yield "swapped blocks", f"at {at}", data[:at] + two + one + data[at + 2 * step :]
    for count in (1, 2, 4, 8, 16):
        yield "cut end", f"by {count}", data[:-count]
    for at in range(min(HEADER, size)):
        yield "header byte", f"{at} inverted", _flipped(data, at, 0xFF)
    yield "text", "LF to CRLF", data.replace(b"\n", b"\r\n")
    yield "text", "CRLF to LF", data.replace(b"\r\n", b"\n")
    yield "text", "U+FFFD", data.decode("utf-8", "replace").encode()
    yield "text", "latin-1 to UTF-8", data.decode("latin-1").encode()
    yield "text", "seven bits", bytes(byte & 0x7F for byte in data)
    yield "zero tail", "second half", data[: size // 2] + bytes(size - size // 2)


def _flipped(data: bytes, at: int, bits: int) -> bytes:
    return data[:at] + bytes([data[at] ^ bits]) + data[at + 1 :]


def pixels(data: bytes) -> str | None:
    """A digest of all frames' pixels, None where Pillow refuses the file."""
    from PIL import Image

    digest = hashlib.sha256()
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            with Image.open(io.BytesIO(data)) as image:
                for frame in range(min(getattr(image, "n_frames", 1), 64)):
                    image.seek(frame)
                    digest.update(f"{image.mode} {image.size} {image.format}".encode())
                    digest.update(image.tobytes())
    except Exception:  # whatever a plugin raises
        return None
    return digest.hexdigest()


def worst(name: str, data: bytes) -> tuple[int, str]:
    """3 for an error, 2 for a warning, 0 for less; and the rules."""
    found = diagnose.check_bytes(data, name)
    ranks = {Severity.ERROR: 3, Severity.WARNING: 2}
    rank = max((ranks.get(one.severity, 0) for one in found), default=0)
    return rank, " ".join(one.rule for one in found)


def examine(seed: Seed) -> list[tuple[str, str, str, int, str]]:
    """For every damage of a seed that counts: name, family, place, rank, rules."""
    import pillow_heif

    os.dup2(os.open(os.devnull, os.O_WRONLY), 2)
    pillow_heif.register_heif_opener()
    whole, rows = pixels(seed.data), []
    for family, place, data in damages(seed.data):
        if data == seed.data or (whole is not None and pixels(data) == whole and not family.startswith("cut")):
            continue
        rows.append((seed.name, family, place, *worst(seed.name, data)))
    return rows


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--format", default="", help="only seeds whose name matches this expression")
    parser.add_argument("--family", default="", help="list misses of this family only")
    parser.add_argument("--misses", action="store_true", help="list what was not seen")
    parser.add_argument("--folder", type=Path, help="further sound files")
    args = parser.parse_args()
    pool = seeds()
    if args.folder:
        pool = [Seed(path.name, path.read_bytes()) for path in sorted(args.folder.iterdir())]
    pool = [seed for seed in pool if re.search(args.format, seed.name)]
    table: dict[str, collections.Counter[str]] = collections.defaultdict(collections.Counter)
    missed = []
    with multiprocessing.get_context("forkserver").Pool(2, maxtasksperchild=4) as workers:
        for rows in workers.imap(examine, pool):
            for name, family, place, rank, rules in rows:
                for key in (name.split("-", 1)[-1], family):
                    table[key]["all"] += 1
                    table[key]["error"] += rank == 3
                    table[key]["warning"] += rank == 2
                if rank < 3 and family.startswith(args.family):
                    missed.append(f"{name}: {family} {place}: {'warned' if rank else 'silent'} {rules}")
    print(f"{'seed or damage':24}{'damages':>9}{'errors':>9}{'warned':>9}{'silent':>9}")
    for key, row in table.items():
        silent = row["all"] - row["error"] - row["warning"]
        print(f"{key:24}{row['all']:9}{row['error']:9}{row['warning']:9}{silent:9}")
    if args.misses:
        print("\n".join(missed))
    return 0


if __name__ == "__main__":
    sys.exit(main())
