"""Structure of a WebP file (RFC 9649): RIFF chunks, bitstream headers, animation frames."""

from __future__ import annotations

import struct
from collections.abc import Iterator
from dataclasses import dataclass, field

from diagnose.collectors.image.content import Content, zero_run
from diagnose.collectors.image.exif import read_exif, read_xmp
from diagnose.collectors.image.findings import Damage, Findings
from diagnose.collectors.image.icc import read_icc
from diagnose.collectors.image.trailing import describe_trailing
from diagnose.collectors.image.vp8 import read_vp8, read_vp8l

_RIFF = struct.Struct("<4sI4s")
_CHUNK = struct.Struct("<4sI")
_VP8X_BYTES, _ANIM_BYTES, _ANMF_HEADER = 10, 6, 16
MAX_CHUNKS = 1 << 16
MIN_HOLE = {b"VP8 ": 64, b"VP8L": 256}
"""Zero bytes in a row that neither arithmetic nor Huffman codes of a picture come to."""

ICC_FLAG, ALPHA_FLAG, EXIF_FLAG, XMP_FLAG, ANIMATION_FLAG = 0x20, 0x10, 0x08, 0x04, 0x02
BITSTREAMS = {b"VP8 ": "lossy", b"VP8L": "lossless"}


@dataclass(frozen=True)
class Chunk:
    """A chunk at `offset` whose content lies from `start` to `end`."""

    type: bytes
    offset: int
    start: int
    end: int


@dataclass
class WebpState:
    data: Content
    found: Findings
    flags: int | None = None
    canvas: tuple[int, int] | None = None
    frames: int = 0
    images: int = 0
    codings: set[str] = field(default_factory=set)
    seen: set[bytes] = field(default_factory=set)


def read(data: Content, found: Findings) -> None:
    """Walks the chunks and adds what it finds."""
    if len(data) < _RIFF.size:
        found.damage(Damage.TRUNCATED, len(data), "the file ends inside its first 12 bytes")
        return
    _, size, _ = _RIFF.unpack_from(data)
    end = 8 + size
    state = WebpState(data, found)
    if end > len(data):
        missing = end - len(data)
        found.damage(Damage.TRUNCATED, len(data), f"the file lacks {missing} of the {end} bytes that its header states")
        found.know("image.missing_bytes", missing, len(data))
    for chunk in _chunks(state, _RIFF.size, min(end, len(data)), found):
        state.seen.add(chunk.type)
        _read_chunk(state, chunk)
    _finish(state)
    if end + 1 < len(data):
        describe_trailing(data, end, found)


def _chunks(state: WebpState, position: int, end: int, found: Findings) -> Iterator[Chunk]:
    for _ in range(MAX_CHUNKS):
        if position + _CHUNK.size > end:
            if end - position > 1:
                found.irregular(Damage.TRAILING_DATA, position, f"{end - position} bytes that are no chunk")
            return
        kind, size = _CHUNK.unpack_from(state.data, position)
        start = position + _CHUNK.size
        if start + size > end:
            text = f"chunk {kind.decode('latin-1')!r} states {size} bytes, {end - start} are left"
            found.damage(Damage.TRUNCATED, end, text)
            yield Chunk(kind, position, start, end)
            return
        yield Chunk(kind, position, start, start + size)
        position = start + size + size % 2


def _read_chunk(state: WebpState, chunk: Chunk) -> None:
    found = state.found
    if chunk.type == b"VP8X":
        _read_extended(state, chunk)
    elif chunk.type in BITSTREAMS:
        state.images += 1
        _read_bitstream(state, chunk, None)
    elif chunk.type == b"ANMF":
        _read_frame(state, chunk)
    elif chunk.type == b"ANIM" and chunk.end - chunk.start < _ANIM_BYTES:
        found.damage(Damage.BAD_CHUNK_LENGTH, chunk.offset, "the ANIM chunk is too short")
    elif chunk.type == b"ALPH":
        _read_alpha(state, chunk)
    elif chunk.type == b"EXIF":
        # Some writers put the mark of a JPEG segment before the TIFF structure; readers skip it.
        skip = 6 if state.data[chunk.start : chunk.start + 6] == b"Exif\0\0" else 0
        read_exif(state.data, chunk.start + skip, chunk.end, found)
    elif chunk.type == b"XMP ":
        read_xmp(state.data, chunk.start, chunk.end, found)
    elif chunk.type == b"ICCP":
        read_icc(state.data[chunk.start : chunk.end], chunk.start, found)


