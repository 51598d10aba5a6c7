"""PNG and APNG: every chunk, every row, without a decoder."""

from __future__ import annotations

import io
import struct
import zlib

import pytest
from image_samples import IEND, Seen, chunk, grey_rows, ihdr, patched, picture, png, saved
from PIL import Image

PIXELS = zlib.compress(grey_rows())
IDAT = chunk(b"IDAT", PIXELS)
WHOLE = png(ihdr(), IDAT, IEND)


def fctl(sequence: int, width: int = 4, height: int = 4, left: int = 0) -> bytes:
    return chunk(b"fcTL", struct.pack(">IIIIIHHBB", sequence, width, height, left, 0, 1, 10, 0, 0))


def fdat(sequence: int, pixels: bytes = PIXELS) -> bytes:
    return chunk(b"fdAT", struct.pack(">I", sequence) + pixels)


ACTL = chunk(b"acTL", struct.pack(">II", 2, 0))


@pytest.mark.parametrize("interlaced", [False, True])
@pytest.mark.parametrize("mode", ["1", "L", "P", "RGB", "RGBA", "I;16", "LA"])
def test_sound_pngs_of_every_mode_are_whole(mode: str, interlaced: bool) -> None:
    image = Image.new(mode, (37, 23)) if mode in ("I;16", "LA") else picture(37, 23).convert(mode)
    data = saved("PNG", image)
    if interlaced:
        # Pillow writes no interlaced files; a grey one laid out by hand stands for them.
        passes = [(5, 3), (5, 3), (10, 3), (10, 6), (19, 6), (18, 12), (37, 11)]
        rows = b"".join((b"\0" + bytes(width)) * height for width, height in passes)
        data = png(ihdr(37, 23, interlace=1), chunk(b"IDAT", zlib.compress(rows)), IEND)
        with Image.open(io.BytesIO(data)) as proof:
            proof.load()
    seen = Seen(data, "png")
    assert seen.damage == []
    assert (seen["image.decodes"], seen["png.interlaced"]) == (True, interlaced)


@pytest.mark.parametrize(
    ("data", "kind"),
    [
        (WHOLE[:-12], "missing-end-marker"),
        (WHOLE[:50], "truncated"),
        (patched(WHOLE, len(WHOLE) - 14, b"\x55"), "bad-crc"),
        (png(ihdr(), chunk(b"IDAT", PIXELS[:-1] + b"\0"), IEND), "bad-adler"),
        (png(ihdr(), chunk(b"IDAT", PIXELS[:-4]), IEND), "bad-adler"),
        (png(ihdr(), chunk(b"IDAT", b"\x78\x9c" + b"\xff" * 20), IEND), "bad-compressed-data"),
        (png(ihdr(), chunk(b"IDAT", zlib.compress(grey_rows(height=3))), IEND), "too-few-pixels"),
        (png(ihdr(), chunk(b"IDAT", zlib.compress(grey_rows(filter_type=5))), IEND), "bad-filter"),
        (png(ihdr(), IDAT, chunk(b"tEXt", b"a\0b"), IDAT, IEND), "bad-chunk-order"),
        (png(ihdr(), IDAT, chunk(b"PLTE", b"abc"), IEND), "bad-chunk-order"),
        (png(IDAT, ihdr(), IEND), "missing-chunk"),
        (png(ihdr(), IEND), "missing-chunk"),
        (png(ihdr(colour=3), IDAT, IEND), "missing-chunk"),
        (png(ihdr(), chunk(b"ID4T", PIXELS), IEND), "bad-chunk-type"),
        (png(ihdr(), chunk(b"XYZW", PIXELS), IDAT, IEND), "bad-chunk-type"),
        (png(ihdr(width=0), IDAT, IEND), "bad-dimensions"),
        (png(ihdr(colour=5), IDAT, IEND), "bad-colour-type"),
        (png(ihdr(depth=16, colour=3), IDAT, IEND), "bad-bit-depth"),
        (png(ihdr(interlace=2), IDAT, IEND), "bad-header"),
        (WHOLE.replace(b"\r\n", b"\n"), "newline-mangled"),
        (WHOLE[1:].join([b"\xef\xbf\xbd", b""]), "utf8-mangled"),
        (b"\x00" + WHOLE[1:], "signature-damaged"),
    ],
)
def test_damage_is_named(data: bytes, kind: str) -> None:
    assert kind in Seen(data, "png").damage


