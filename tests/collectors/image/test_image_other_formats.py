"""GIF, BMP, TIFF, WebP, HEIF, AVIF, ICO, QOI: sound files are whole, and each kind of damage is named."""

from __future__ import annotations

import io
import mmap
import struct
import tempfile
from typing import Any

import pytest
from image_samples import Seen, gif_blocks, patched, picture, saved
from PIL import Image, features

ANIMATION = {"save_all": True, "append_images": [picture(mode="L"), picture(mode="L").rotate(90)]}
GIF = saved("GIF", picture(mode="P"))
BMP = saved("BMP")
TIFF = saved("TIFF")
WEBP = saved("WEBP", lossless=True)
WEBP_LOSSY = saved("WEBP", quality=80)

SOUND: list[tuple[str, bytes]] = [
    ("gif", GIF),
    ("gif", saved("GIF", picture(mode="L"), **ANIMATION)),
    ("gif", saved("GIF", picture(300, 300, "L"), interlace=1)),
    ("bmp", BMP),
    ("bmp", saved("BMP", picture(33, 17, "1"))),
    ("bmp", saved("BMP", picture(33, 17, "P"))),
    ("tiff", TIFF),
    *[("tiff", saved("TIFF", compression=c)) for c in ("tiff_lzw", "tiff_deflate", "packbits", "jpeg")],
    *[("tiff", saved("TIFF", picture(mode="1"), compression=c)) for c in ("group3", "group4")],
    ("tiff", saved("TIFF", picture(mode="I;16"))),
    ("tiff", saved("TIFF", picture(700, 500), compression="tiff_lzw", **ANIMATION)),
    ("tiff", saved("TIFF", big_tiff=True)),
    ("webp", WEBP),
    ("webp", WEBP_LOSSY),
    ("webp", saved("WEBP", picture(mode="RGBA"), quality=70)),
    ("webp", saved("WEBP", **ANIMATION)),
    ("ico", saved("ICO", picture(64, 64))),
    ("ico", saved("ICO", picture(64, 64), bitmap_format="bmp")),
    ("qoi", saved("QOI")),
    ("ppm", saved("PPM")),
    ("tga", saved("TGA")),
    ("jp2", saved("JPEG2000")),
]


@pytest.mark.parametrize(("image_format", "data"), SOUND, ids=[f"{i}-{f}" for i, (f, _) in enumerate(SOUND)])
def test_sound_files_are_whole(image_format: str, data: bytes) -> None:
    seen = Seen(data, image_format)
    assert seen.damage == []
    assert (seen["image.decodes"], seen["image.pixel_verdict"]) == (True, "whole")
    assert seen["image.width"] > 0


