"""Mutated images through the scan of one file: none may raise, hang, or crash anything but a decoder library.

    python tools/fuzz_scan.py [--count 100000] [--seed 1] [--format jp2]

Seeds are those of image_seeds.py. Each image is judged in a child process, as the scan's workers do it. An exception of
our own code or more than 30 seconds of processor time is a failure (exit status 1). Any other signal that ends the
child comes from a decoder's C code, since ours is Python; the scan survives it and names the file, so that it is told
but is no failure. Prints a line for each, with the number of the image (`--only NUMBER` writes it to a file).
"""

from __future__ import annotations

import argparse
import contextlib
import multiprocessing
import os
import random
import re
import resource
import signal
import sys
import time
from collections.abc import Callable
from multiprocessing.connection import Connection

from image_seeds import Seed, seeds

import diagnose

HANG_SECONDS = 30
"""Of processor time: a loaded machine makes nothing hang."""

SILENCE_SECONDS = 1800
MEMORY_BYTES = 4 << 30
MAX_BYTES = 1 << 20


def flip(rng: random.Random, data: bytearray, _: list[Seed]) -> None:
    for _ in range(rng.choice((1, 1, 2, 8, 64))):
        data[_place(rng, data)] = rng.choice((0, 1, 0x7F, 0x80, 0xFF, rng.randrange(256)))


def number(rng: random.Random, data: bytearray, _: list[Seed]) -> None:
    """A field of two, four or eight bytes becomes an extreme."""
    size = rng.choice((2, 4, 4, 8))
    bits = 8 * size
    value = rng.choice((0, 1, (1 << bits) - 1, (1 << bits - 1) - 1, 1 << bits - 1))
    at = _place(rng, data)
    data[at : at + size] = value.to_bytes(size, rng.choice(("big", "little")))


def cut(rng: random.Random, data: bytearray, _: list[Seed]) -> None:
    del data[rng.randrange(len(data)) :]


def lose(rng: random.Random, data: bytearray, _: list[Seed]) -> None:
    at = rng.randrange(len(data))
    del data[at : at + rng.choice((1, 2, 16, len(data) // 8 + 1))]


def zero(rng: random.Random, data: bytearray, _: list[Seed]) -> None:
    at = rng.randrange(len(data))
    size = min(rng.choice((4, 64, 512, 4096)), len(data) - at)
    data[at : at + size] = rng.choice((b"\0", b"\xff")) * size


def repeat(rng: random.Random, data: bytearray, _: list[Seed]) -> None:
    at = rng.randrange(len(data))
    data[at:at] = bytes(data[at : at + rng.randrange(1, 300)]) * rng.choice((1, 2, 40, 400))


def splice(rng: random.Random, data: bytearray, pool: list[Seed]) -> None:
    other = rng.choice(pool).data
    data[rng.randrange(len(data)) :] = other[rng.randrange(len(other)) :]


def text(rng: random.Random, data: bytearray, _: list[Seed]) -> None:
    content = bytes(data)
    as_unicode = rng.choice((content.decode("latin-1"), content.decode("utf-8", "replace")))
    converted = (content.replace(b"\n", b"\r\n"), as_unicode.encode(), repr(content).encode(), content.hex().encode())
    data[:] = rng.choice(converted)


MUTATIONS: tuple[Callable[[random.Random, bytearray, list[Seed]], None], ...] = (
    flip, flip, flip, number, number, cut, lose, zero, repeat, splice, text,
)  # fmt: skip


def _place(rng: random.Random, data: bytearray) -> int:
    """Rather at the beginning, where the headers are."""
    return min(int(rng.expovariate(1 / 80)) if rng.random() < 0.6 else rng.randrange(len(data)), len(data) - 1)


def mutated(seed: int, image: int, pool: list[Seed]) -> Seed:
    rng = random.Random(seed * 1_000_003 + image)
    chosen = rng.choice(pool)
    data = bytearray(chosen.data)
    for _ in range(rng.choice((1, 1, 1, 2, 4))):
        if data:
            rng.choice(MUTATIONS)(rng, data, pool)
    name = rng.choice(pool).name if rng.random() < 0.05 else chosen.name
    return Seed(name, bytes(data[:MAX_BYTES]))


def judge(numbers: range, seed: int, pool: list[Seed], wire: Connection) -> None:
    """A child's work: says which image it begins, and what came of it with the seconds that it took."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), 2)
    with contextlib.suppress(ValueError, OSError):
        resource.setrlimit(resource.RLIMIT_AS, (MEMORY_BYTES, MEMORY_BYTES))
    for image in numbers:
        wire.send((image, None, 0.0))
        signal.setitimer(signal.ITIMER_PROF, HANG_SECONDS)  # ends this process with SIGPROF
        name, data = mutated(seed, image, pool)
        started = time.process_time()
        try:
            diagnose.check_bytes(data, name)
            told = ""
        except Exception as error:  # whatever is raised here is what is looked for
            told = f"{type(error).__name__}: {error}"
        signal.setitimer(signal.ITIMER_PROF, 0)
        wire.send((image, told, time.process_time() - started))


class Tally:
    """What has been seen so far."""

    def __init__(self) -> None:
        self.done = self.failures = self.crashes = 0
        self.slowest = (0.0, 0)

    def tell(self, image: int, name: str, told: str, failure: bool = True) -> None:
        self.failures += failure
        self.crashes += not failure
        print(f"image {image} ({name}): {told}", flush=True)


def run(first: int, count: int, seed: int, pool: list[Seed], tally: Tally) -> int:
    """Has a new child judge the images from `first` on. Returns the first that is still to do."""
    here, there = multiprocessing.Pipe(duplex=False)
    child = multiprocessing.get_context("forkserver").Process(
        target=judge, args=(range(first, count), seed, pool, there)
    )
    child.start()
    there.close()
    at = first
    try:
        while at < count:
            if not here.poll(SILENCE_SECONDS):
                child.kill()
                tally.tell(at, mutated(seed, at, pool).name, f"no answer within {SILENCE_SECONDS} s")
                return at + 1
            image, told, seconds = here.recv()
            if told is None:
                at = image
                continue
            tally.done += 1
            tally.slowest = max(tally.slowest, (seconds, image))
            if told:
                tally.tell(image, mutated(seed, image, pool).name, told)
            at = image + 1
    except EOFError:
        child.join()
        hangs = child.exitcode == -signal.SIGPROF
        told = f"took {HANG_SECONDS} s" if hangs else f"a decoder crashes (exit code {child.exitcode})"
        tally.tell(at, mutated(seed, at, pool).name, told, failure=hangs)
        return at + 1
    finally:
        child.join()
    return at


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--count", type=int, default=100_000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--format", default="", help="only seeds whose name matches this expression")
    parser.add_argument("--only", type=int, help="write the image of this number to a file of its name, and end")
    args = parser.parse_args()
    pool = [seed for seed in seeds() if re.search(args.format, seed.name)]
    if args.only is not None:
        image = mutated(args.seed, args.only, pool)
        with open(image.name, "wb") as file:
            file.write(image.data)
        print(image.name)
        return 0
    tally, started, at = Tally(), time.perf_counter(), 0
    while at < args.count:
        at = run(at, args.count, args.seed, pool, tally)
    rate = args.count / (time.perf_counter() - started)
    print(
        f"{args.count} images, {tally.failures} failures, {tally.crashes} decoder crashes, "
        f"slowest {tally.slowest[0]:.1f} s (image {tally.slowest[1]}), {rate:.0f} images/s"
    )
    return int(tally.failures > 0)


if __name__ == "__main__":
    sys.exit(main())