def test_a_wrong_crc_is_found_at_the_place_where_it_is_stored() -> None:
    seen = Seen(patched(WHOLE, len(WHOLE) - 15, b"\x55"), "png")
    assert seen.where("bad-crc") == len(WHOLE) - len(IEND) - 4


def test_a_cut_png_says_how_many_rows_are_whole_and_how_many_bytes_are_missing() -> None:
    data = saved("PNG", picture(100, 100))
    assert data.count(b"IDAT") == 1
    seen = Seen(data[: len(data) // 2], "png")
    assert seen["image.missing_bytes"] == len(data) - 12 - len(data) // 2
    assert "rows are whole" in " ".join(fact.text for fact in seen.facts)


def test_a_broken_text_chunk_is_damage_to_metadata_that_pillow_still_refuses() -> None:
    text = chunk(b"tEXt", b"key\0value")
    seen = Seen(png(ihdr(), text[:-1] + b"\0", IDAT, IEND), "png")
    assert seen.damage == []
    assert seen.all("image.metadata_damage") == ["bad-crc"]
    assert seen["image.refused_by"] == ["Pillow"]


def test_an_index_beyond_the_palette_has_no_colour() -> None:
    rows = zlib.compress((b"\0" + bytes([0, 1, 2, 9])) * 4)
    data = png(ihdr(colour=3), chunk(b"PLTE", bytes(9)), chunk(b"IDAT", rows), IEND)
    assert "bad-palette" in Seen(data, "png").damage
    assert Seen(data.replace(rows, zlib.compress((b"\0" + bytes([0, 1, 2, 2])) * 4)), "png")["image.width"] == 4


def test_a_text_chunk_that_inflates_without_end_is_a_metadata_bomb() -> None:
    bomb = chunk(b"zTXt", b"key\0\0" + zlib.compress(bytes(2 << 20)))
    assert "metadata-bomb" in Seen(png(ihdr(), bomb, IDAT, IEND), "png").features


@pytest.mark.parametrize(
    ("chunks", "kind"),
    [
        ([fctl(0), IDAT, fctl(1), fdat(2)], None),
        ([fctl(0), IDAT, fctl(2), fdat(3)], "bad-apng-sequence"),
        ([fctl(0), IDAT, fctl(1), fdat(1)], "bad-apng-sequence"),
        ([fctl(0), IDAT, fdat(1)], "bad-apng-sequence"),
        ([fctl(0), IDAT, fctl(1)], "bad-apng-sequence"),
        ([fctl(0), IDAT, fctl(1, left=2), fdat(2)], "bad-frame"),
        ([fctl(0), IDAT, fctl(1), fdat(2, zlib.compress(grey_rows(height=2)))], "too-few-pixels"),
    ],
    ids=["sound", "gap", "repeated", "no-header", "no-data", "off-canvas", "short-frame"],
)
def test_frames_of_an_animation_are_checked(chunks: list[bytes], kind: str | None) -> None:
    seen = Seen(png(ihdr(), ACTL, *chunks, IEND), "png")
    assert "animated" in seen.features
    assert (kind in seen.damage) if kind else seen.damage == []


def test_sixteen_bits_and_interlacing_are_noted() -> None:
    rows = zlib.compress((b"\0" + bytes(8)) * 4)
    assert "16-bit" in Seen(png(ihdr(depth=16), chunk(b"IDAT", rows), IEND), "png").features
