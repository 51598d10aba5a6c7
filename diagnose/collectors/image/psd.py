"""Structure of a Photoshop file, PSD and PSB (Adobe Photoshop File Formats Specification): sections, merged image."""

from __future__ import annotations

import struct
from dataclasses import dataclass

from diagnose.collectors.image import packbits
from diagnose.collectors.image.content import Content, unpack
from diagnose.collectors.image.deflate import BrokenStreamError, inflated_sizes
from diagnose.collectors.image.findings import Damage, Findings
from diagnose.collectors.image.samples import check_rows

_HEADER = struct.Struct(">4sH6xHIIHH")
_LENGTH, _LONG_LENGTH = struct.Struct(">I"), struct.Struct(">Q")

MODES = {0: "bilevel", 1: "grey", 2: "palette", 3: "rgb", 4: "cmyk", 7: "multichannel", 8: "grey", 9: "lab"}
DEPTHS = (1, 8, 16, 32)
MAX_CHANNELS = 56
MAX_SIDE = {1: 30_000, 2: 300_000}
"""By version: 1 is PSD, 2 PSB."""

RAW, PACKBITS, ZIP, ZIP_WITH_PREDICTION = range(4)
READ_BY_MOST = {(0, 1), (0, 8), (1, 8), (2, 8), (3, 8), (4, 8), (7, 8), (8, 8), (9, 8)}
"""Mode and depth that readers other than Photoshop have (Pillow's PsdImagePlugin.MODES)."""

MAX_FOLLOWED_BYTES = 1 << 22


@dataclass(frozen=True)
class Header:
    version: int
    channels: int
    height: int
    width: int
    depth: int
    mode: int

    @property
    def row_bytes(self) -> int:
        return (self.width * self.depth + 7) // 8


def read(data: Content, found: Findings) -> None:
    """Walks the five sections and adds what it finds."""
    header = Header(*unpack(_HEADER, data, 0)[1:])
    found.size(header.width, header.height, 14)
    found.know("image.bit_depth", header.depth, 22)
    found.know("image.colour_model", MODES.get(header.mode, "unknown"), 24)
    if _is_sound(header, found):
        _describe(header, found)
        start = _skip_sections(data, header, found)
        if start is not None:
            _check_merged_image(data, start, header, found)


def _is_sound(header: Header, found: Findings) -> bool:
    largest = MAX_SIDE.get(header.version, 0)
    for wrong, kind, offset, text in (
        (header.version not in MAX_SIDE, Damage.BAD_HEADER, 4, f"the version is {header.version}"),
        (not 1 <= header.channels <= MAX_CHANNELS, Damage.BAD_HEADER, 12, f"{header.channels} channels"),
        (not 1 <= header.height <= largest, Damage.BAD_DIMENSIONS, 14, f"{header.height} rows"),
        (not 1 <= header.width <= largest, Damage.BAD_DIMENSIONS, 18, f"{header.width} columns"),
        (header.depth not in DEPTHS, Damage.BAD_BIT_DEPTH, 22, f"{header.depth} bits a channel"),
        (header.mode not in MODES, Damage.BAD_COLOUR_TYPE, 24, f"colour mode {header.mode}"),
    ):
        if wrong:
            found.damage(kind, offset, text)
            return False
    return True


def _describe(header: Header, found: Findings) -> None:
    for present, feature, words in (
        (header.version == 2, "psb", "the variant for large documents (PSB)"),
        (header.depth == 16, "16-bit", "16 bits a channel"),
        (header.depth == 32, "float", "floating-point samples"),
        (header.mode == 4, "cmyk", "CMYK colours"),
        (header.mode == 9, "lab", "CIE L*a*b* colours"),
    ):
        if present:
            found.feature(feature, words)
    if header.version == 2 or (header.mode, header.depth) not in READ_BY_MOST:
        found.rarely_read(f"PSD of {header.depth} bits in mode {MODES[header.mode]}, version {header.version}")


