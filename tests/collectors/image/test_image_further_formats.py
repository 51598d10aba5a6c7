"""JPEG 2000, JPEG XL, EXR, PSD, DDS, TGA, SGI, PCX, Netpbm and their kin: each kind of damage is named."""

from __future__ import annotations

import struct

import pytest
from image_samples import Seen, patched, picture, saved
from PIL import Image

JP2 = saved("JPEG2000", irreversible=False)
J2K = saved("JPEG2000", no_jp2=True)
TILES = saved("JPEG2000", picture(96, 96), no_jp2=True, tile_size=(32, 32))
TGA = saved("TGA")
RLE_TGA = saved("TGA", picture(mode="L"), compression="tga_rle")
DDS = saved("DDS", picture(mode="RGBA"))
PCX = saved("PCX", picture(mode="P"))
SGI = saved("SGI")
PGM = saved("PPM", Image.linear_gradient("L"))  # every value, line feeds and bytes above 127 among them


def marker(data: bytes, code: int, after: int = 0) -> int:
    return data.index(bytes([0xFF, code]), after)


@pytest.mark.parametrize(
    ("data", "image_format", "kind"),
    [
        (J2K[:-2], "j2k", "missing-end-marker"),
        (J2K[:-40], "j2k", "truncated"),
        (J2K[:30], "j2k", "truncated"),
        (patched(J2K, 8, bytes(4)), "j2k", "bad-dimensions"),
        (patched(J2K, marker(J2K, 0x52), b"\xff\x64"), "j2k", "missing-segment"),
        (patched(J2K, marker(J2K, 0x52) + 5, b"\x09"), "j2k", "bad-header"),
        (patched(J2K, len(J2K) - 300, b"\xff\xff"), "j2k", "entropy-error"),
        (patched(J2K, len(J2K) - 900, bytes(300)), "j2k", "zero-hole"),
        (patched(TILES, marker(TILES, 0x90) + 4, b"\x00\x63"), "j2k", "bad-header"),
        (TILES[: marker(TILES, 0x90, TILES.rindex(b"\xff\x90"))] + b"\xff\xd9", "j2k", "missing-scan"),
        (JP2.replace(b"ihdr", b"free"), "jp2", "missing-box"),
        (JP2.replace(b"jp2h", b"free"), "jp2", "missing-box"),
        (JP2[: JP2.index(b"jp2c") + 4], "jp2", "bad-header"),
        (patched(JP2, JP2.index(b"ihdr") + 7, b"\x01"), "jp2", "size-mismatch"),
        (patched(JP2, JP2.index(b"ihdr") + 15, b"\x05"), "jp2", "bad-header"),
    ],
)
def test_damage_to_jpeg_2000_is_named(data: bytes, image_format: str, kind: str) -> None:
    assert kind in Seen(data, image_format).damage


@pytest.mark.parametrize(
    ("data", "image_format", "kind"),
    [
        (TGA[: len(TGA) // 2], "tga", "truncated"),
        (patched(TGA, 12, b"\0\0"), "tga", "bad-dimensions"),
        (patched(TGA, 16, b"\x07"), "tga", "bad-bit-depth"),
        (RLE_TGA[:200], "tga", "truncated"),
        (DDS[:-5000], "dds", "truncated"),
        (patched(DDS, 76, b"\x01"), "dds", "bad-header"),
        (PCX[: len(PCX) // 2], "pcx", "truncated"),
        (PCX[:-100], "pcx", "bad-palette"),
        (patched(PCX, 10, b"\xff\0"), "pcx", "truncated"),
        (SGI[:-9], "sgi", "truncated"),
        (patched(SGI, 3, b"\x05"), "sgi", "bad-bit-depth"),
        (PGM[:-9], "pgm", "truncated"),
        (PGM.replace(b"\n", b"\r\n"), "pgm", "newline-mangled"),
        (PGM.decode("latin-1").encode(), "pgm", "utf8-mangled"),
        (b"P2\n2 2\n255\n1 2 3", "pgm", "truncated"),
        (b"P2\n2 2\n255\n1 2 x 4", "pgm", "bad-compressed-data"),
        (b"P7\nWIDTH 2\nHEIGHT 2\nMAXVAL 255\nENDHDR\n" + bytes(12), "pam", "bad-header"),
        (b"PF\n2 2\n-1.0\n" + bytes(47), "pfm", "truncated"),
    ],
)
def test_damage_to_simple_formats_is_named(data: bytes, image_format: str, kind: str) -> None:
    assert kind in Seen(data, image_format).damage


def test_a_tga_that_ends_inside_its_footer_is_told() -> None:
    seen = Seen(TGA[:-5], "tga")
    assert seen.damage == []
    assert "truncated" in seen.all("image.irregularity")


def psd(compression: int = 0, pixels: bytes = bytes(48), mode: int = 3, depth: int = 8) -> bytes:
    head = struct.pack(">4sH6xHIIHH", b"8BPS", 1, 3, 4, 4, depth, mode)
    return head + bytes(12) + struct.pack(">H", compression) + pixels


PACKED = struct.pack(">12H", *[5] * 12) + (b"\x03abcd" * 12)


@pytest.mark.parametrize(
    ("data", "kind"),
    [
        (psd(pixels=bytes(40)), "truncated"),
        (psd(compression=9), "bad-header"),
        (psd(depth=7), "bad-bit-depth"),
        (psd(mode=6), "bad-colour-type"),
        (psd(1, PACKED.replace(b"\x03abcd", b"\x02abcd", 1)), "bad-rle"),
        (psd(1, PACKED[:-3]), "truncated"),
        (patched(psd(), 30, b"\0\1\0\0"), "truncated"),
        (psd()[:38], "truncated"),
    ],
)
def test_damage_to_psd_is_named(data: bytes, kind: str) -> None:
    assert kind in Seen(data, "psd").damage


@pytest.mark.parametrize("data", [psd(), psd(1, PACKED)])
def test_sound_psd_is_whole(data: bytes) -> None:
    seen = Seen(data, "psd")
    assert (seen.damage, seen["image.pixel_verdict"]) == ([], "whole")


def test_a_sound_psd_of_a_depth_that_pillow_lacks_is_not_called_broken() -> None:
    seen = Seen(psd(pixels=bytes(96), depth=16), "psd")
    assert seen["image.decodes"] is None
    assert "16 bits" in seen["image.unsupported"]


def test_a_tiff_whose_jpeg_strips_are_damaged_is_found() -> None:
    data = saved("TIFF", picture(256, 256), compression="jpeg")
    strip = data.index(b"\xff\xda")
    assert Seen(data, "tiff").damage == []
    assert "entropy-error" in Seen(patched(data, strip + 400, b"\xff\xff\xff\xd9"), "tiff").damage


def test_zeros_inside_coded_data_are_a_hole() -> None:
    webp = saved("WEBP", picture(200, 200), quality=90)
    seen = Seen(patched(webp, len(webp) // 2, bytes(200)), "webp")
    assert "zero-hole" in seen.damage


def test_an_uncompressed_picture_whose_rest_was_never_written_is_told() -> None:
    data = saved("BMP", picture(100, 100))
    zeroed = data[:8192] + bytes(len(data) - 8192)
    assert "zero-hole" in Seen(zeroed, "bmp").all("image.irregularity")
    assert Seen(data[:8000] + bytes(len(data) - 8000), "bmp").all("image.irregularity") == []