@pytest.mark.parametrize(("image_format", "data"), SOUND, ids=[f"{i}-{f}" for i, (f, _) in enumerate(SOUND)])
def test_files_cut_to_two_thirds_are_found(image_format: str, data: bytes) -> None:
    seen = Seen(data[: len(data) * 2 // 3], image_format)
    assert seen.damage or seen["image.decodes"] is False


def gif_frame(codes: bytes, width: int = 2, height: int = 2) -> bytes:
    screen = b"GIF89a" + struct.pack("<HHBBB", width, height, 0x80, 0, 0) + bytes(6)
    return screen + b"\x2c" + struct.pack("<HHHHB", 0, 0, width, height, 0) + gif_blocks(codes)


@pytest.mark.parametrize(
    ("data", "kind"),
    [
        (GIF[:-1], "missing-end-marker"),
        (GIF[: len(GIF) // 2], "truncated"),
        (gif_frame(b"\x44\x01") + b";", "too-few-pixels"),  # codes: clear, 0, end
        (gif_frame(b"\x3c\x00") + b";", "invalid-lzw"),  # codes: clear, 7
        (GIF[:-1] + b"\x99;", "bad-marker"),
        (b"GIF90a" + GIF[6:], "signature-damaged"),
    ],
)
def test_damage_to_gif_is_named(data: bytes, kind: str) -> None:
    assert kind in Seen(data, "gif").damage


def bmp(depth: int = 8, compression: int = 0, height: int = 2, colours: int = 0, pixels: bytes = bytes(8)) -> bytes:
    palette = bytes(4 * (colours or 256)) if depth == 8 else b""
    info = struct.pack("<IiiHHIIiiII", 40, 4, height, 1, depth, compression, 0, 0, 0, colours, 0)
    start = 14 + len(info) + len(palette)
    return struct.pack("<2sIHHI", b"BM", start + len(pixels), 0, 0, start) + info + palette + pixels


@pytest.mark.parametrize(
    ("data", "kind"),
    [
        (bmp(pixels=bytes(7)), "truncated"),
        (bmp(depth=7), "bad-bit-depth"),
        (bmp(height=0), "bad-dimensions"),
        (bmp(compression=99), "bad-header"),
        (bmp(colours=2, pixels=b"\0\1\0\2" * 2), "bad-palette"),
        (patched(bmp(), 10, b"\xff\xff\0\0"), "bad-offset"),
        (bmp(compression=1, pixels=b"\x04\x00\x00\x00\x09\x00\x00\x01"), "bad-rle"),
        (bmp(compression=1, pixels=b"\x04\x00"), "truncated"),
    ],
)
def test_damage_to_bmp_is_named(data: bytes, kind: str) -> None:
    assert kind in Seen(data, "bmp").damage


def test_a_bmp_in_runs_is_whole() -> None:
    seen = Seen(bmp(compression=1, pixels=b"\x04\x00\x00\x00\x00\x04abcd\x00\x01"), "bmp")
    assert seen.damage == []
    assert seen["bmp.compression"] == "rle8"


def tiff_tag(data: bytes, tag: int) -> int:
    """Where the entry of a tag of a little-endian TIFF stands."""
    start = struct.unpack_from("<I", data, 4)[0]
    (count,) = struct.unpack_from("<H", data, start)
    return next(at for i in range(count) if struct.unpack_from("<H", data, at := start + 2 + 12 * i)[0] == tag)


@pytest.mark.parametrize(
    ("compression", "tag", "value", "kind"),
    [
        (None, 273, 1 << 30, "bad-offset"),
        (None, 279, 1 << 30, "truncated"),
        (None, 279, 10, "too-few-pixels"),
        (None, 256, 0, "bad-dimensions"),
        (None, 284, 9, "bad-header"),
        ("tiff_deflate", 279, 40, "too-few-pixels"),
        ("packbits", 279, 40, "too-few-pixels"),
    ],
)
def test_damage_to_tiff_is_named(compression: str | None, tag: int, value: int, kind: str) -> None:
    data = saved("TIFF", compression=compression)
    at = tiff_tag(data, tag)
    assert kind in Seen(patched(data, at + 8, struct.pack("<I", value)), "tiff").damage


def test_a_tiff_whose_lzw_ends_early_does_not_decode() -> None:
    data = saved("TIFF", compression="tiff_lzw")
    short = patched(data, tiff_tag(data, 279) + 8, struct.pack("<I", 40))
    assert Seen(short, "tiff")["image.decodes"] is False


def test_a_tiff_whose_directories_run_in_a_circle_ends() -> None:
    data = saved("TIFF", **ANIMATION)
    start = struct.unpack_from("<I", data, 4)[0]
    (count,) = struct.unpack_from("<H", data, start)
    circle = patched(data, start + 2 + 12 * count, struct.pack("<I", start))
    assert "loop" in Seen(circle, "tiff").all("image.irregularity")


def test_rows_of_a_fax_that_libtiff_only_mutters_about_are_damage() -> None:
    data = saved("TIFF", picture(400, 400, "1"), compression="group4")
    at = struct.unpack_from("<I", data, tiff_tag(data, 273) + 8)[0]
    seen = Seen(patched(data, at + 200, b"\x00" * 12), "tiff")
    assert seen.damage


@pytest.mark.parametrize(
    ("data", "kind"),
    [
        (WEBP[:-40], "truncated"),
        (patched(WEBP, 20, b"\x00"), "bad-header"),
        (patched(WEBP_LOSSY, 23, b"\x00\x00\x00"), "bad-header"),
        (patched(WEBP_LOSSY, 20, b"\xf0\xff\xff"), "bad-chunk-length"),
        (WEBP[:12], "missing-chunk"),
    ],
)
def test_damage_to_webp_is_named(data: bytes, kind: str) -> None:
    assert kind in Seen(data, "webp").damage


def heif(**options: Any) -> bytes:
    import pillow_heif

    buffer = io.BytesIO()
    pillow_heif.from_pillow(picture(64, 64)).save(buffer, **options)
    return buffer.getvalue()


def modern() -> list[tuple[str, bytes]]:
    samples = [("heif", heif())]
    if features.check("avif"):
        samples.append(("avif", saved("AVIF", picture(64, 64))))
    return samples


@pytest.mark.parametrize(("image_format", "data"), modern(), ids=lambda value: value if isinstance(value, str) else "")
def test_heif_and_avif_are_described_and_their_damage_is_found(image_format: str, data: bytes) -> None:
    whole = Seen(data, image_format)
    assert whole.damage == []
    assert (whole["image.decodes"], whole["image.width"], whole["image.bit_depth"]) == (True, 64, 8)
    cut = Seen(data[:-50], image_format)
    assert "truncated" in cut.damage
    assert cut["image.missing_bytes"] == 50
    assert "missing-box" in Seen(data.replace(b"pitm", b"free"), image_format).damage
    assert "bad-property" in Seen(data.replace(b"ispe", b"free"), image_format).damage


def test_an_icon_whose_image_lies_past_the_end_is_found() -> None:
    data = saved("ICO", picture(64, 64))
    assert "truncated" in Seen(patched(data, 14, struct.pack("<I", len(data))), "ico").damage


def test_a_qoi_file_must_end_with_its_marker() -> None:
    data = saved("QOI")
    assert "missing-end-marker" in Seen(data[:-8] + bytes(8), "qoi").damage


def test_a_format_without_decoder_is_not_called_broken() -> None:
    seen = Seen(b"II\xbc\x01" + bytes(range(64)), "jxr")
    assert seen["image.decodes"] is None
    assert "jxr" in seen["image.decoder_missing"]


def test_what_no_signature_knows_does_not_decode() -> None:
    assert Seen(b"<html>not found</html>", "unknown")["image.decodes"] is False


@pytest.mark.parametrize(("image_format", "data"), [("jpeg", saved("JPEG")), ("png", saved("PNG")), *SOUND, *modern()])
def test_mapped_files_and_views_give_the_same_facts_as_bytes(image_format: str, data: bytes) -> None:
    expected = Seen(data, image_format).facts
    assert Seen(memoryview(data), image_format).facts == expected
    with tempfile.TemporaryFile() as file:
        file.write(data)
        file.flush()
        with mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as mapped:
            assert Seen(mapped, image_format).facts == expected
            cut = Seen(data[:-20], image_format).facts
        file.truncate(len(data) - 20)
        with mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as mapped:
            assert Seen(mapped, image_format).facts == cut


@pytest.mark.parametrize("image_format", ["dng", "nef", "arw"])
def test_a_cut_camera_raw_file_is_found_and_a_whole_one_is_not_blamed(image_format: str) -> None:
    data = saved("TIFF", picture(mode="I;16"))
    assert Seen(data, image_format).damage == []
    assert "camera-raw" in Seen(data, image_format).features
    assert "truncated" in Seen(data[: len(data) // 2], image_format).damage


def turned_avif() -> tuple[bytes, int]:
    """An AVIF with a rotation, and where the box of the associations of its properties has its first entry."""
    exif = Image.Exif()
    exif[0x0112] = 6
    data = saved("AVIF", picture(64, 64), exif=exif)
    return data, data.index(b"ipma") + 12


@pytest.mark.skipif(not features.check("avif"), reason="Pillow is built without AVIF")
def test_transforms_of_avif_must_be_essential_and_stand_behind_the_size() -> None:
    data, entry = turned_avif()
    count = data[entry + 2]
    associations = data[entry + 3 : entry + 3 + count]
    assert Seen(data, "avif").damage == []
    not_essential = bytes(association & 0x7F for association in associations)
    seen = Seen(patched(data, entry + 3, not_essential), "avif")
    assert "irot is not marked as essential" in seen.fact("image.damage", "bad-property").text
    backwards = Seen(patched(data, entry + 3, associations[::-1]), "avif")
    assert "listed after the transform" in backwards.fact("image.damage", "bad-property").text
