"""Structure of a GIF file (GIF89a specification): blocks, frames, compressed pixels, trailer."""

from __future__ import annotations

import struct
from dataclasses import dataclass

from diagnose.collectors.image import lzw
from diagnose.collectors.image.content import Content, CutShort, take, unpack
from diagnose.collectors.image.findings import Damage, Findings
from diagnose.collectors.image.trailing import describe_trailing

EXTENSION, IMAGE, TRAILER = 0x21, 0x2C, 0x3B
GRAPHIC_CONTROL, APPLICATION, PLAIN_TEXT = 0xF9, 0xFF, 0x01

MAX_COUNTED_BYTES = 1 << 24
"""Compressed bytes that are followed code by code; a decoder checks what lies behind."""

MAX_BLOCKS = 1 << 18

_SCREEN = struct.Struct("<6sHHBBB")
_IMAGE = struct.Struct("<HHHHB")


@dataclass
class GifState:
    data: Content
    found: Findings
    width: int
    height: int
    global_colours: int
    frames: int = 0
    counted: int = 0


def read(data: Content, found: Findings) -> None:
    """Walks the blocks from the header to the trailer and adds what it finds."""
    signature, width, height, flags, _, _ = unpack(_SCREEN, data, 0)
    if signature not in (b"GIF87a", b"GIF89a"):
        found.damage(Damage.SIGNATURE_DAMAGED, 0, f"the signature is {signature!r}")
        return
    found.know("gif.version", signature[3:].decode(), 3)
    found.know("image.colour_model", "palette")
    found.size(width, height, 6)
    state = GifState(data, found, width, height, _colours(flags))
    if flags & 0x80:
        found.know("image.bit_depth", (flags & 7) + 1, 10)
    position = _SCREEN.size + 3 * state.global_colours
    try:
        _walk(state, position)
    except CutShort as cut:
        found.damage(Damage.TRUNCATED, cut.end, f"the file ends inside block {cut.offset}, in frame {state.frames}")
    _describe(state)


def _colours(flags: int) -> int:
    return 2 << (flags & 7) if flags & 0x80 else 0


def _walk(state: GifState, position: int) -> None:
    data, found = state.data, state.found
    if position > len(data):
        raise CutShort(_SCREEN.size, position - _SCREEN.size, len(data))
    for _ in range(MAX_BLOCKS):
        if position >= len(data):
            kind = Damage.MISSING_END_MARKER if state.frames else Damage.TRUNCATED
            found.damage(kind, position, f"the file ends without trailer after {state.frames} frames")
            return
        block = data[position]
        if block == TRAILER:
            if position + 1 < len(data):
                describe_trailing(data, position + 1, found)
            return
        if block == IMAGE:
            position = _read_image(state, position + 1)
        elif block == EXTENSION:
            position = _read_extension(state, position)
        elif block == 0:
            # Pillow, stb and browsers skip it; giflib, ffmpeg and OpenCV refuse the file.
            found.damage(Damage.BAD_MARKER, position, "a zero byte stands between two blocks")
            position += 1
        else:
            found.damage(Damage.BAD_MARKER, position, f"no block starts with {block:02x}")
            return


def _read_extension(state: GifState, position: int) -> int:
    label = take(state.data, position + 1, 1)[0]
    blocks, end = _sub_blocks(state.data, position + 2)
    if label == GRAPHIC_CONTROL and (not blocks or len(blocks[0]) != 4):
        state.found.irregular(Damage.BAD_CHUNK_LENGTH, position, "a graphic control extension is not 4 bytes long")
    return end


def _read_image(state: GifState, position: int) -> int:
    left, top, width, height, flags = unpack(_IMAGE, state.data, position)
    state.frames += 1
    if not width or not height:
        state.found.damage(Damage.BAD_DIMENSIONS, position, f"frame {state.frames} is {width}x{height} pixels")
    elif left + width > state.width or top + height > state.height:
        text = (
            f"frame {state.frames} of {width}x{height} at {left},{top} leaves the {state.width}x{state.height} canvas"
        )
        state.found.irregular(Damage.BAD_FRAME, position, text)
    state.found.largest(width * height)
    if flags & 0x40:
        state.found.feature("interlaced", "interlaced GIF")
    if not flags & 0x80 and not state.global_colours:
        state.found.feature("no-palette", "neither a global nor a local palette; decoders make up colours")
    position += _IMAGE.size + 3 * _colours(flags)
    code_size = take(state.data, position, 1)[0]
    colours = _colours(flags) or state.global_colours
    if state.frames == 1 and 0 < colours < 1 << code_size:
        # Only then can a pixel have no colour; ImageMagick and OpenCV refuse such a file.
        state.found.short_palette = colours
    if not 1 <= code_size <= 11:
        state.found.damage(Damage.BAD_HEADER, position, f"LZW code size {code_size} in frame {state.frames}")
    elif code_size > 8:
        state.found.irregular(Damage.BAD_HEADER, position, f"LZW code size {code_size} in frame {state.frames}")
    return _read_pixels(state, position + 1, code_size, width * height)


def _read_pixels(state: GifState, position: int, code_size: int, expected: int) -> int:
    try:
        blocks, end = _sub_blocks(state.data, position)
    except CutShort:
        text = f"the file ends inside the pixels of frame {state.frames}, which has {expected} pixels"
        state.found.damage(Damage.TRUNCATED, len(state.data), text)
        raise
    stream = b"".join(blocks)
    if 1 <= code_size <= 11:
        _count(state, stream, position, code_size, expected)
    return end


def _count(state: GifState, stream: bytes, position: int, code_size: int, expected: int) -> None:
    if state.counted + len(stream) > MAX_COUNTED_BYTES:
        return
    state.counted += len(stream)
    counted = lzw.count(stream, code_size, expected)
    if counted.broken_at is not None and counted.pixels < expected:
        where = file_offset(state.data, position, counted.broken_at)
        text = f"frame {state.frames}: an LZW code that does not exist after {counted.pixels} of {expected} pixels"
        state.found.damage(Damage.INVALID_LZW, where, text)
    elif counted.pixels < expected:
        where = file_offset(state.data, position, max(counted.used - 1, 0))
        text = f"frame {state.frames} has {counted.pixels} of {expected} pixels"
        state.found.damage(Damage.TOO_FEW_PIXELS, where, text)
    elif counted.pixels > expected:
        text = f"frame {state.frames} has more than its {expected} pixels"
        state.found.irregular(Damage.TOO_MANY_PIXELS, position, text)


def _sub_blocks(data: Content, position: int) -> tuple[list[bytes], int]:
    blocks: list[bytes] = []
    while True:
        size = take(data, position, 1)[0]
        if not size:
            return blocks, position + 1
        blocks.append(take(data, position + 1, size))
        position += 1 + size


def file_offset(data: Content, position: int, index: int) -> int:
    """Where byte `index` of the data of the sub-blocks that start at `position` stands in the file."""
    while position < len(data):
        size = data[position]
        if index < size or not size:
            return position + 1 + index
        index -= size
        position += 1 + size
    return len(data)


def _describe(state: GifState) -> None:
    found = state.found
    found.know("image.frames", state.frames)
    if not state.frames:
        found.damage(Damage.MISSING_CHUNK, len(state.data), "the file has no image")
    if state.frames > 1:
        found.know("image.animated", True)
        found.feature("animated", f"{state.frames} frames; many decoders see the first")
    if not state.width or not state.height:
        found.irregular(Damage.BAD_DIMENSIONS, 6, f"the canvas is {state.width}x{state.height} pixels")
