"""Mutated logs through `explain`: none may crash it, and none of up to 1 MB may take 2 seconds of
processor time.

    python tools/fuzz_explain.py [--count 200000] [--seed 1]

Seeds are the logs of fixtures/ and the examples of all rules. Prints a line for each failure (with the seed that makes
it again), and at the end the count, the slowest, and the rate. Exit status 1 on any failure.
"""

from __future__ import annotations

import argparse
import random
import sys
import time
from collections.abc import Callable
from io import BytesIO
from pathlib import Path

from diagnose.pipelines.explain import explain
from diagnose.pipelines.rulebook import Rulebook, rulebook
from diagnose.reports import explain_text, json_report, markdown

ROOT = Path(__file__).resolve().parent.parent
LIMIT_SECONDS = 2.0
LIMIT_BYTES = 1_000_000


def seeds(book: Rulebook) -> list[bytes]:
    logs = [path.read_bytes() for path in sorted((ROOT / "fixtures" / "logs").glob("*.log"))]
    return logs + [e.log.encode() for rule in book.rules.rules for e in rule.examples if e.log]


def flip(rng: random.Random, data: bytearray) -> None:
    for _ in range(rng.randrange(1, 9)):
        if data:
            data[rng.randrange(len(data))] = rng.randrange(256)


def cut(rng: random.Random, data: bytearray) -> None:
    start = rng.randrange(len(data) + 1)
    del data[start : start + rng.randrange(1, 200)]


def repeat(rng: random.Random, data: bytearray) -> None:
    start = rng.randrange(len(data) + 1)
    piece = bytes(data[start : start + rng.randrange(1, 400)])
    data[start:start] = piece * rng.choice((2, 30, 1000))


def insert(rng: random.Random, data: bytearray) -> None:
    at = rng.randrange(len(data) + 1)
    data[at:at] = rng.choice(HOSTILE) * rng.choice((1, 1, 50))


def recode(rng: random.Random, data: bytearray) -> None:
    text = bytes(data).decode("utf-8", "replace")
    data[:] = text.encode(rng.choice(("utf-16", "utf-16-le", "gb18030", "utf-8-sig")), "replace")


def numbers(rng: random.Random, data: bytearray) -> None:
    for index, byte in enumerate(data[:5000]):
        if 0x30 <= byte <= 0x39 and rng.random() < 0.3:
            data[index] = rng.randrange(0x30, 0x3A)


HOSTILE = (
    b"\x00", b"\x1b[31m", b"\x1b]0;x\x07", b"\r", b"\r\n", b"\n", b"\xff\xfe", b"\xe2\x80\xae", b"%s%n", b"{{}}", b"'",
    b'"', b"\\", b"`", b"$(id)", b"\x1f\x8b\x08", b"PK\x03\x04", b'{"log": "', b"9" * 40, b"-1", b"inf",
    b"nan", b"1e999", b"Caused by: ", b"During handling of the above exception", b"\xc3", b"A" * 5000,
)  # fmt: skip
MUTATIONS: tuple[Callable[[random.Random, bytearray], None], ...] = (flip, cut, repeat, insert, recode, numbers)


def mutated(rng: random.Random, pool: list[bytes]) -> bytes:
    data = bytearray(b"\n".join(rng.choice(pool) for _ in range(rng.choice((1, 1, 2, 5, 20)))))
    for _ in range(rng.randrange(1, 5)):
        rng.choice(MUTATIONS)(rng, data)
    return bytes(data[:LIMIT_BYTES])


def failure(data: bytes, book: Rulebook) -> tuple[str, float]:
    """What went wrong ("" for nothing), and the seconds it took."""
    started = time.process_time()
    try:
        report = explain(BytesIO(data), "fuzz.log", book)
        explain_text.render(report)
        json_report.render(report, 1)
        markdown.render(report)
    except Exception as error:  # whatever is raised here is what is looked for
        return f"{type(error).__name__}: {error}", time.process_time() - started
    seconds = time.process_time() - started
    return (f"took {seconds:.1f} s for {len(data)} bytes" if seconds > LIMIT_SECONDS else ""), seconds


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--count", type=int, default=200_000)
    parser.add_argument("--seed", type=int, default=1)
    args = parser.parse_args()
    book = rulebook()
    pool = seeds(book)
    failures, slowest, started = 0, 0.0, time.perf_counter()
    for number in range(args.count):
        told, seconds = failure(mutated(random.Random(args.seed * 1_000_003 + number), pool), book)
        slowest = max(slowest, seconds)
        if told:
            failures += 1
            print(f"--seed {args.seed}, log {number}: {told}", flush=True)
    rate = args.count / (time.perf_counter() - started)
    print(f"{args.count} logs, {failures} failures, slowest {slowest:.2f} s, {rate:.0f} logs/s")
    return int(failures > 0)


if __name__ == "__main__":
    sys.exit(main())
