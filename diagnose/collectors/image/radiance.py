"""Radiance pictures (.hdr, .pic; Ward, "Real Pixels" and the Radiance file formats document) and farbfeld."""

from __future__ import annotations

import re
import struct

from diagnose.collectors.image.content import Content, unpack
from diagnose.collectors.image.findings import Damage, Findings
from diagnose.collectors.image.samples import check_all

MAX_HEADER = 1 << 14
MAX_FOLLOWED_BYTES = 1 << 22
_RESOLUTION = re.compile(rb"\n\n([-+][XY]) (\d{1,7}) ([-+][XY]) (\d{1,7})\n")
_FARBFELD = struct.Struct(">8sII")


def read(data: Content, found: Findings) -> None:
    """Reads the header, and follows the runs of every row."""
    match = _RESOLUTION.search(bytes(data[:MAX_HEADER]))
    if match is None:
        found.damage(Damage.BAD_HEADER, 0, "no line states the resolution after the header's empty line")
        return
    if not re.search(rb"\nFORMAT=32-bit_rle_(rgb|xyz)e\r?\n", bytes(data[: match.start() + 1])):
        found.damage(Damage.BAD_HEADER, 0, "no line FORMAT=32-bit_rle_rgbe (or xyze) stands in the header")
    rows, width = int(match.group(2)), int(match.group(4))
    if match.group(1)[1:] == match.group(3)[1:] or not rows or not width:
        found.damage(Damage.BAD_DIMENSIONS, match.start(1), f"the resolution is {match.group().strip()!r}")
        return
    found.size(width, rows, match.start(1))
    found.know("image.bit_depth", 32)
    found.feature("float", "floating-point samples (RGBE)")
    if len(data) <= MAX_FOLLOWED_BYTES:
        _follow_rows(data, match.end(), width, rows, found)


def _follow_rows(data: Content, position: int, width: int, rows: int, found: Findings) -> None:
    """A row is either flat (4 bytes a pixel), in old runs, or begins with 2 2 and its width and has four channels."""
    for row in range(rows):
        head = data[position : position + 4]
        if len(head) < 4:
            text = f"the file ends after {row} of {rows} rows"
            found.damage(Damage.TRUNCATED, len(data), text)
            return
        if 8 <= width < 0x8000 and head[0] == head[1] == 2 and head[2] < 128:
            if int.from_bytes(head[2:4], "big") != width:
                text = f"row {row} states a width of {int.from_bytes(head[2:4], 'big')} for {width}"
                found.damage(Damage.BAD_RLE, position, text)
                return
            following = _skip_channels(data, position + 4, width)
        else:
            following = _skip_pixels(data, position, width)
        if following is None:
            kind = Damage.TRUNCATED if position + 4 * width > len(data) else Damage.BAD_RLE
            found.damage(kind, position, f"the runs of row {row} do not come out at its {width} pixels")
            return
        position = following


def _skip_channels(data: Content, position: int, width: int) -> int | None:
    for _ in range(4):
        left = width
        while left > 0:
            if position >= len(data):
                return None
            count = data[position]
            run = count > 128
            count -= 128 if run else 0
            position += 2 if run else 1 + count
            left -= count
            if not count:
                return None
        if left or position > len(data):
            return None
    return position


def _skip_pixels(data: Content, position: int, width: int) -> int | None:
    """Flat pixels, in which 1 1 1 n repeats the pixel before it."""
    left, shift = width, 0
    while left > 0:
        pixel = data[position : position + 4]
        if len(pixel) < 4:
            return None
        if pixel[:3] == b"\1\1\1":
            left -= pixel[3] << shift
            shift = min(shift + 8, 24)
        else:
            left, shift = left - 1, 0
        position += 4
    return position if not left else None


def read_farbfeld(data: Content, found: Findings) -> None:
    """Eight bytes of signature, width, height, four 16-bit samples a pixel (suckless.org, farbfeld)."""
    _, width, height = unpack(_FARBFELD, data, 0)
    found.size(width, height, 8)
    found.know("image.bit_depth", 16)
    found.feature("16-bit", "16 bits a sample")
    if not width or not height:
        found.damage(Damage.BAD_DIMENSIONS, 8, f"the image is {width}x{height} pixels")
        return
    check_all(data, _FARBFELD.size, 8 * width, height, found)
