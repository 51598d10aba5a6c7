"""Which patterns of the rules take longest on lines made to be hard for them.

    python tools/slow_patterns.py [--rules DIR] [--most 20]

Each pattern is tried on lines of 2 kB that repeat its literals with words, blanks, paths and numbers around them. What
takes more than a few milliseconds has repeats that can share their characters in many ways: bound them, or join them.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Iterator
from pathlib import Path

from diagnose.patterns import compile_line_pattern
from diagnose.patterns.literals import required_literals
from diagnose.pipelines.rulebook import load_rules, rule_files, shipped_rules

LINE_BYTES = 2000
ENOUGH_SECONDS = 0.2


def hostile_lines(literal: bytes) -> Iterator[bytes]:
    yield (literal + b" ") * (LINE_BYTES // (len(literal) + 1))
    yield literal + b" " + b"a" * LINE_BYTES
    yield b"a " * (LINE_BYTES // 4) + literal + b" word/word.word" * (LINE_BYTES // 30)
    yield b"[" + literal + b"'" + b"1, " * (LINE_BYTES // 3)


def slowest_seconds(expression: str) -> float:
    pattern = compile_line_pattern(expression)
    slowest = 0.0
    for literal in (required_literals(expression) or [b"x"])[:3]:
        for line in hostile_lines(literal):
            started = time.thread_time()
            pattern.search(line)
            slowest = max(slowest, time.thread_time() - started)
            if slowest > ENOUGH_SECONDS:
                return slowest
    return slowest


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rules", type=Path, action="append", default=[], metavar="DIR")
    parser.add_argument("--most", type=int, default=20)
    args = parser.parse_args()
    rules = load_rules(rule_files([shipped_rules(), *args.rules]))
    timed = sorted(((slowest_seconds(each), each) for each in rules.patterns), reverse=True)
    for seconds, expression in timed[: args.most]:
        print(f"{seconds * 1e3:7.1f} ms  {expression}")


if __name__ == "__main__":
    main()
