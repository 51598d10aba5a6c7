"""Segments of a JPEG 2000 main header that decoding hangs on: SIZ, COD, QCD (ISO/IEC 15444-1 A.5.1, A.6.1, A.6.4)."""

from __future__ import annotations

import struct
from dataclasses import dataclass

from diagnose.collectors.image.content import Content, CutShort, unpack
from diagnose.collectors.image.findings import Damage, Findings

_SIZ = struct.Struct(">H8IH")
_COD = struct.Struct(">BBHBBBBBB")
MAX_COMPONENTS = 16384
MAX_DEPTH = 38
MAX_TILES = 65535
MAX_LEVELS = 32
PROGRESSIONS = 5
HIGH_THROUGHPUT = 0x40


@dataclass(frozen=True)
class Size:
    """Size in pixels, components, bits of the first component, tiles."""

    width: int
    height: int
    components: int
    depth: int
    tiles: int


@dataclass(frozen=True)
class CodingStyle:
    """`empty_packets` is how many packets a tile has at most, each of one byte where it is empty; None where the
    segment cuts it into precincts."""

    levels: int
    empty_packets: int | None


def read_size(data: Content, start: int, end: int, found: Findings) -> Size | None:
    """SIZ. None where no tiles can be laid out by it."""
    capabilities, right, bottom, left, top, tile_width, tile_height, tile_left, tile_top, components = unpack(
        _SIZ, data, start, end
    )
    at = start + _SIZ.size
    if not 1 <= components <= MAX_COMPONENTS or end - at != 3 * components:
        text = f"SIZ states {components} components in {end - start + 2} bytes"
        found.damage(Damage.BAD_HEADER, start + 34, text)
        return None
    if right <= left or bottom <= top:
        found.damage(Damage.BAD_DIMENSIONS, start + 2, f"the picture spans {left},{top} to {right},{bottom}")
        return None
    if not _tiles_fit(left, top, tile_width, tile_height, tile_left, tile_top):
        text = f"tiles of {tile_width}x{tile_height} from {tile_left},{tile_top} on do not cover the picture"
        found.damage(Damage.BAD_DIMENSIONS, start + 18, text)
        return None
    tiles = -(-(right - tile_left) // tile_width) * -(-(bottom - tile_top) // tile_height)
    if tiles > MAX_TILES:
        found.damage(Damage.BAD_DIMENSIONS, start + 18, f"{tiles} tiles; {MAX_TILES} is the most")
        return None
    if not _components_are_sound(data, at, components, found):
        return None
    depth = (data[at] & 0x7F) + 1
    size = Size(right - left, bottom - top, components, depth, tiles)
    _describe(data, at, size, capabilities, found)
    return size


def _tiles_fit(left: int, top: int, width: int, height: int, tile_left: int, tile_top: int) -> bool:
    across = width > 0 and tile_left <= left < tile_left + width
    return across and height > 0 and tile_top <= top < tile_top + height


def _components_are_sound(data: Content, at: int, components: int, found: Findings) -> bool:
    for number in range(components):
        depth, across, down = data[at + 3 * number : at + 3 * number + 3]
        if (depth & 0x7F) + 1 > MAX_DEPTH or not across or not down:
            text = f"component {number} has {(depth & 0x7F) + 1} bits and the sampling {across}x{down}"
            found.damage(Damage.BAD_HEADER, at + 3 * number, text)
            return False
    return True


def _describe(data: Content, at: int, size: Size, capabilities: int, found: Findings) -> None:
    found.know("image.bit_depth", size.depth, at)
    if not found.sized:
        found.size(size.width, size.height, at - 36)
    else:
        found.largest(size.width * size.height)
    if size.depth > 8:
        found.feature("16-bit" if size.depth == 16 else "high-bit-depth", f"{size.depth} bits a sample")
    samplings = {data[at + 3 * number + 1 : at + 3 * number + 3] for number in range(size.components)}
    if len(samplings) > 1:
        found.feature("subsampled", "components of different size")
    if size.tiles > 1:
        found.feature("tiled", f"{size.tiles} tiles")
    if capabilities & 0x4000:
        found.feature("htj2k", "high-throughput coding (ISO/IEC 15444-15), which older decoders lack")


def read_coding_style(data: Content, start: int, end: int, size: Size | None, found: Findings) -> CodingStyle | None:
    """COD. None where a decoder can make nothing of it."""
    style, progression, layers, transform, levels, width, height, block_style, wavelet = unpack(_COD, data, start, end)
    precincts = levels + 1 if style & 1 else 0
    for wrong, text in (
        (progression >= PROGRESSIONS, f"progression order {progression}"),
        (not layers, "0 quality layers"),
        (transform > 1, f"component transform {transform}"),
        (levels > MAX_LEVELS, f"{levels} decomposition levels"),
        (width > 8 or height > 8 or width + height > 8, f"code blocks of 2^{width + 2} by 2^{height + 2}"),
        (wavelet > 1, f"wavelet {wavelet}"),
        (end - start != _COD.size + precincts, f"{end - start} bytes for {levels} levels"),
    ):
        if wrong:
            found.damage(Damage.BAD_HEADER, start, f"COD states {text}")
            return None
    if transform and size and size.components < 3:
        found.damage(
            Damage.BAD_HEADER, start + 4, f"COD asks for a transform of 3 components, there are {size.components}"
        )
    if block_style & HIGH_THROUGHPUT:
        found.feature("htj2k", "high-throughput coding (ISO/IEC 15444-15), which older decoders lack")
    packets = layers * (levels + 1) * size.components if size and not precincts else None
    return CodingStyle(levels, packets)


def read_quantisation(data: Content, start: int, end: int, style: CodingStyle | None, found: Findings) -> bool:
    """QCD: whether it has a step for each sub-band. False where it has none that a decoder could use."""
    if start >= end:
        raise CutShort(start, 1, end)
    kind = data[start] & 0x1F
    steps = end - start - 1
    if kind > 2:
        found.damage(Damage.BAD_HEADER, start, f"QCD states the quantisation style {kind}")
        return False
    if style is None:
        return True
    bands = 3 * style.levels + 1
    needed = {0: bands, 1: 2, 2: 2 * bands}[kind]
    if steps < needed:
        text = f"QCD holds {steps} of the {needed} bytes that {style.levels} levels need"
        found.irregular(Damage.BAD_TABLE, start, text)
    return True
