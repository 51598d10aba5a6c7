"""Structure of a BMP file: Windows bitmap headers as in wingdi.h, OS/2 2.x headers as in its Presentation Manager."""

from __future__ import annotations

import struct
from dataclasses import dataclass

from diagnose.collectors.image.bmp_rle import check_rle
from diagnose.collectors.image.content import Content, take, unpack
from diagnose.collectors.image.findings import Damage, Findings

_FILE = struct.Struct("<2sIHHI")
_CORE = struct.Struct("<IHHHH")
_INFO = struct.Struct("<IiiHHIIiiII")
_MASKS = struct.Struct("<III")

HEADERS = {12: "core", 16: "os2v2", 40: "info", 52: "info-v2", 56: "info-v3", 64: "os2v2", 108: "v4", 124: "v5"}
COMPRESSIONS = {0: "rgb", 1: "rle8", 2: "rle4", 3: "bitfields", 4: "jpeg", 5: "png", 6: "alphabitfields"}
OS2_COMPRESSIONS = {0: "rgb", 1: "rle8", 2: "rle4", 3: "huffman1d", 4: "rle24"}
DEPTHS = {"rgb": (1, 2, 4, 8, 16, 24, 32), "rle8": (8,), "rle4": (4,), "rle24": (24,), "huffman1d": (1,)}
"""Bits a pixel that each compression allows (2 is Windows CE's)."""

BITFIELD_DEPTHS = (16, 32)
ABSURD, ABSURD_BYTES = 16, 1 << 20
"""A stated length of more than so many times the file (or 16 MiB, if it is small) is no slip of a writer."""

MAX_GAP = 16
"""Bytes before the pixels that masks of an old header or alignment take."""


@dataclass(frozen=True)
class Bitmap:
    """What the headers say. `header` is where the information header stands, `pixels` where the pixels do."""

    header: int
    header_bytes: int
    width: int
    height: int
    planes: int
    depth: int
    compression: str
    colours: int
    pixels: int
    stated_pixel_bytes: int = 0

    @property
    def row_bytes(self) -> int:
        return (self.width * self.depth + 31) // 32 * 4


def read(data: Content, found: Findings) -> None:
    """Reads the headers and checks that palette and pixels are there and mean something."""
    signature, stated, _, _, pixels = unpack(_FILE, data, 0)
    if signature != b"BM":
        found.damage(Damage.SIGNATURE_DAMAGED, 0, f"the signature is {signature!r}")
        return
    bitmap = read_bitmap(data, _FILE.size, pixels, found)
    if bitmap is None:
        return
    if stated != len(data) and stated not in (0, _FILE.size + bitmap.header_bytes):
        # ImageMagick refuses a file that is shorter than it says; others ignore the field.
        report = found.damage if stated > len(data) else found.irregular
        report(Damage.BAD_SIZE_FIELD, 2, f"the header states {stated} bytes, the file has {len(data)}")
    check_pixels(data, bitmap, bitmap.height, found)


def read_bitmap(data: Content, offset: int, pixels: int, found: Findings) -> Bitmap | None:
    """The information header at `offset`. None where the pixels cannot be laid out by it."""
    (size,) = struct.unpack("<I", take(data, offset, 4))
    if size == 12:
        _, width, height, planes, depth = unpack(_CORE, data, offset)
        bitmap = Bitmap(offset, size, width, height, planes, depth, "rgb", 0, pixels)
    elif size in HEADERS or 12 < size <= 124:
        bitmap = _read_info(data, offset, size, pixels)
    else:
        found.damage(Damage.BAD_HEADER, offset, f"the information header states a length of {size} bytes")
        return None
    found.know("bmp.header", HEADERS.get(size, "other"), offset)
    found.know("bmp.compression", bitmap.compression, offset + 16)
    found.know("image.bit_depth", min(bitmap.depth, 8), offset + 14)
    found.size(bitmap.width, bitmap.height, offset + 4)
    return bitmap if _is_sound(bitmap, found) else None


def _read_info(data: Content, offset: int, size: int, pixels: int) -> Bitmap:
    # A header may be cut at any field (OS/2 allows 16 to 64 bytes); what it lacks counts as zero.
    content = take(data, offset, min(size, _INFO.size)).ljust(_INFO.size, b"\0")
    _, width, height, planes, depth, compression, pixel_bytes, _, _, colours, _ = _INFO.unpack(content)
    os2 = size in (16, 64)
    name = (OS2_COMPRESSIONS if os2 else COMPRESSIONS).get(compression, f"unknown ({compression})")
    return Bitmap(offset, size, width, height, planes, depth, name, colours, pixels, pixel_bytes)


def _is_sound(bitmap: Bitmap, found: Findings) -> bool:
    at = bitmap.header
    top_down, height = bitmap.height < 0, abs(bitmap.height)
    if bitmap.width <= 0 or not height:
        found.damage(Damage.BAD_DIMENSIONS, at + 4, f"the bitmap is {bitmap.width}x{bitmap.height} pixels")
        return False
    if bitmap.planes != 1:
        # ImageMagick and ffmpeg refuse it, Pillow and OpenCV do not look.
        found.damage(Damage.BAD_HEADER, at + 12, f"{bitmap.planes} colour planes instead of 1")
    depths = DEPTHS.get(bitmap.compression, BITFIELD_DEPTHS)
    if bitmap.compression in ("jpeg", "png"):
        found.unsupported_variant(f"BMP that holds a {bitmap.compression.upper()} stream", at + 16)
        return False
    if bitmap.compression.startswith("unknown"):
        found.damage(Damage.BAD_HEADER, at + 16, f"the compression is {bitmap.compression}")
        return False
    if bitmap.depth not in depths:
        text = f"{bitmap.depth} bits a pixel with the compression {bitmap.compression}"
        found.damage(Damage.BAD_BIT_DEPTH, at + 14, text)
        return False
    _describe(bitmap, top_down, found)
    return True


