"""Verifying JPEG and PNG images against loading them with Pillow: ratios of processor time in one process.

    python benchmarks/image_verify.py [--rounds N]

Makes its own pictures: noise over large shapes, whose files are about as large as those of photographs.
A ratio of 2 means that the collector looks at twice as many files a second as `Image.open(file).load()`.
"""

from __future__ import annotations

import argparse
import io
import random
import time
from collections.abc import Callable, Iterator

from PIL import Image, ImageChops, ImageDraw

from diagnose.collectors.image import collect


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=5)
    rounds = parser.parse_args().rounds
    print(f"{'set':32} {'KiB':>7} {'Pillow ms':>10} {'ours ms':>9} {'ratio':>6}")
    for name, data, repeats in sets():
        image_format = "png" if "PNG" in name else "jpeg"
        theirs, ours = race(
            lambda data=data: Image.open(io.BytesIO(data)).load(),
            lambda data=data, image_format=image_format: collect(data, image_format, len(data)),
            rounds,
            repeats,
        )
        print(f"{name:32} {len(data) / 1024:7.0f} {theirs:10.2f} {ours:9.2f} {theirs / ours:6.2f}")


def sets() -> Iterator[tuple[str, bytes, int]]:
    """A name, a file, and how often to look at it in a row."""
    yield "500x375, quality 90", photograph(500, 375, quality=90), 40
    yield "500x375, progressive", photograph(500, 375, quality=90, progressive=True), 20
    yield "640x480, quality 75", photograph(640, 480, quality=75), 40
    yield "12 megapixels, quality 90", photograph(4000, 3000, quality=90), 2
    yield "12 megapixels, quality 75", photograph(4000, 3000, quality=75), 2
    yield "500x375 PNG, photograph", photograph(500, 375, grain=4, format="PNG"), 20
    yield "500x375 PNG, grainy", photograph(500, 375, format="PNG"), 20
    yield "1280x800 PNG, drawing", drawing(1280, 800), 10


def photograph(width: int, height: int, grain: float = 16, **options: object) -> bytes:
    """A colour picture with large shapes and grain (the deviation of its noise), as a file."""
    shapes = Image.effect_noise((width // 16 + 1, height // 16 + 1), 120).resize(
        (width, height), Image.Resampling.BICUBIC
    )
    bands = []
    for angle in (0, 90, 180):
        turned = shapes.rotate(angle).resize((width, height))
        noise = Image.effect_noise((width, height), grain)
        bands.append(ImageChops.add(turned, noise, scale=2))
    return file_of(Image.merge("RGB", bands), **{"format": "JPEG", **options})


def drawing(width: int, height: int) -> bytes:
    """Flat areas, lines and letters, as a screenshot has them, as a PNG file."""
    chance = random.Random(1)
    picture = Image.new("RGB", (width, height), "white")
    pen = ImageDraw.Draw(picture)
    for _ in range(width * height // 4000):
        left, top = chance.randrange(width), chance.randrange(height)
        colour = tuple(chance.randrange(256) for _ in range(3))
        if chance.random() < 0.3:
            pen.rectangle((left, top, left + chance.randrange(200), top + chance.randrange(80)), fill=colour)
        else:
            pen.text((left, top), "decode " * chance.randrange(1, 6), fill=colour)
    return file_of(picture, format="PNG")


def file_of(picture: Image.Image, **options: object) -> bytes:
    buffer = io.BytesIO()
    picture.save(buffer, **options)
    return buffer.getvalue()


def race(theirs: Callable[[], object], ours: Callable[[], object], rounds: int, repeats: int) -> tuple[float, float]:
    """Processor milliseconds of each call: the best of all rounds, in turns so that both meet the same machine."""
    best = [float("inf"), float("inf")]
    for _ in range(rounds):
        for index, call in enumerate((theirs, ours)):
            start = time.process_time()
            for _ in range(repeats):
                call()
            best[index] = min(best[index], (time.process_time() - start) / repeats * 1000)
    return best[0], best[1]


if __name__ == "__main__":
    main()
