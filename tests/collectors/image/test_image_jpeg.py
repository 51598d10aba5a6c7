"""JPEG: what the walk through the stream and strict decoding find."""

from __future__ import annotations

import io
import struct

import pytest
from image_samples import Seen, jpeg, patched, picture, saved, without
from PIL import Image

SCAN_HEADER = b"\xff\xda"


def scan_start(data: bytes) -> int:
    at = data.index(SCAN_HEADER)
    return at + 2 + int.from_bytes(data[at + 2 : at + 4], "big")


def test_a_sound_jpeg_is_whole_by_its_structure_and_the_strict_decoder() -> None:
    seen = Seen(jpeg(), "jpeg")
    assert seen.damage == []
    assert (seen["image.decodes"], seen["image.pixel_verdict"]) == (True, "whole")
    assert seen["image.accepted_by"] == ["simplejpeg (strict)"]
    assert (seen["image.width"], seen["image.height"], seen["image.pixels"]) == (64, 48, 64 * 48)
    assert (seen["jpeg.process"], seen["jpeg.sampling"], seen["image.colour_model"]) == ("baseline", "4:2:0", "ycbcr")


def test_a_cut_jpeg_ends_without_marker_at_its_last_byte() -> None:
    data = jpeg()
    seen = Seen(data[: scan_start(data) + 300], "jpeg")
    assert seen["image.decodes"] is False
    assert seen.where("missing-end-marker") == scan_start(data) + 300


def test_a_cut_scan_is_told_from_a_mere_lack_of_the_end_marker() -> None:
    data = jpeg()
    assert Seen(data[:-2], "jpeg").damage == ["missing-end-marker"]
    assert Seen(data[:-200], "jpeg").damage == ["missing-end-marker", "truncated"]


def test_a_jpeg_cut_in_its_header_names_the_missing_bytes() -> None:
    seen = Seen(jpeg()[:100], "jpeg")
    assert "truncated" in seen.damage
    assert seen["image.missing_bytes"] > 0


def test_a_hole_of_zeros_in_the_scan_is_found_where_it_starts() -> None:
    data = jpeg(quality=95)
    start = scan_start(data) + 500
    seen = Seen(patched(data, start, bytes(256)), "jpeg")
    assert start - 1 <= seen.where("zero-hole") <= start
    assert seen["image.pixel_verdict"] == "damaged"


def test_zeros_that_are_a_flat_area_are_no_hole() -> None:
    # Tables made for a flat picture give the end of block the code 0, so that its scan is nothing but zero bits.
    flat = saved("JPEG", Image.new("L", (4096, 2048), 128), optimize=True)
    assert bytes(1000) in flat
    seen = Seen(flat, "jpeg")
    assert seen.damage == []
    assert seen["image.pixel_verdict"] == "whole"


def test_an_invalid_marker_in_the_scan_is_found_at_its_byte() -> None:
    data = jpeg(quality=95)
    stuffed = data.index(b"\xff\x00", scan_start(data) + 200)
    seen = Seen(patched(data, stuffed, b"\xff\x03"), "jpeg")
    assert seen.where("bad-marker") == stuffed


def test_damage_that_pillow_swallows_is_refused_by_the_strict_decoder() -> None:
    data = jpeg(quality=95)
    start = scan_start(data) + 400
    seen = Seen(patched(data, start, bytes(range(40, 100))), "jpeg")
    assert seen["image.accepted_by"] == ["Pillow"]
    assert seen["image.refused_by"] == ["simplejpeg (strict)"]
    assert "entropy-error" in seen.damage


@pytest.mark.parametrize("replacement", [b"\xff\xd2", b""], ids=["renumbered", "removed"])
def test_restart_markers_out_of_order_show_where_data_were_lost(replacement: bytes) -> None:
    data = jpeg(image=picture(64, 160), restart_marker_rows=1, quality=95)
    marker = data.index(b"\xff\xd1", scan_start(data))
    seen = Seen(data[:marker] + replacement + data[marker + 2 :], "jpeg")
    assert seen.where("restart-order") >= marker
    assert "where 1 is due" in seen.fact("image.damage", "restart-order").text


