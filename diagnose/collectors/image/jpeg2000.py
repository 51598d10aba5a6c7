"""Structure of a JPEG 2000 codestream (ISO/IEC 15444-1 annex A): main header, tile-parts, end marker."""

from __future__ import annotations

import re
import struct
from dataclasses import dataclass, field

from diagnose.collectors.image.content import Content, CutShort, unpack
from diagnose.collectors.image.findings import Damage, Findings
from diagnose.collectors.image.jpeg2000_header import CodingStyle, Size, read_coding_style, read_quantisation, read_size

SOC, SIZ, CAP, COD, QCD, SOT, SOD, EOC = 0x4F, 0x51, 0x50, 0x52, 0x5C, 0x90, 0x93, 0xD9
MAIN_HEADER = {
    SIZ: "SIZ", CAP: "CAP", COD: "COD", 0x53: "COC", 0x55: "TLM", 0x57: "PLM", 0x59: "CPF", QCD: "QCD", 0x5D: "QCC",
    0x5E: "RGN", 0x5F: "POC", 0x60: "PPM", 0x63: "CRG", 0x64: "COM", 0x56: "PRF",
}  # fmt: skip
"""Marker segments of the main header, tables A.2 and (CAP, CPF, PRF) those of 15444-15 and amendments."""

TILE_HEADER = frozenset([COD, 0x53, QCD, 0x5D, 0x5E, 0x5F, 0x58, 0x61, 0x64])
MAX_SEGMENTS = 1 << 14
MAX_TILE_PARTS = 1 << 16
MIN_HOLE = 64

_SEGMENT = struct.Struct(">BBH")
_TILE_PART = struct.Struct(">HIBB")
_IMPOSSIBLE = re.compile(rb"\xff[\x90\x93-\xff]")
"""What coded data can't hold: a byte after FF is at most 8F, but for SOP (91) and EPH (92); A.1 and C.2.1."""


@dataclass
class Stream:
    """A codestream that lies from `start` to `end`, and what is known of it so far."""

    data: Content
    start: int
    end: int
    found: Findings
    size: Size | None = None
    style: CodingStyle | None = None
    seen: set[int] = field(default_factory=set)
    tiles: set[int] = field(default_factory=set)


def read(data: Content, found: Findings) -> None:
    """Walks a bare codestream."""
    read_codestream(data, 0, len(data), found)


def read_codestream(data: Content, start: int, end: int, found: Findings) -> Size | None:
    """Walks the codestream between `start` and `end`. Returns what its SIZ segment says."""
    stream = Stream(data, start, end, found)
    if data[start : start + 2] != b"\xff\x4f":
        text = f"the codestream starts with {data[start : start + 2].hex(' ')} instead of ff 4f"
        found.damage(Damage.BAD_HEADER, start, text)
        return None
    found.first_scan = start
    try:
        position = _read_main_header(stream)
        if position is not None:
            _read_tile_parts(stream, position)
    except CutShort as cut:
        text = f"the codestream ends at byte {cut.end}, inside a marker segment at byte {cut.offset}"
        found.damage(Damage.TRUNCATED, cut.end, text)
    return stream.size


def _read_main_header(stream: Stream) -> int | None:
    """Reads the segments up to the first SOT and returns its offset; None where they cannot be followed."""
    position = stream.start + 2
    for _ in range(MAX_SEGMENTS):
        prefix, marker, length = unpack(_SEGMENT, stream.data, position, stream.end)
        if prefix != 0xFF:
            text = f"no marker stands where the main header goes on, but {prefix:02x} {marker:02x}"
            stream.found.damage(Damage.BAD_MARKER, position, text)
            return None
        if marker == SOT:
            return position if _is_complete(stream, position) else None
        if marker not in MAIN_HEADER:
            stream.found.damage(Damage.BAD_MARKER, position, f"marker FF{marker:02X} in the main header")
            return None
        if length < 2 or position + 2 + length > stream.end:
            _bad_length(stream, position, marker, length)
            return None
        if not _read_segment(stream, marker, position + 4, position + 2 + length):
            return None
        position += 2 + length
    return None


def _bad_length(stream: Stream, position: int, marker: int, length: int) -> None:
    name = MAIN_HEADER.get(marker, f"FF{marker:02X}")
    kind = Damage.BAD_CHUNK_LENGTH if length < 2 else Damage.TRUNCATED
    stream.found.damage(kind, position + 2, f"segment {name} states {length} bytes")


def _read_segment(stream: Stream, marker: int, start: int, end: int) -> bool:
    """Reads one segment of the main header. False where nothing behind it can be understood."""
    found, first = stream.found, not stream.seen
    if first and marker != SIZ:
        found.damage(Damage.MISSING_SEGMENT, start - 4, f"the main header starts with FF{marker:02X} instead of SIZ")
        return False
    if marker in stream.seen and marker in (SIZ, COD, QCD):
        found.damage(Damage.DUPLICATE_CHUNK, start - 4, f"a second {MAIN_HEADER[marker]} segment")
        return True
    stream.seen.add(marker)
    if marker == SIZ:
        stream.size = read_size(stream.data, start, end, found)
        return stream.size is not None
    if marker == COD:
        stream.style = read_coding_style(stream.data, start, end, stream.size, found)
        return stream.style is not None
    if marker == QCD:
        return read_quantisation(stream.data, start, end, stream.style, found)
    if marker == CAP:
        found.feature("htj2k", "high-throughput coding (ISO/IEC 15444-15), which older decoders lack")
    return True


