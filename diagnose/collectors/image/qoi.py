"""Structure of a QOI file (the Quite OK Image Format specification, version 1.0): header, operations, end marker."""

from __future__ import annotations

import struct

from diagnose.collectors.image.content import Content, unpack
from diagnose.collectors.image.findings import Damage, Findings
from diagnose.collectors.image.trailing import describe_trailing

_HEADER = struct.Struct(">4sIIBB")
_END = b"\0\0\0\0\0\0\0\1"
_RGB, _RGBA, _RUN = 0xFE, 0xFF, 0xC0
_LUMA = 0x80
MAX_COUNTED_BYTES = 1 << 22
"""Bytes that are followed operation by operation; a decoder checks what lies behind."""


def read(data: Content, found: Findings) -> None:
    """Reads the header and follows the operations to the last pixel and the end marker."""
    _, width, height, channels, space = unpack(_HEADER, data, 0)
    found.size(width, height, 4)
    found.know("image.bit_depth", 8)
    found.know("image.colour_model", "rgba" if channels == 4 else "rgb", 12)
    if not width or not height:
        found.damage(Damage.BAD_DIMENSIONS, 4, f"the image is {width}x{height} pixels")
    if channels not in (3, 4) or space > 1:
        found.damage(Damage.BAD_HEADER, 12, f"the header states {channels} channels and colour space {space}")
    if len(data) <= MAX_COUNTED_BYTES:
        _check_operations(data, width * height, found)


def _check_operations(data: Content, expected: int, found: Findings) -> None:
    pixels, position, size = 0, _HEADER.size, len(data)
    while pixels < expected and position < size:
        operation = data[position]
        if operation == _RGB:
            position += 4
        elif operation == _RGBA:
            position += 5
        elif operation >= _RUN:
            pixels += operation & 0x3F
            position += 1
        else:
            position += 2 if operation >= _LUMA else 1
        pixels += 1
    if pixels < expected or position > size:
        found.damage(Damage.TRUNCATED, size, f"the file ends after {pixels} of {expected} pixels")
    elif pixels > expected:
        found.irregular(Damage.TOO_MANY_PIXELS, position, f"the last run goes beyond the {expected} pixels")
    elif data[position : position + len(_END)] != _END:
        found.damage(Damage.MISSING_END_MARKER, position, "the end marker does not follow the last pixel")
    elif position + len(_END) < size:
        describe_trailing(data, position + len(_END), found)
