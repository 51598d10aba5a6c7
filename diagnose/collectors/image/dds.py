"""Structure of a DDS file (Microsoft, "Programming Guide for DDS"): header, and whether the surfaces are there."""

from __future__ import annotations

import struct
from dataclasses import dataclass

from diagnose.collectors.image.content import Content, unpack
from diagnose.collectors.image.findings import Damage, Findings
from diagnose.collectors.image.trailing import describe_trailing

_HEADER = struct.Struct("<4sIIIIIII44xII4sIIIIIIII8x")
_DX10 = struct.Struct("<IIIII")
HEADER_SIZE, FORMAT_SIZE = 124, 32
FOUR_CC, RGB, LUMINANCE, ALPHA_ONLY, YUV = 0x4, 0x40, 0x20000, 0x2, 0x200
CUBE_MAP, VOLUME = 0x200, 0x200000
FACES = 0xFC00

BLOCK_BYTES = {b"DXT1": 8, b"ATI1": 8, b"BC4U": 8, b"BC4S": 8, b"DXT2": 16, b"DXT3": 16, b"DXT4": 16, b"DXT5": 16,
               b"ATI2": 16, b"BC5U": 16, b"BC5S": 16}  # fmt: skip
DXGI_BLOCK_BYTES = {
    **dict.fromkeys((70, 71, 72, 79, 80, 81), 8),
    **dict.fromkeys((73, 74, 75, 76, 77, 78, 82, 83, 84, 94, 95, 96, 97, 98, 99), 16),
}
"""DXGI_FORMAT_BC1 to BC7."""

MAX_MIPMAPS = 32


@dataclass(frozen=True)
class Surface:
    """Bytes of one block of `block` by `block` pixels; `faces` images with `mipmaps` levels each."""

    width: int
    height: int
    block: int
    block_bits: int
    mipmaps: int
    faces: int

    def level_bytes(self, level: int) -> int:
        width, height = max(1, self.width >> level), max(1, self.height >> level)
        across, down = -(-width // self.block), -(-height // self.block)
        return (across * self.block_bits + 7) // 8 * down


def read(data: Content, found: Findings) -> None:
    """Reads the header and compares the size that follows from it with the file's."""
    fields = unpack(_HEADER, data, 0)
    _, size, _, height, width, _, depth, mipmaps, format_size, flags, code, bits = fields[:12]
    caps = fields[17]
    found.size(width, height, 12)
    for wrong, kind, offset, text in (
        (size != HEADER_SIZE, Damage.BAD_HEADER, 4, f"the header states a length of {size} instead of 124"),
        (format_size != FORMAT_SIZE, Damage.BAD_HEADER, 76, f"the pixel format states a length of {format_size}"),
        (not width or not height, Damage.BAD_DIMENSIONS, 12, f"{width}x{height} pixels"),
        (mipmaps > MAX_MIPMAPS, Damage.BAD_HEADER, 28, f"{mipmaps} mipmaps"),
    ):
        if wrong:
            found.damage(kind, offset, text)
            return
    start, block, block_bits, array = _pixel_format(data, flags, code, bits, found)
    if not block_bits:
        return
    faces = max(1, bin(caps & FACES).count("1")) if caps & CUBE_MAP else 1
    if caps & VOLUME:
        faces *= max(1, depth)
    _check_surfaces(data, start, Surface(width, height, block, block_bits, max(1, mipmaps), faces * array), found)


def _pixel_format(data: Content, flags: int, code: bytes, bits: int, found: Findings) -> tuple[int, int, int, int]:
    """Where the pixels start, the side of a block, its bits (0: unknown), and images in the array."""
    if not flags & FOUR_CC:
        if not flags & (RGB | LUMINANCE | ALPHA_ONLY | YUV) or bits not in (8, 16, 24, 32):
            found.damage(Damage.BAD_HEADER, 80, f"pixels of {bits} bits with the flags {flags:#x}")
            return 128, 1, 0, 1
        return 128, 1, bits, 1
    if code != b"DX10":
        if code not in BLOCK_BYTES:
            found.rarely_read(f"DDS with the pixel format {code!r}")
        return 128, 4, 8 * BLOCK_BYTES.get(code, 0), 1
    dxgi, _, _, array, _ = unpack(_DX10, data, 128)
    if dxgi not in DXGI_BLOCK_BYTES:
        found.rarely_read(f"DDS with the DXGI format {dxgi}")
    return 148, 4, 8 * DXGI_BLOCK_BYTES.get(dxgi, 0), max(1, min(array, 2048))


def _check_surfaces(data: Content, start: int, surface: Surface, found: Findings) -> None:
    first = surface.level_bytes(0)
    whole = surface.faces * sum(surface.level_bytes(level) for level in range(surface.mipmaps))
    there = len(data) - start
    if there < first:
        text = f"{first - there} of {first} bytes of the picture are missing"
        found.damage(Damage.TRUNCATED, len(data), text)
        found.know("image.missing_bytes", whole - there, len(data))
    elif there < whole:
        text = f"{whole - there} bytes of the smaller sizes or further faces are missing"
        found.damage(Damage.TRUNCATED, len(data), text)
    elif there > whole:
        describe_trailing(data, start + whole, found)
    if surface.mipmaps > 1 or surface.faces > 1:
        found.feature("multi-image", f"{surface.mipmaps} sizes of {surface.faces} pictures")
