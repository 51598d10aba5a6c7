"""Structure of a PCX file (ZSoft PCX File Format Technical Reference Manual): header, runs, palette at the end."""

from __future__ import annotations

import re
import struct

from diagnose.collectors.image.content import Content, unpack
from diagnose.collectors.image.findings import Damage, Findings
from diagnose.collectors.image.samples import check_rows

_HEADER = struct.Struct("<BBBBHHHHHH48sBBH")
HEADER_BYTES = 128
PALETTE_BYTES = 769
MAX_FOLLOWED_BYTES = 1 << 22

_RUN = re.compile(rb"[\xc0-\xff].|[\x00-\xbf]", re.DOTALL)


def read(data: Content, found: Findings) -> None:
    """Reads the header and follows the runs."""
    _, version, encoding, depth, left, top, right, bottom, _, _, _, _, planes, line = unpack(_HEADER, data, 0)
    width, height = right - left + 1, bottom - top + 1
    found.size(max(width, 0), max(height, 0), 4)
    found.know("image.bit_depth", depth, 3)
    for wrong, kind, offset, text in (
        (width <= 0 or height <= 0, Damage.BAD_DIMENSIONS, 4, f"the picture spans {left},{top} to {right},{bottom}"),
        (depth not in (1, 2, 4, 8), Damage.BAD_BIT_DEPTH, 3, f"{depth} bits a sample"),
        (not 1 <= planes <= 4, Damage.BAD_HEADER, 65, f"{planes} planes"),
        (line * 8 < width * depth, Damage.BAD_HEADER, 66, f"{line} bytes for a row of {width} pixels"),
    ):
        if wrong:
            found.damage(kind, offset, text)
            return
    rows = height * planes
    if not encoding:
        found.rarely_read("PCX without run-length compression")
        check_rows(data, HEADER_BYTES, line, rows, found)
        return
    found.first_scan = HEADER_BYTES
    end = _follow_runs(data, line * rows, found)
    if version >= 5 and depth == 8 and planes == 1 and end is not None and len(data) - end < PALETTE_BYTES:
        text = f"{len(data) - end} bytes follow the pixels, which are no palette of 256 colours"
        found.damage(Damage.BAD_PALETTE, end, text)


def _follow_runs(data: Content, expected: int, found: Findings) -> int | None:
    """Where the runs that yield the pixels end; None where they do not, or are too long to follow."""
    if len(data) > MAX_FOLLOWED_BYTES:
        return None
    yielded, position = 0, HEADER_BYTES
    for match in _RUN.finditer(data, HEADER_BYTES):
        if yielded >= expected:
            break
        run = match.group()
        yielded += run[0] & 0x3F if len(run) == 2 else 1
        position = match.end()
    if yielded < expected:
        text = f"the runs yield {yielded} of {expected} bytes"
        found.damage(Damage.TRUNCATED, len(data), text)
        return None
    return position
