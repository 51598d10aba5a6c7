"""No content makes the collector raise, hang or leave its declared facts."""

from __future__ import annotations

import random

import pytest
from image_samples import Seen, jpeg, saved
from test_image_other_formats import SOUND, modern

from diagnose.collectors.image import FACTS
from diagnose.collectors.image.collect import read_structure
from diagnose.collectors.image.findings import Findings

SAMPLES = [("jpeg", jpeg()), ("jpeg", jpeg(progressive=True)), ("png", saved("PNG")), *SOUND, *modern()]
TYPES = {"bool": bool, "int": int, "str": str, "strs": list, "float": float}


def mutations(data: bytes, count: int, seed: int) -> list[bytes]:
    chance = random.Random(seed)
    results = []
    for _ in range(count):
        changed = bytearray(data)
        for _ in range(chance.choice((1, 1, 4, 32))):
            at = min(int(chance.expovariate(4 / len(data))), len(data) - 1)
            changed[at] = chance.choice((0, 1, 0x7F, 0x80, 0xFF, chance.randrange(256)))
        results.append(bytes(changed[: chance.choice((len(data), chance.randrange(len(data))))]))
    return results


@pytest.mark.parametrize(("image_format", "data"), SAMPLES, ids=[f"{i}-{f}" for i, (f, _) in enumerate(SAMPLES)])
def test_readers_survive_mutated_and_cut_files(image_format: str, data: bytes) -> None:
    for changed in mutations(data, 150, seed=len(data)):
        found = Findings(image_format, len(changed))
        read_structure(changed, image_format, found)
        found.close()
        for fact in found.facts:
            assert isinstance(fact.value, TYPES[FACTS.specs[fact.name].type]), fact


@pytest.mark.parametrize("image_format", ["jpeg", "png", "gif", "bmp", "tiff", "webp", "heif", "avif", "ico", "qoi"])
@pytest.mark.parametrize("data", [b"", b"\0", b"\xff\xd8\xff", b"BM", b"II*\0", b"GIF89a", b"\0" * 4096], ids=repr)
def test_bytes_that_are_hardly_a_header_do_not_decode(image_format: str, data: bytes) -> None:
    seen = Seen(data, image_format)
    assert seen["image.decodes"] is False or "truncated" in seen.damage


def test_the_same_damage_a_thousand_times_is_told_a_few_times() -> None:
    from image_samples import IEND, chunk, ihdr, png

    broken = chunk(b"tEXt", b"a\0b")[:-1] + b"\0"
    assert len(Seen(png(ihdr(), *[broken] * 1000, IEND), "png").all("image.metadata_damage")) < 20
