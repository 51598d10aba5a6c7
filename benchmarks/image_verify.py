"""Verifying JPEG images against loading them with Pillow: ratios of the two in one process, on one core.

    python benchmarks/image_verify.py [--rounds N]

Makes its own pictures: textured noise over gradients, whose files are about as large as those of photographs.
A ratio of 2 means that the collector looks at twice as many files a second as `Image.open(file).load()`.
"""

from __future__ import annotations

import argparse
import io
import time
from collections.abc import Callable

from PIL import Image, ImageChops

from diagnose.collectors.image import collect

SETS = (
    ("500x375, quality 90", (500, 375), {"quality": 90}, 40),
    ("500x375, progressive", (500, 375), {"quality": 90, "progressive": True}, 20),
    ("640x480, quality 75", (640, 480), {"quality": 75}, 40),
    ("12 megapixels, quality 90", (4000, 3000), {"quality": 90}, 2),
    ("12 megapixels, quality 75", (4000, 3000), {"quality": 75}, 2),
    ("500x375 PNG", (500, 375), {"format": "PNG"}, 20),
)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=5)
    rounds = parser.parse_args().rounds
    print(f"{'set':28} {'KiB':>7} {'Pillow ms':>10} {'ours ms':>9} {'ratio':>6}")
    for name, size, options, repeats in SETS:
        data = photograph(*size, **options)
        image_format = str(options.get("format", "JPEG")).lower()
        theirs, ours = race(
            lambda data=data: Image.open(io.BytesIO(data)).load(),
            lambda data=data, image_format=image_format: collect(data, image_format, len(data)),
            rounds,
            repeats,
        )
        print(f"{name:28} {len(data) / 1024:7.0f} {theirs:10.2f} {ours:9.2f} {theirs / ours:6.2f}")


def photograph(width: int, height: int, **options: object) -> bytes:
    """A colour picture with large shapes and grain, as a file."""
    shapes = Image.effect_noise((width // 16 + 1, height // 16 + 1), 120).resize(
        (width, height), Image.Resampling.BICUBIC
    )
    bands = []
    for angle in (0, 90, 180):
        turned = shapes.rotate(angle).resize((width, height))
        grain = Image.effect_noise((width, height), 16)
        bands.append(ImageChops.add(turned, grain, scale=2))
    buffer = io.BytesIO()
    Image.merge("RGB", bands).save(buffer, **{"format": "JPEG", **options})
    return buffer.getvalue()


def race(theirs: Callable[[], object], ours: Callable[[], object], rounds: int, repeats: int) -> tuple[float, float]:
    """Milliseconds of each call: the best of all rounds, taken in turns so that both meet the same machine."""
    best = [float("inf"), float("inf")]
    for _ in range(rounds):
        for index, call in enumerate((theirs, ours)):
            start = time.perf_counter()
            for _ in range(repeats):
                call()
            best[index] = min(best[index], (time.perf_counter() - start) / repeats * 1000)
    return best[0], best[1]


if __name__ == "__main__":
    main()