def _describe(bitmap: Bitmap, top_down: bool, found: Findings) -> None:
    for present, feature, words in (
        (top_down, "top-down", "rows stand top first"),
        (bitmap.compression.startswith("rle"), "rle", f"run-length compression {bitmap.compression}"),
        (bitmap.compression.endswith("bitfields"), "bitfields", "colours in bit fields"),
        (bitmap.compression == "huffman1d", "huffman1d", "Huffman compression of OS/2"),
        (bitmap.depth < 8, "low-bit-depth", f"{bitmap.depth} bits a pixel"),
        (bitmap.depth == 16, "16-bit-pixels", "16 bits a pixel"),
        (bitmap.depth == 32, "32-bit-pixels", "32 bits a pixel; whether the fourth byte is alpha is a guess"),
        (bitmap.header_bytes in (12, 16, 64), "os2", "a header of OS/2"),
        (bitmap.header_bytes >= 108, "new-header", f"a header of {bitmap.header_bytes} bytes"),
    ):
        if present:
            found.feature(feature, words)
    found.know("image.colour_model", "palette" if bitmap.depth <= 8 else "rgb")


def check_pixels(data: Content, bitmap: Bitmap, height: int, found: Findings) -> None:
    """Whether palette and pixels (`height` rows) lie within the data and mean something."""
    palette = palette_colours(bitmap)
    if bitmap.depth <= 8 and bitmap.colours > 1 << bitmap.depth:
        text = f"{bitmap.colours} palette colours for {bitmap.depth} bits a pixel"
        beyond = bitmap.header + bitmap.header_bytes + 4 * bitmap.colours > len(data)
        report = found.damage if beyond else found.irregular
        report(Damage.BAD_PALETTE, bitmap.header + 32, text)
    if bitmap.stated_pixel_bytes > len(data):
        text = f"the pixels are said to take {bitmap.stated_pixel_bytes} bytes, the file has {len(data)}"
        report = found.damage if bitmap.stated_pixel_bytes > ABSURD * max(len(data), ABSURD_BYTES) else found.irregular
        report(Damage.BAD_SIZE_FIELD, bitmap.header + 20, text)
    _check_masks(data, bitmap, found)
    least = bitmap.header + bitmap.header_bytes
    if bitmap.pixels < least or bitmap.pixels >= len(data):
        text = f"the pixels are said to start at byte {bitmap.pixels}, the file has {len(data)}"
        found.damage(Damage.BAD_OFFSET, 10, text)
        return
    entry = 3 if bitmap.header_bytes == 12 else 4
    if bitmap.pixels > least + entry * palette + MAX_GAP:
        found.feature(
            "gap-before-pixels", "unused bytes before the pixels; readers that ignore the offset shift the rows"
        )
    if bitmap.depth <= 8 and bitmap.pixels < least + entry * palette and bitmap.colours:
        found.irregular(Damage.BAD_OFFSET, 10, "the pixels are said to start inside the palette")
    if bitmap.compression in ("rle8", "rle4", "rle24"):
        check_rle(data, bitmap.pixels, bitmap.compression, bitmap.width, abs(height), found)
    elif bitmap.compression != "huffman1d":
        _check_rows(data, bitmap, abs(height), palette, found)


def palette_colours(bitmap: Bitmap) -> int:
    """Colours that the palette holds."""
    full = 1 << bitmap.depth if bitmap.depth <= 8 else 0
    return min(bitmap.colours, full) if bitmap.colours > 0 else full


def _check_masks(data: Content, bitmap: Bitmap, found: Findings) -> None:
    if not bitmap.compression.endswith("bitfields"):
        return
    offset = bitmap.header + 40
    masks = unpack(_MASKS, data, offset)
    if any(first & second for first, second in ((masks[0], masks[1]), (masks[0], masks[2]), (masks[1], masks[2]))):
        found.damage(Damage.BAD_HEADER, offset, "the colour masks overlap")
    for mask in masks:
        lowest = mask & -mask
        if mask and (mask // lowest) & (mask // lowest + 1):
            found.damage(Damage.BAD_HEADER, offset, f"the colour mask {mask:#x} has a gap")
        elif mask >> bitmap.depth:
            found.irregular(Damage.BAD_HEADER, offset, f"the colour mask {mask:#x} leaves the pixel")


def _check_rows(data: Content, bitmap: Bitmap, height: int, palette: int, found: Findings) -> None:
    needed = bitmap.row_bytes * height
    there = len(data) - bitmap.pixels
    if there < needed:
        rows = there // bitmap.row_bytes
        text = f"{needed - there} bytes of the pixels are missing: {rows} of {height} rows are whole"
        found.damage(Damage.TRUNCATED, len(data), text)
        found.know("image.missing_bytes", needed - there, len(data))
        return
    if bitmap.depth == 8 and palette < 256:
        _check_indices(data, bitmap, height, palette, found)


def _check_indices(data: Content, bitmap: Bitmap, height: int, palette: int, found: Findings) -> None:
    """8-bit rows are looked at as a whole; the padding at their ends does not count."""
    valid = bytes(range(palette))
    for row in range(height):
        start = bitmap.pixels + row * bitmap.row_bytes
        wrong = data[start : start + bitmap.width].translate(None, valid)
        if wrong:
            text = f"the pixel value {wrong[0]} has no colour: the palette has {palette}"
            found.damage(Damage.BAD_PALETTE, start, text)
            return