@pytest.mark.parametrize(
    ("marker", "offset", "value", "kind"),
    [
        (b"\xff\xdb", 4, b"\x0f", "bad-table"),
        (b"\xff\xdb", 5, b"\x00", "bad-table"),
        (b"\xff\xc4", 4, b"\x07", "bad-table"),
        (b"\xff\xc4", 5, b"\x03", "bad-table"),
        (b"\xff\xc0", 4, b"\x0b", "bad-bit-depth"),
        (b"\xff\xc0", 7, b"\x00\x00", "bad-dimensions"),
        (b"\xff\xc0", 9, b"\x09", "bad-header"),
        (b"\xff\xda", 5, b"\x7f", "bad-header"),
        (b"\xff\xda", 6, b"\x33", "missing-table"),
    ],
    ids=["dqt-number", "dqt-zero", "dht-number", "dht-codes", "precision", "width", "components", "scan", "table"],
)
def test_broken_headers_and_tables_are_named(marker: bytes, offset: int, value: bytes, kind: str) -> None:
    data = jpeg()
    seen = Seen(patched(data, data.index(marker) + offset, value), "jpeg")
    assert kind in seen.damage


@pytest.mark.parametrize(
    ("options", "feature"),
    [
        ({"progressive": True}, "progressive"),
        ({"image": picture(mode="CMYK")}, "cmyk"),
        ({"exif": b"Exif\0\0II*\0\x08\0\0\0\x01\0\x12\x01\x03\0\x01\0\0\0\x06\0\0\0\0\0\0\0"}, "orientation"),
    ],
)
def test_features_that_some_decoders_lack_are_noted(options, feature) -> None:  # type: ignore[no-untyped-def]
    seen = Seen(jpeg(**options), "jpeg")
    assert feature in seen.features
    assert seen.damage == []


def exif_with(tag: int, kind: int, count: int, value: int) -> bytes:
    """An EXIF block with one entry."""
    return b"Exif\0\0II*\0\x08\0\0\0\x01\0" + struct.pack("<HHII", tag, kind, count, value) + bytes(4)


@pytest.mark.parametrize(
    ("exif", "kind"),
    [
        (exif_with(0x010F, 2, 255, 65535), "bad-offset"),
        (exif_with(0x8769, 2, 3, 65535), "bad-property"),
        (exif_with(0x0112, 3, 1, 9), "bad-property"),
        (exif_with(0x0100, 99, 1, 9), "bad-property"),
        (b"Exif\0\0XX*\0\x08\0\0\0\0\0", "bad-header"),
    ],
    ids=["pointer", "wrong type", "orientation 9", "unknown type", "byte order"],
)
def test_a_lying_exif_block_is_damage_to_metadata_only(exif: bytes, kind: str) -> None:
    seen = Seen(jpeg(exif=exif), "jpeg")
    assert seen.all("image.metadata_damage") == [kind]
    assert seen["image.accepted_by"] == ["simplejpeg (strict)", "Pillow"]
    assert seen["image.pixel_verdict"] == "whole"


def test_bytes_behind_the_end_are_counted_and_named() -> None:
    data = jpeg()
    cases = {b"\0" * 100: "zeros", data: "jpeg", b"PK\x03\x04rest": "zip", b"\0\0\0\x18ftypmp42": "mp4"}
    for tail, kind in cases.items():
        seen = Seen(data + tail, "jpeg")
        assert (seen["image.trailing_bytes"], seen["image.trailing_kind"]) == (len(tail), kind)
        assert seen["image.pixel_verdict"] == "whole"


def test_an_mpo_counts_its_pictures_and_finds_a_missing_one() -> None:
    buffer = io.BytesIO()
    first, second = picture(), picture(32, 24)
    first.save(buffer, "MPO", save_all=True, append_images=[second])
    data = buffer.getvalue()
    whole = Seen(data, "jpeg")
    assert (whole["image.frames"], whole.all("image.irregularity")) == (2, ["trailing-data"])
    cut = Seen(data[: data.index(b"\xff\xd9") + 2], "jpeg")
    assert "bad-offset" in cut.all("image.irregularity")


def test_a_hostile_size_is_a_bomb_and_is_not_decoded() -> None:
    data = jpeg()
    seen = Seen(patched(data, data.index(b"\xff\xc0") + 5, struct.pack(">HH", 65500, 65500)), "jpeg")
    assert seen["image.decompression_bomb"] is True
    assert seen["image.decodes"] is None
    assert Seen(jpeg(), "jpeg", pixel_limit=1000)["image.pixel_limit"] == 1000


def test_a_jpeg_without_huffman_tables_is_a_frame_of_motion_jpeg() -> None:
    data = jpeg()
    while b"\xff\xc4" in data:
        at = data.index(b"\xff\xc4")
        data = without(data, at, 2 + int.from_bytes(data[at + 2 : at + 4], "big"))
    seen = Seen(data, "jpeg")
    assert "default-huffman-tables" in seen.features
    assert "missing-table" not in seen.damage
