"""Headers of PBM, PGM and PPM (Netpbm manual, pages pbm, pgm and ppm), and whether the pixels are there."""

from __future__ import annotations

import re

from diagnose.collectors.image.content import Content
from diagnose.collectors.image.findings import Damage, Findings

PLAIN = b"123"
SAMPLES = {b"1": 1, b"2": 1, b"3": 3, b"4": 1, b"5": 1, b"6": 3}
MAX_HEADER = 4096

_COMMENT = rb"(?:\s|#[^\r\n]*[\r\n])+"
_BITMAP = re.compile(rb"P([14])" + _COMMENT + rb"(\d{1,9})" + _COMMENT + rb"(\d{1,9})()\s")
_MAP = re.compile(rb"P([2356])" + _COMMENT + rb"(\d{1,9})" + _COMMENT + rb"(\d{1,9})" + _COMMENT + rb"(\d{1,9})\s")


def read(data: Content, found: Findings) -> None:
    """Reads the header and compares the size that follows from it with the file's."""
    head = bytes(data[:MAX_HEADER])
    match = _BITMAP.match(head) or _MAP.match(head)
    if match is None:
        found.damage(Damage.BAD_HEADER, 2, f"the header {head[:24]!r} does not state a size")
        return
    kind, width, height, maximum = match.group(1), int(match.group(2)), int(match.group(3)), int(match.group(4) or 1)
    found.size(width, height, match.start(2))
    found.know("image.colour_model", "bilevel" if kind in b"14" else "grey" if kind in b"25" else "rgb")
    found.know("image.bit_depth", maximum.bit_length())
    if not width or not height:
        found.damage(Damage.BAD_DIMENSIONS, match.start(2), f"the image is {width}x{height} pixels")
    if not 0 < maximum < 65536:
        found.damage(Damage.BAD_HEADER, match.start(4), f"the highest sample value is {maximum}")
        return
    _describe(kind, maximum, found)
    if kind not in PLAIN:
        _check_size(data, match.end(), kind, width, height, maximum, found)


def _describe(kind: bytes, maximum: int, found: Findings) -> None:
    if kind in PLAIN:
        found.feature("plain-text", "samples written as decimal text")
    if kind in b"14":
        found.feature("bilevel", "1 bit a pixel")
    if maximum > 255:
        found.feature("16-bit", "16 bits a sample; many loaders clip or drop the lower half")
    elif maximum not in (1, 255):
        found.feature(
            "odd-maximum", f"the highest sample value is {maximum}; loaders that ignore it show a dark picture"
        )


def _check_size(data: Content, start: int, kind: bytes, width: int, height: int, maximum: int, found: Findings) -> None:
    row = (width + 7) // 8 if kind == b"4" else width * SAMPLES[kind] * (2 if maximum > 255 else 1)
    missing = start + row * height - len(data)
    if missing > 0:
        rows = (len(data) - start) // row
        text = f"{missing} bytes of the pixels are missing: {rows} of {height} rows are whole"
        found.damage(Damage.TRUNCATED, len(data), text)
        found.know("image.missing_bytes", missing, len(data))