def _skip_sections(data: Content, header: Header, found: Findings) -> int | None:
    """Where the merged image starts; None where a section reaches past the end."""
    position = _HEADER.size
    for name, layout in (
        ("colour mode data", _LENGTH),
        ("image resources", _LENGTH),
        ("layers and masks", _LONG_LENGTH if header.version == 2 else _LENGTH),
    ):
        (length,) = unpack(layout, data, position)
        if name == "colour mode data" and header.mode == 2 and length != 768:
            found.damage(Damage.BAD_PALETTE, position, f"the palette has {length} bytes instead of 768")
        end = position + layout.size + length
        if end > len(data):
            text = f"the section of {name} states {length} bytes, {len(data) - position - layout.size} are there"
            found.damage(Damage.TRUNCATED, len(data), text)
            found.know("image.missing_bytes", end - len(data), len(data))
            return None
        if name == "image resources":
            _check_resources(data, position + layout.size, end, found)
        position = end
    return position


def _check_resources(data: Content, start: int, end: int, found: Findings) -> None:
    """Each block: 8BIM, a number, a Pascal string, a length. Photoshop is alone in needing them."""
    position = start
    while position + 12 <= end:
        if data[position : position + 4] not in (b"8BIM", b"MeSa", b"PHUT", b"AgHg", b"DCSR"):
            found.metadata_damage(Damage.BAD_HEADER, position, "no image resource starts where the one before it ends")
            return
        name = data[position + 6] + 1
        position += 6 + name + name % 2
        if position + 4 > end:
            break
        (length,) = _LENGTH.unpack_from(data, position)
        position += 4 + length + length % 2
    if position > end + 1:
        found.metadata_damage(Damage.BAD_CHUNK_LENGTH, start, "an image resource reaches past the end of its section")


def _check_merged_image(data: Content, start: int, header: Header, found: Findings) -> None:
    if start == len(data):
        found.damage(Damage.TRUNCATED, start, "the file ends before its merged image")
        return
    (compression,) = unpack(struct.Struct(">H"), data, start)
    rows, pixels = header.height * header.channels, start + 2
    found.first_scan = pixels
    if compression == RAW:
        check_rows(data, pixels, header.row_bytes, rows, found)
    elif compression == PACKBITS:
        _check_packed(data, pixels, header, rows, found)
    elif compression in (ZIP, ZIP_WITH_PREDICTION):
        found.rarely_read("PSD whose merged image is deflated")
        _check_deflated(data, pixels, header.row_bytes * rows, found)
    else:
        found.damage(Damage.BAD_HEADER, start, f"the compression of the merged image is {compression}")


def _check_packed(data: Content, start: int, header: Header, rows: int, found: Findings) -> None:
    """A table of the rows' lengths, then the rows."""
    width = 4 if header.version == 2 else 2
    position = start + width * rows
    if position > len(data):
        found.damage(Damage.TRUNCATED, len(data), "the file ends inside the table of the rows' lengths")
        return
    table = bytes(data[start:position])
    budget = MAX_FOLLOWED_BYTES
    for row in range(rows):
        length = int.from_bytes(table[row * width : (row + 1) * width], "big")
        if position + length > len(data):
            text = f"row {row} of {rows} (all channels) lies past the end of the file"
            found.damage(Damage.TRUNCATED, len(data), text)
            return
        budget -= length
        unpacked = packbits.count(bytes(data[position : position + length]), header.row_bytes) if budget >= 0 else None
        if unpacked and (unpacked.yielded != header.row_bytes or unpacked.used < length - 1):
            text = f"row {row} of {rows} (all channels) yields {unpacked.yielded} of {header.row_bytes} bytes"
            found.damage(Damage.BAD_RLE, position, text)
            return
        position += length


def _check_deflated(data: Content, start: int, expected: int, found: Findings) -> None:
    try:
        yielded, _ = inflated_sizes([memoryview(data)[start:]], expected)
    except BrokenStreamError as error:
        found.damage(Damage.BAD_COMPRESSED_DATA, start, f"the merged image cannot be inflated: {error}")
        return
    if yielded < expected:
        found.damage(Damage.TOO_FEW_PIXELS, start, f"the merged image yields {yielded} of {expected} bytes")
