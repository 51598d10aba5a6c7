"""Structure of a TGA file (Truevision TGA File Format Specification 2.0): header, colour map, pixels, footer."""

from __future__ import annotations

import struct
from dataclasses import dataclass

from diagnose.collectors.image.content import Content, unpack
from diagnose.collectors.image.findings import Damage, Findings
from diagnose.collectors.image.samples import check_rows

_HEADER = struct.Struct("<BBBHHBHHHHBB")
_FOOTER = b"TRUEVISION-XFILE.\0"
MAPPED, TRUE_COLOUR, GREY = 1, 2, 3
RUN_LENGTH = 8
MAX_PACKETS = 1 << 21
TYPES = {MAPPED: "palette", TRUE_COLOUR: "rgb", GREY: "grey"}
DEPTHS = {MAPPED: (8, 15, 16), TRUE_COLOUR: (15, 16, 24, 32), GREY: (1, 8, 16)}


@dataclass(frozen=True)
class Header:
    id_bytes: int
    map_type: int
    image_type: int
    map_first: int
    map_length: int
    map_depth: int
    left: int
    top: int
    width: int
    height: int
    depth: int
    descriptor: int

    @property
    def kind(self) -> int:
        return self.image_type & ~RUN_LENGTH

    @property
    def pixel_bytes(self) -> int:
        return (self.depth + 7) // 8

    @property
    def row_bytes(self) -> int:
        return self.width * self.pixel_bytes if self.depth >= 8 else (self.width + 7) // 8

    @property
    def pixels_start(self) -> int:
        map_bytes = self.map_length * ((self.map_depth + 7) // 8) if self.map_type == 1 else 0
        return _HEADER.size + self.id_bytes + map_bytes


def read(data: Content, found: Findings) -> None:
    """Reads the header and checks that colour map and pixels are there."""
    header = Header(*unpack(_HEADER, data, 0))
    found.size(header.width, header.height, 12)
    if not _is_sound(header, found):
        return
    found.know("image.bit_depth", min(header.depth, 8), 16)
    found.know("image.colour_model", TYPES[header.kind], 2)
    start = header.pixels_start
    if start > len(data):
        found.damage(Damage.TRUNCATED, len(data), "the file ends inside its colour map")
        return
    found.first_scan = start
    if header.image_type & RUN_LENGTH:
        found.feature("rle", "run-length compression")
        end = _follow_packets(data, header, start, found)
    else:
        end = check_rows(data, start, header.row_bytes, header.height, found)
    _check_footer(data, end, found)
    if header.kind == MAPPED and header.map_type == 1 and header.depth == 8:
        _check_indices(data, header, start, found)


def _is_sound(header: Header, found: Findings) -> bool:
    depths = DEPTHS.get(header.kind, ())
    mapped = header.kind == MAPPED
    for wrong, kind, offset, text in (
        (not header.width or not header.height, Damage.BAD_DIMENSIONS, 12, f"{header.width}x{header.height} pixels"),
        (not depths, Damage.BAD_HEADER, 2, f"the image type is {header.image_type}"),
        (depths and header.depth not in depths, Damage.BAD_BIT_DEPTH, 16, f"{header.depth} bits a pixel"),
        (mapped and header.map_type != 1, Damage.MISSING_CHUNK, 1, "a palette image without colour map"),
        (mapped and header.map_depth not in (15, 16, 24, 32), Damage.BAD_PALETTE, 7, "bits of a colour"),
    ):
        if wrong:
            found.damage(kind, offset, text)
            return False
    if header.descriptor & 0xC0:
        found.feature("interleaved", "rows in interleaved order, which most readers ignore")
    return True


def _follow_packets(data: Content, header: Header, position: int, found: Findings) -> int:
    """Follows the packets to the last pixel and returns where they end."""
    pixels, expected, size = 0, header.width * header.height, len(data)
    for _ in range(MAX_PACKETS):
        if pixels >= expected:
            break
        if position >= size:
            found.damage(Damage.TRUNCATED, size, f"the file ends after {pixels} of {expected} pixels")
            return size
        head = data[position]
        count = (head & 0x7F) + 1
        position += 1 + header.pixel_bytes * (1 if head & 0x80 else count)
        pixels += count
    if pixels > expected:
        found.damage(Damage.BAD_RLE, position, f"the last packet goes beyond the {expected} pixels")
    elif position > size:
        found.damage(Damage.TRUNCATED, size, "the file ends inside its last packet")
    return min(position, size)


def _check_footer(data: Content, end: int, found: Findings) -> None:
    """Version 2 ends with a footer of 26 bytes; a file that ends inside its signature was cut."""
    tail = bytes(data[max(end, len(data) - 26) :])
    at = tail.find(_FOOTER[:8])
    if at >= 0 and not tail.endswith(_FOOTER) and _FOOTER.startswith(tail[at:]):
        found.irregular(Damage.TRUNCATED, len(data), "the file ends inside its footer (TRUEVISION-XFILE)")


def _check_indices(data: Content, header: Header, start: int, found: Findings) -> None:
    """Pixel values without a colour: readers differ between black, an error and memory they do not own."""
    last = header.map_first + header.map_length
    if header.image_type & RUN_LENGTH or last >= 256:
        return
    wrong = bytes(data[start : start + header.width * header.height]).translate(None, bytes(range(last)))
    if wrong:
        found.damage(Damage.BAD_PALETTE, start, f"the pixel value {wrong[0]} has no colour: the map has {last}")