def _is_complete(stream: Stream, position: int) -> bool:
    missing = [name for marker, name in ((SIZ, "SIZ"), (COD, "COD"), (QCD, "QCD")) if marker not in stream.seen]
    if missing:
        stream.found.damage(Damage.MISSING_SEGMENT, position, f"the main header lacks {', '.join(missing)}")
    return not missing


def _read_tile_parts(stream: Stream, position: int) -> None:
    for _ in range(MAX_TILE_PARTS):
        if stream.end - position < 2:
            _ends_early(stream)
            return
        marker = stream.data[position : position + 2]
        if marker == b"\xff\xd9":
            _check_end(stream, position + 2)
            return
        if marker != b"\xff\x90":
            text = f"no tile-part starts where the one before it ends, but {marker.hex(' ')}"
            stream.found.damage(Damage.BAD_MARKER, position, text)
            return
        following = _read_tile_part(stream, position)
        if following is None:
            return
        position = following


def _read_tile_part(stream: Stream, position: int) -> int | None:
    """Reads the tile-part at `position` and returns where the next one starts."""
    found = stream.found
    tile, length, part, parts = unpack(_TILE_PART, stream.data, position + 4, stream.end)
    if stream.size and tile >= stream.size.tiles:
        found.damage(
            Damage.BAD_HEADER, position + 4, f"a tile-part of tile {tile}, there are {stream.size.tiles} tiles"
        )
        return None
    if parts and part >= parts:
        found.damage(Damage.BAD_HEADER, position + 10, f"tile-part {part} of {parts} of tile {tile}")
    stream.tiles.add(tile)
    end = position + length if length else _up_to_end_marker(stream)
    if 0 < length < 14:
        found.damage(Damage.BAD_CHUNK_LENGTH, position + 6, f"a tile-part states {length} bytes")
        return None
    data_start = _skip_tile_header(stream, position + 12, min(end, stream.end))
    if end > stream.end:
        missing = end - stream.end
        text = f"a tile-part of tile {tile} lacks {missing} of its {length} bytes"
        found.damage(Damage.TRUNCATED, stream.end, text)
        found.know("image.missing_bytes", missing, stream.end)
        return None
    if data_start is None:
        return None
    _check_coded_data(stream, tile, data_start, end)
    return end


def _check_coded_data(stream: Stream, tile: int, start: int, end: int) -> None:
    wrong = _IMPOSSIBLE.search(stream.data, start, end)
    if wrong:
        text = f"the coded data of tile {tile} hold {wrong.group().hex(' ')}, which no encoder writes"
        stream.found.damage(Damage.ENTROPY_ERROR, wrong.start(), text)
    if stream.style and stream.style.empty_packets is not None:
        # Arithmetic coding leaves no long runs of zeros; empty packets are zeros, but only so many.
        run = max(MIN_HOLE, stream.style.empty_packets + 16)
        hole = stream.data.find(bytes(run), start, end)
        if hole >= 0:
            stream.found.damage(Damage.ZERO_HOLE, hole, f"{run} or more zero bytes in the coded data of tile {tile}")


def _up_to_end_marker(stream: Stream) -> int:
    """Where a tile-part of unknown length ends: before EOC (A.4.2)."""
    last = stream.data.rfind(b"\xff\xd9", stream.start, stream.end)
    return last if last >= 0 else stream.end


def _skip_tile_header(stream: Stream, position: int, end: int) -> int | None:
    for _ in range(MAX_SEGMENTS):
        if stream.data[position : position + 2] == b"\xff\x93":
            return position + 2
        prefix, marker, length = unpack(_SEGMENT, stream.data, position, end)
        if prefix != 0xFF or marker not in TILE_HEADER or length < 2:
            text = f"no marker of a tile-part header, but {prefix:02x} {marker:02x}"
            stream.found.damage(Damage.BAD_MARKER, position, text)
            return None
        position += 2 + length
    return None


def _ends_early(stream: Stream) -> None:
    kind = Damage.MISSING_END_MARKER if stream.tiles else Damage.TRUNCATED
    text = "the codestream ends without the end marker FFD9" if stream.tiles else "the codestream has no tiles"
    stream.found.damage(kind, stream.end, text)


def _check_end(stream: Stream, end: int) -> None:
    if stream.size and len(stream.tiles) < stream.size.tiles:
        text = f"{stream.size.tiles - len(stream.tiles)} of {stream.size.tiles} tiles have no data"
        stream.found.damage(Damage.MISSING_SCAN, end, text)
    if end < stream.end:
        text = f"{stream.end - end} bytes follow the end of the codestream"
        stream.found.irregular(Damage.TRAILING_DATA, end, text)
