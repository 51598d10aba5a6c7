"""Structure of a JP2 file and its kin JPX, JPH (ISO/IEC 15444-1 annex I): boxes around a JPEG 2000 codestream."""

from __future__ import annotations

import struct
from dataclasses import dataclass, field

from diagnose.collectors.image.bmff_boxes import Box, boxes
from diagnose.collectors.image.content import Content, CutShort, unpack
from diagnose.collectors.image.findings import Damage, Findings
from diagnose.collectors.image.icc import read_icc
from diagnose.collectors.image.jpeg2000 import read_codestream

SIGNATURE = b"\0\0\0\x0cjP  \r\n\x87\n"
DEPTH_VARIES = 255
METADATA = frozenset(
    [b"xml ", b"uuid", b"uinf", b"jp2i", b"asoc", b"lbl ", b"free", b"res ", b"jumb", b"jpch", b"jplh"]
)

_HEADER = struct.Struct(">IIHBBBB")


@dataclass
class Jp2State:
    data: Content
    found: Findings
    header: tuple[int, int, int] | None = None
    """Height, width and components that the image header box states."""
    seen: list[bytes] = field(default_factory=list)


def read(data: Content, found: Findings) -> None:
    """Walks the boxes of the file and the codestream in it."""
    if data[:12] != SIGNATURE:
        found.damage(Damage.SIGNATURE_DAMAGED, 0, f"the signature box is {data[:12].hex(' ')}")
        return
    state = Jp2State(data, found)
    try:
        for box in boxes(data, 12, len(data), found):
            _read_box(state, box)
    except CutShort as cut:
        found.damage(Damage.BAD_BOX, cut.offset, f"a field at byte {cut.offset} reaches past the end of its box")
    _finish(state)


def _read_box(state: Jp2State, box: Box) -> None:
    state.seen.append(box.type)
    if box.type == b"jp2c":
        _read_codestream_box(state, box)
        return
    if box.cut:
        missing = box.stated_end - box.end
        text = f"box {box.name!r} lacks {missing} of its {box.stated_end - box.offset} bytes"
        # Nothing of the picture stands behind the codestream, but the boxes before it lead there.
        report = state.found.metadata_damage if b"jp2c" in state.seen else state.found.damage
        report(Damage.TRUNCATED, box.end, text)
    if box.type == b"jp2h":
        _read_header_boxes(state, box)
    elif len(state.seen) == 1 and box.type != b"ftyp":
        state.found.damage(Damage.MISSING_BOX, box.offset, f"box {box.name!r} stands where the file type box should")


def _read_codestream_box(state: Jp2State, box: Box) -> None:
    if b"jp2h" not in state.seen:
        state.found.damage(Damage.BAD_CHUNK_ORDER, box.offset, "no header box (jp2h) stands before the codestream")
    if state.seen.count(b"jp2c") > 1:
        return
    size = read_codestream(state.data, box.start, box.end, state.found)
    if size and state.header and state.header != (size.height, size.width, size.components):
        height, width, components = state.header
        text = (
            f"the image header box states {width}x{height} pixels and {components} components, "
            f"the codestream {size.width}x{size.height} and {size.components}"
        )
        state.found.damage(Damage.SIZE_MISMATCH, box.start, text)


def _read_header_boxes(state: Jp2State, header: Box) -> None:
    found, kinds = state.found, list[bytes]()
    for box in boxes(state.data, header.start, header.end, found):
        kinds.append(box.type)
        if box.cut:
            found.damage(Damage.BAD_BOX, box.offset, f"box {box.name!r} reaches past the end of the header box")
        if box.type == b"ihdr":
            _read_image_header(state, box)
        elif box.type == b"colr":
            _read_colour(state, box)
    if kinds[:1] != [b"ihdr"]:
        found.damage(Damage.MISSING_BOX, header.offset, "the header box does not start with the image header (ihdr)")
    if b"colr" not in kinds:
        found.irregular(Damage.MISSING_BOX, header.offset, "the header box has no colour specification (colr)")
    if (b"pclr" in kinds) != (b"cmap" in kinds):
        found.damage(Damage.MISSING_BOX, header.offset, "of palette (pclr) and its mapping (cmap) one is missing")


def _read_image_header(state: Jp2State, box: Box) -> None:
    found = state.found
    if box.end - box.start != _HEADER.size:
        found.damage(Damage.BAD_BOX, box.offset, f"the image header box holds {box.end - box.start} bytes, not 14")
        return
    height, width, components, depth, compression, *_ = unpack(_HEADER, state.data, box.start)
    state.header = (height, width, components)
    if not height or not width or not components:
        found.damage(Damage.BAD_DIMENSIONS, box.start, f"{width}x{height} pixels of {components} components")
    if compression != 7:
        found.damage(Damage.BAD_HEADER, box.start + 11, f"the compression type is {compression} instead of 7")
    if depth != DEPTH_VARIES and (depth & 0x7F) + 1 > 38:
        found.damage(Damage.BAD_BIT_DEPTH, box.start + 10, f"{(depth & 0x7F) + 1} bits a sample")


def _read_colour(state: Jp2State, box: Box) -> None:
    content = state.data[box.start : box.end]
    if len(content) < 3:
        state.found.irregular(Damage.BAD_BOX, box.offset, "the colour specification box is too short")
    elif content[0] in (2, 3):
        read_icc(content[3:], box.start + 3, state.found)
    elif content[0] not in (1, 4, 5):
        state.found.irregular(Damage.BAD_PROPERTY, box.start, f"the colour specification method is {content[0]}")


def _finish(state: Jp2State) -> None:
    end = len(state.data)
    if b"jp2h" not in state.seen:
        state.found.damage(Damage.MISSING_BOX, end, "the file has no header box (jp2h)")
    if b"jp2c" not in state.seen:
        state.found.damage(Damage.MISSING_BOX, end, "the file has no codestream (jp2c)")
    if state.seen.count(b"jp2c") > 1:
        state.found.feature("multi-image", f"{state.seen.count(b'jp2c')} codestreams; most decoders see the first")