def _read_extended(state: WebpState, chunk: Chunk) -> None:
    if chunk.end - chunk.start < _VP8X_BYTES:
        state.found.damage(Damage.BAD_CHUNK_LENGTH, chunk.offset, "the VP8X chunk is shorter than 10 bytes")
        return
    if state.seen - {b"VP8X"}:
        state.found.irregular(Damage.BAD_CHUNK_ORDER, chunk.offset, "VP8X is not the first chunk")
    content = state.data[chunk.start : chunk.end]
    state.flags = content[0]
    width = 1 + int.from_bytes(content[4:7], "little")
    height = 1 + int.from_bytes(content[7:10], "little")
    state.canvas = (width, height)
    state.found.size(width, height, chunk.start + 4)


def _read_frame(state: WebpState, chunk: Chunk) -> None:
    state.frames += 1
    if chunk.end - chunk.start < _ANMF_HEADER:
        state.found.damage(Damage.BAD_CHUNK_LENGTH, chunk.offset, f"frame {state.frames} is shorter than its header")
        return
    head = state.data[chunk.start : chunk.start + _ANMF_HEADER]
    left, top = 2 * int.from_bytes(head[0:3], "little"), 2 * int.from_bytes(head[3:6], "little")
    width, height = 1 + int.from_bytes(head[6:9], "little"), 1 + int.from_bytes(head[9:12], "little")
    if state.canvas and (left + width > state.canvas[0] or top + height > state.canvas[1]):
        text = f"frame {state.frames} of {width}x{height} at {left},{top} leaves the canvas"
        state.found.damage(Damage.BAD_FRAME, chunk.start, text)
    images = 0
    for part in _chunks(state, chunk.start + _ANMF_HEADER, chunk.end, state.found):
        if part.type in BITSTREAMS:
            images += 1
            _read_bitstream(state, part, (width, height))
        elif part.type == b"ALPH":
            _read_alpha(state, part)
    if not images:
        state.found.damage(Damage.MISSING_CHUNK, chunk.offset, f"frame {state.frames} has no image data")


def _read_bitstream(state: WebpState, chunk: Chunk, expected: tuple[int, int] | None) -> None:
    state.codings.add(BITSTREAMS[chunk.type])
    reader = read_vp8 if chunk.type == b"VP8 " else read_vp8l
    size = reader(state.data, chunk.start, chunk.end, state.found)
    if size is None:
        return
    if expected is None and state.canvas is None:
        state.found.size(*size, chunk.start)
    stated = expected or state.canvas
    if stated and size != stated:
        text = f"the image is {size[0]}x{size[1]} pixels, its container states {stated[0]}x{stated[1]}"
        state.found.damage(Damage.SIZE_MISMATCH, chunk.start, text)
    state.found.largest(size[0] * size[1])
    hole = zero_run(state.data, chunk.start, chunk.end, MIN_HOLE[chunk.type])
    if hole is not None:
        text = f"{MIN_HOLE[chunk.type]} or more zero bytes in the coded data"
        state.found.damage(Damage.ZERO_HOLE, hole, text)


def _read_alpha(state: WebpState, chunk: Chunk) -> None:
    if chunk.end - chunk.start < 2:
        state.found.damage(Damage.BAD_CHUNK_LENGTH, chunk.offset, "the ALPH chunk holds no data")
    elif state.data[chunk.start] & 3 > 1:
        method = state.data[chunk.start] & 3
        state.found.damage(Damage.BAD_HEADER, chunk.start, f"the alpha plane has the compression method {method}")


def _finish(state: WebpState) -> None:
    found, flags = state.found, state.flags or 0
    found.know("image.bit_depth", 8)
    found.know("webp.extended", b"VP8X" in state.seen)
    if state.codings:
        found.know("webp.coding", state.codings.pop() if len(state.codings) == 1 else "mixed")
    frames = state.frames or min(state.images, 1)
    found.know("image.frames", frames)
    found.know("image.colour_model", "rgba" if flags & ALPHA_FLAG or b"ALPH" in state.seen else "rgb")
    if flags & ANIMATION_FLAG:
        found.know("image.animated", True)
        found.feature("animated", f"an animated WebP of {state.frames} frames")
        if not state.frames:
            found.damage(Damage.MISSING_CHUNK, len(state.data), "an animation without frames (ANMF)")
    elif not state.images:
        found.damage(Damage.MISSING_CHUNK, len(state.data), "the file has no image data (VP8 or VP8L)")
    for flag, kind, name in (
        (ICC_FLAG, b"ICCP", "ICC profile"),
        (EXIF_FLAG, b"EXIF", "EXIF"),
        (XMP_FLAG, b"XMP ", "XMP"),
    ):
        if flags & flag and kind not in state.seen:
            found.metadata_damage(Damage.MISSING_CHUNK, len(state.data), f"VP8X announces {name}, which is not there")
