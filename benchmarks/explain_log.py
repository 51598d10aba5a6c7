"""explain on a large log against ripgrep with the same patterns, in one run.

    python benchmarks/explain_log.py [--gigabytes 1] [--rounds 3]

Makes a log of the given size from lines of usual shapes (a few of them failures), then times, in turn:
`decodedoctor explain`, end to end as a process, with its peak resident memory; and `rg -c -i -f PATTERNS`, where
PATTERNS holds every pattern that explain looks for in the whole log (but for a dozen with Chinese text, which rg
refuses without Unicode). Prints seconds, the ratio, and the memory. Also the start-up ratio: `explain` on a 50-line
log against `python -c pass`.
"""

from __future__ import annotations

import argparse
import os
import random
import re
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path

LINES = [
    "2026-11-29T12:{:02d}:07.{:03d}Z INFO  worker[{}]: processed batch {} in {} ms, queue depth {}",
    "[{:02d}:{:02d}:11] GET /v2/models/resnet/infer 200 {} bytes {} us id={:08x} retry={}",
    "I1129 12:{:02d}:{:02d}.{} {} session.cc:{}] step {} loss=0.183 lr=0.0003",
    "Nov 29 12:{:02d}:{:02d} edge-{} kernel: [{}.{}] usb 1-1: new high-speed device number {}",
    "frame={} fps={} q=28.0 size={}kB time=00:00:{:02d}.{} bitrate=2481.3kbits/s speed={}x",
]
COMPILE_SECONDS = 60
FAILURE = "E pipeline: failed to decode referrers index: invalid character '<' looking for beginning of value\n"


def write_log(path: Path, size_bytes: int) -> None:
    rng = random.Random(7)
    lines = [rng.choice(LINES).format(*(rng.randrange(60) for _ in range(6))) + "\n" for _ in range(100_000)]
    block = "".join(lines).encode()
    failure = FAILURE.encode()
    with path.open("wb") as stream:
        written = 0
        while written < size_bytes:
            written += stream.write(block)
            written += stream.write(failure)


def _for_rg(pattern: str) -> str:
    """The pattern in rg's syntax: it knows a group's name once only, and no escape before quotes and slashes."""
    return re.sub(r"(?<!\\)\\(?=[\"'<>/`])", "", re.sub(r"\(\?P<\w+>", "(", pattern))


def timed(command: list[str]) -> tuple[float, int]:
    """Wall seconds and peak resident KiB of one run."""
    started = time.perf_counter()
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    _, _, usage = os.wait4(process.pid, 0)
    return time.perf_counter() - started, usage.ru_maxrss


def best(command: list[str], rounds: int) -> tuple[float, int]:
    runs = [timed(command) for _ in range(rounds)]
    return min(seconds for seconds, _ in runs), max(memory for _, memory in runs)


def median(command: list[str], rounds: int) -> float:
    return sorted(timed(command)[0] for _ in range(rounds))[rounds // 2]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--gigabytes", type=float, default=1.0)
    parser.add_argument("--rounds", type=int, default=3)
    args = parser.parse_args()
    from diagnose.pipelines.rulebook import rulebook

    explain = [str(Path(sys.executable).with_name("decodedoctor")), "explain"]
    rules = rulebook().rules
    scanned = {pattern for patterns in rules.scan.owners for pattern in patterns} | set(rules.scan.without)
    patterns = [rules.patterns[number] for number in sorted(scanned) if rules.patterns[number].isascii()]
    with tempfile.TemporaryDirectory() as folder:
        log, short, pattern_file = Path(folder, "big.log"), Path(folder, "short.log"), Path(folder, "patterns")
        write_log(log, int(args.gigabytes * 1e9))
        short.write_text("all is well\n" * 49 + FAILURE)
        unnamed = [_for_rg(pattern) for pattern in patterns]
        pattern_file.write_text("\n".join(unnamed) + "\n", encoding="utf-8")
        ours, memory = best([*explain, str(log)], args.rounds)
        print(f"{len(patterns)} patterns, log of {log.stat().st_size / 1e9:.2f} GB, best of {args.rounds}")
        print(f"explain      {ours:6.2f} s  {memory / 1024:.0f} MiB resident at most")
        for options in ([], ["--no-unicode"]) if shutil.which("rg") else ():
            rg = ["rg", "-c", "-i", "--regex-size-limit", "8G", *options, "-f", str(pattern_file)]
            name = f"rg -c -i {' '.join(options)} -f"
            try:  # with Unicode on, rg needs minutes and tens of gigabytes to compile so many patterns
                subprocess.run([*rg, str(short)], check=True, capture_output=True, timeout=COMPILE_SECONDS)
            except (subprocess.SubprocessError, OSError) as error:
                print(f"{name}: cannot take the patterns ({type(error).__name__})")
                continue
            peer, _ = best([*rg, str(log)], args.rounds)
            print(f"{name}  {peer:6.2f} s: explain is {peer / ours:.2f} times as fast")
        rounds = 10 * args.rounds + 1
        start, python = median([*explain, str(short)], rounds), median([sys.executable, "-c", "pass"], rounds)
        print(f"50 lines     {start * 1e3:6.1f} ms, python -c pass {python * 1e3:.1f} ms: {start / python:.2f} times")


if __name__ == "__main__":
    main()
