"""The header of a PNG image: IHDR, and the layout of the pixels that follows from it (ISO/IEC 15948 sections 8, 11)."""

from __future__ import annotations

import struct
from dataclasses import dataclass

from diagnose.collectors.image.findings import Damage, Findings

_IHDR = struct.Struct(">IIBBBBB")
MAX_SIDE = 2**31 - 1

CHANNELS = {0: 1, 2: 3, 3: 1, 4: 2, 6: 4}
"""Samples of a pixel by colour type."""

DEPTHS = {0: (1, 2, 4, 8, 16), 2: (8, 16), 3: (1, 2, 4, 8), 4: (8, 16), 6: (8, 16)}
COLOUR_MODELS = {0: "grey", 2: "rgb", 3: "palette", 4: "grey-alpha", 6: "rgba"}

_ADAM7 = ((0, 0, 8, 8), (4, 0, 8, 8), (0, 4, 4, 8), (2, 0, 4, 4), (0, 2, 2, 4), (1, 0, 2, 2), (0, 1, 1, 2))
"""Passes: first column, first row, column step, row step."""


@dataclass(frozen=True)
class Header:
    width: int
    height: int
    bit_depth: int
    colour_type: int
    interlaced: bool

    def rows(self, width: int, height: int) -> list[tuple[int, int]]:
        """Of an image of this kind: (bytes of a row with its filter byte, number of rows) for each pass."""
        bits = self.bit_depth * CHANNELS[self.colour_type]
        if not self.interlaced:
            return [(1 + -(-width * bits // 8), height)]
        passes = []
        for column, row, across, down in _ADAM7:
            columns, lines = -(-(width - column) // across), -(-(height - row) // down)
            if columns > 0 and lines > 0:
                passes.append((1 + -(-columns * bits // 8), lines))
        return passes


def read_header(content: bytes, offset: int, found: Findings) -> Header | None:
    """IHDR's 13 bytes, which stand at `offset`. None where no pixels can be laid out by them."""
    if len(content) != _IHDR.size:
        found.damage(Damage.BAD_CHUNK_LENGTH, offset, f"IHDR is {len(content)} bytes long instead of 13")
        return None
    width, height, depth, colour, compression, filtering, interlace = _IHDR.unpack(content)
    found.size(width, height, offset)
    found.know("image.bit_depth", depth, offset + 8)
    found.know("png.colour_type", colour, offset + 9)
    sound = True
    for wrong, kind, text in (
        (not 0 < width <= MAX_SIDE or not 0 < height <= MAX_SIDE, Damage.BAD_DIMENSIONS, f"size {width}x{height}"),
        (colour not in CHANNELS, Damage.BAD_COLOUR_TYPE, f"colour type {colour}"),
        (colour in DEPTHS and depth not in DEPTHS[colour], Damage.BAD_BIT_DEPTH, f"{depth} bits, colour type {colour}"),
        (compression != 0, Damage.BAD_HEADER, f"compression method {compression}"),
        (filtering != 0, Damage.BAD_HEADER, f"filter method {filtering}"),
        (interlace > 1, Damage.BAD_HEADER, f"interlace method {interlace}"),
    ):
        if wrong:
            found.damage(kind, offset, f"IHDR states {text}, which the format does not know")
            sound = False
    if not sound:
        return None
    _describe(Header(width, height, depth, colour, interlace == 1), found)
    return Header(width, height, depth, colour, interlace == 1)


def _describe(header: Header, found: Findings) -> None:
    found.know("image.colour_model", COLOUR_MODELS[header.colour_type])
    found.know("png.interlaced", header.interlaced)
    if header.interlaced:
        found.feature("interlaced", "Adam7 interlacing")
    if header.bit_depth == 16:
        found.feature("16-bit", "16 bits a sample; many loaders clip or drop the lower half")
    elif header.bit_depth < 8:
        found.feature("low-bit-depth", f"{header.bit_depth} bits a sample")
