"""Counting GIF's LZW: against Pillow's encoder, and on streams written code by code."""

from __future__ import annotations

import io
import struct

import pytest
from image_samples import picture
from PIL import Image

from diagnose.collectors.image import lzw


def frame_data(image: Image.Image) -> tuple[bytes, int]:
    """The code size and the joined sub-blocks of the only frame of a GIF of Pillow's making."""
    buffer = io.BytesIO()
    image.save(buffer, "GIF")
    data = buffer.getvalue()
    at = data.rindex(b"\x2c" + struct.pack("<HHHH", 0, 0, *image.size))
    flags = data[at + 9]
    position = at + 10 + (3 * (2 << (flags & 7)) if flags & 0x80 else 0)
    code_size, position, stream = data[position], position + 1, b""
    while data[position]:
        stream += data[position + 1 : position + 1 + data[position]]
        position += 1 + data[position]
    return stream, code_size


@pytest.mark.parametrize(
    "image",
    [picture(300, 200, "L"), picture(64, 48, "1"), Image.new("L", (900, 700), 7), Image.linear_gradient("L")],
    ids=["noise", "two colours", "flat", "gradient"],
)
def test_all_pixels_of_an_encoded_picture_are_counted(image: Image.Image) -> None:
    stream, code_size = frame_data(image)
    expected = image.width * image.height
    assert lzw.count(stream, code_size, expected) == lzw.LzwCount(expected, None, True, len(stream))
    half = lzw.count(stream[: len(stream) // 2], code_size, expected)
    assert 0 < half.pixels < expected
    assert not half.ended


def packed(codes: list[tuple[int, int]]) -> bytes:
    """Codes given with their widths, least significant bit first."""
    value = bits = 0
    for code, width in codes:
        value |= code << bits
        bits += width
    return value.to_bytes(-(-bits // 8), "little")


@pytest.mark.parametrize(
    ("codes", "pixels", "broken"),
    [
        ([(4, 3), (1, 3), (5, 3)], 1, False),
        ([(4, 3), (1, 3), (6, 3), (5, 3)], 3, False),  # 6 names the string that it completes itself
        ([(4, 3), (1, 3), (7, 3)], 1, True),
        ([(4, 3), (6, 3)], 0, True),
        ([(4, 3), (0, 3), (4, 3), (0, 3), (5, 3)], 2, False),
        ([(0, 3), (1, 3), (2, 3), (3, 4), (5, 4)], 4, False),  # no clear code; the width grows after three codes
    ],
)
def test_streams_written_code_by_code(codes: list[tuple[int, int]], pixels: int, broken: bool) -> None:
    counted = lzw.count(packed(codes), 2, 100)
    assert (counted.pixels, counted.broken_at is not None) == (pixels, broken)
