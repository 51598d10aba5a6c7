"""Telling what files are by their content: processor time a file beside libmagic, on files that are no images.

    python benchmarks/identify.py [FOLDER] [--rounds N]

FOLDER is Python's own library by default, without compiled files. Both get the first bytes from memory: libmagic 4 KiB,
we up to 64 KiB and the last 4 KiB, as a scan gives them.
"""

from __future__ import annotations

import argparse
import sysconfig
import time
from collections.abc import Callable
from pathlib import Path

from diagnose.collectors.signature import identify
from diagnose.pipelines.files import HEAD_BYTES, TAIL_BYTES

MOST_FILES = 3000
LIBMAGIC_BYTES = 4096
Sample = tuple[bytes, bytes, int]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", nargs="?", type=Path, default=Path(sysconfig.get_paths()["stdlib"]))
    parser.add_argument("--rounds", type=int, default=5)
    arguments = parser.parse_args()
    samples = read_samples(arguments.folder)
    best = {"decodedoctor": float("inf"), "libmagic": float("inf")}
    for _ in range(arguments.rounds):
        for name, look in (("decodedoctor", ours), ("libmagic", libmagic())):
            started = time.process_time()
            for sample in samples:
                look(sample)
            best[name] = min(best[name], (time.process_time() - started) / len(samples))
    for name, seconds in best.items():
        print(f"{name:14} {1e6 * seconds:8.1f} us/file")
    print(f"{len(samples):,} files: {best['libmagic'] / best['decodedoctor']:.0f} times as fast as libmagic")


def read_samples(folder: Path) -> list[Sample]:
    """Head, tail and size of the first files that are no images."""
    samples: list[Sample] = []
    for path in sorted(folder.rglob("*")):
        if len(samples) == MOST_FILES:
            break
        if "__pycache__" not in path.parts and path.is_file() and path.stat().st_size:
            data = path.read_bytes()
            sample = (data[:HEAD_BYTES], data[-TAIL_BYTES:], len(data))
            if identify(sample[0], sample[2], sample[1]).kind != "image":
                samples.append(sample)
    return samples


def ours(sample: Sample) -> None:
    head, tail, size = sample
    identify(head, size, tail)


def libmagic() -> Callable[[Sample], object]:
    import magic

    asked = magic.Magic(mime=True)
    return lambda sample: asked.from_buffer(sample[0][:LIBMAGIC_BYTES])


if __name__ == "__main__":
    main()
