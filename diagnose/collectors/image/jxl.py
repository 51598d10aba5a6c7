"""Structure of a JPEG XL file (ISO/IEC 18181-2, and the size header of 18181-1): boxes, parts of the codestream."""

from __future__ import annotations

from dataclasses import dataclass, field

from diagnose.collectors.image.bmff_boxes import Box, boxes
from diagnose.collectors.image.content import Content
from diagnose.collectors.image.findings import Damage, Findings

SIGNATURE = b"\0\0\0\x0cJXL \r\n\x87\n"
CODESTREAM = b"\xff\x0a"
LAST_PART = 0x80000000
RATIOS = ((1, 1), (12, 10), (4, 3), (3, 2), (16, 9), (5, 4), (2, 1))
LEAST_BYTES = 12
"""The smallest files that libjxl writes have about so many bytes of codestream."""


@dataclass
class JxlState:
    data: Content
    found: Findings
    kinds: list[bytes] = field(default_factory=list)
    parts: list[int] = field(default_factory=list)
    codestream: bytes = b""
    codestream_bytes: int = 0


def read(data: Content, found: Findings) -> None:
    """Walks the boxes, or reads the header of a bare codestream."""
    if data[:2] == CODESTREAM:
        _read_codestream(bytes(data[:64]), len(data), 0, found)
        return
    if data[:12] != SIGNATURE:
        found.damage(Damage.SIGNATURE_DAMAGED, 0, f"the signature box is {data[:12].hex(' ')}")
        return
    state = JxlState(data, found)
    first = 0
    for box in boxes(data, 12, len(data), found):
        if box.type in (b"jxlc", b"jxlp") and not first:
            first = box.start
        _read_box(state, box)
    _check_parts(state)
    if state.codestream:
        _read_codestream(state.codestream, state.codestream_bytes, first, found)


def _read_box(state: JxlState, box: Box) -> None:
    found = state.found
    state.kinds.append(box.type)
    if len(state.kinds) == 1 and box.type != b"ftyp":
        found.damage(Damage.MISSING_BOX, box.offset, f"box {box.name!r} stands where the file type box should")
    if box.cut:
        missing = box.stated_end - box.end
        text = f"box {box.name!r} lacks {missing} of its {box.stated_end - box.offset} bytes"
        found.damage(Damage.TRUNCATED, box.end, text)
        found.know("image.missing_bytes", missing, box.end)
    if box.type == b"jxlc":
        _add(state, box.start, box.end)
    elif box.type == b"jxlp" and box.end - box.start >= 4:
        state.parts.append(int.from_bytes(state.data[box.start : box.start + 4], "big"))
        _add(state, box.start + 4, box.end)
    elif box.type == b"jbrd":
        found.feature("jpeg-inside", "a JPEG file that can be restored bit by bit")


def _add(state: JxlState, start: int, end: int) -> None:
    state.codestream_bytes += end - start
    state.codestream += bytes(state.data[start : min(end, start + 64 - len(state.codestream))])


def _check_parts(state: JxlState) -> None:
    found, end = state.found, len(state.data)
    if state.kinds.count(b"jxlc") > 1 or (b"jxlc" in state.kinds and state.parts):
        found.damage(Damage.DUPLICATE_CHUNK, 12, "more than one codestream")
    elif b"jxlc" not in state.kinds and not state.parts:
        found.damage(Damage.MISSING_BOX, end, "the file has no codestream (jxlc or jxlp)")
    elif state.parts:
        numbers = [part & ~LAST_PART for part in state.parts]
        if numbers != list(range(len(numbers))):
            found.damage(Damage.BAD_CHUNK_ORDER, 12, f"the parts of the codestream have the numbers {numbers[:8]}")
        if not state.parts[-1] & LAST_PART:
            found.damage(Damage.TRUNCATED, end, "the last part of the codestream is missing")


def _read_codestream(head: bytes, size: int, offset: int, found: Findings) -> None:
    found.first_scan = offset
    if head[:2] != CODESTREAM:
        found.damage(Damage.BAD_HEADER, offset, f"the codestream starts with {head[:2].hex(' ')} instead of ff 0a")
        return
    if size < LEAST_BYTES:
        found.damage(Damage.TRUNCATED, offset + size, f"the codestream has only {size} bytes")
        return
    found.size(*read_size(int.from_bytes(head[2:], "little")), offset + 2)


def read_size(bits: int) -> tuple[int, int]:
    """Width and height in pixels from the bits behind the signature, the lowest first (18181-1, D.2)."""
    small, bits = bits & 1, bits >> 1
    height, bits = _side(bits, small)
    ratio, bits = bits & 7, bits >> 3
    if ratio:
        across, down = RATIOS[ratio - 1]
        return height * across // down, height
    return _side(bits, small)[0], height


def _side(bits: int, small: int) -> tuple[int, int]:
    """A length in pixels, and the bits behind it."""
    if small:
        return 8 * ((bits & 31) + 1), bits >> 5
    width = (9, 13, 18, 30)[bits & 3]
    return (bits >> 2 & (1 << width) - 1) + 1, bits >> 2 + width
