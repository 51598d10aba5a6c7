"""Headers of the two bitstreams of WebP: VP8 (RFC 6386 section 9) and VP8L (RFC 9649 section 3)."""

from __future__ import annotations

from diagnose.collectors.image.content import Content
from diagnose.collectors.image.findings import Damage, Findings

_FRAME_HEADER = 10
_START_CODE = b"\x9d\x01\x2a"
_VP8L_HEADER = 5
_VP8L_SIGNATURE = 0x2F


def read_vp8(data: Content, start: int, end: int, found: Findings) -> tuple[int, int] | None:
    """Width and height in pixels of the key frame between `start` and `end`, or None where it has no header."""
    if end - start < _FRAME_HEADER:
        found.damage(Damage.TRUNCATED, end, "the VP8 frame ends inside its header")
        return None
    head = data[start : start + _FRAME_HEADER]
    tag = int.from_bytes(head[:3], "little")
    if head[3:6] != _START_CODE:
        found.damage(Damage.BAD_HEADER, start + 3, f"the VP8 start code is {head[3:6].hex(' ')} instead of 9d 01 2a")
        return None
    if tag & 1:
        found.damage(Damage.BAD_HEADER, start, "the VP8 frame is no key frame")
    if tag >> 1 & 7 > 3:
        found.damage(Damage.BAD_HEADER, start, f"the VP8 frame has the version {tag >> 1 & 7}")
    if not tag >> 4 & 1:
        found.damage(Damage.BAD_HEADER, start, "the VP8 frame is not to be shown")
    first_partition = tag >> 5
    if _FRAME_HEADER + first_partition > end - start:
        text = f"the first VP8 partition states {first_partition} bytes, {end - start - _FRAME_HEADER} are there"
        found.damage(Damage.BAD_CHUNK_LENGTH, start, text)
    width = int.from_bytes(head[6:8], "little") & 0x3FFF
    height = int.from_bytes(head[8:10], "little") & 0x3FFF
    if not width or not height:
        found.damage(Damage.BAD_DIMENSIONS, start + 6, f"the VP8 frame is {width}x{height} pixels")
    return width, height


def read_vp8l(data: Content, start: int, end: int, found: Findings) -> tuple[int, int] | None:
    """Width and height in pixels of the lossless image between `start` and `end`, or None where it has no header."""
    if end - start < _VP8L_HEADER:
        found.damage(Damage.TRUNCATED, end, "the VP8L image ends inside its header")
        return None
    if data[start] != _VP8L_SIGNATURE:
        found.damage(Damage.BAD_HEADER, start, f"the VP8L signature is {data[start]:#04x} instead of 0x2f")
        return None
    bits = int.from_bytes(data[start + 1 : start + 5], "little")
    if bits >> 29:
        found.damage(Damage.BAD_HEADER, start + 4, f"the VP8L image has the version {bits >> 29}")
    return (bits & 0x3FFF) + 1, (bits >> 14 & 0x3FFF) + 1
