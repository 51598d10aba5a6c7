"""Structure of a PNG or APNG file (ISO/IEC 15948:2004; PNG third edition for APNG): every chunk and every pixel row."""

from __future__ import annotations

import struct
from collections.abc import Iterator

from diagnose.collectors.image.apng import Animation
from diagnose.collectors.image.content import Content
from diagnose.collectors.image.deflate import crc32
from diagnose.collectors.image.exif import read_exif
from diagnose.collectors.image.findings import Damage, Findings
from diagnose.collectors.image.png_ancillary import (
    LENGTHS,
    check_length,
    read_profile,
    read_text,
    read_transparency,
)
from diagnose.collectors.image.png_header import read_header
from diagnose.collectors.image.png_pixels import PixelStream
from diagnose.collectors.image.png_state import Chunk, PngState
from diagnose.collectors.image.trailing import describe_trailing

SIGNATURE = b"\x89PNG\r\n\x1a\n"
MAX_CHUNK = 2**31 - 1
MAX_CHUNKS = 1 << 20
MAX_PALETTE = 256

BEFORE_PALETTE = frozenset([b"cHRM", b"gAMA", b"iCCP", b"sBIT", b"sRGB", b"cICP", b"mDCV", b"cLLI"])
BEFORE_PIXELS = BEFORE_PALETTE | {b"bKGD", b"hIST", b"tRNS", b"pHYs", b"sPLT", b"acTL", b"PLTE", b"eXIf"}
"""Order of chunks, table 7 of the third edition."""

SINGLE = BEFORE_PIXELS - {b"sPLT"} | {b"IHDR", b"tIME"}
CRITICAL = frozenset([b"IHDR", b"PLTE", b"IDAT", b"IEND"])
IN_PIXELS = CRITICAL | {b"tRNS", b"acTL", b"fcTL", b"fdAT"}
"""Chunks whose loss changes pixels."""

_CHUNK = struct.Struct(">I4s")
_CRC = struct.Struct(">I")


def read(data: Content, found: Findings) -> None:
    """Walks the chunks from the signature to IEND and adds what it finds."""
    if data[:8] != SIGNATURE:
        _describe_signature(bytes(data[:8]), found)
        return
    with memoryview(data) as view:
        state = PngState(data, view, found)
        end = 8
        for chunk in _chunks(state):
            _read_chunk(state, chunk)
            end = chunk.end + 4
        _finish(state, min(end, len(data)))


def _describe_signature(head: bytes, found: Findings) -> None:
    if head.startswith((b"\x89PNG\n\x1a\n", b"\x89PNG\r\r\n", b"\x89PNG\r\n\x1a\r", b"\x89PNG\n\n")):
        text = "line ends were converted (a transfer in text mode): the file is lost, fetch it again in binary mode"
        found.damage(Damage.NEWLINE_MANGLED, 4, text)
    elif b"PNG" in head.replace(b"\0", b"")[:8] and head[:1] in b"\xef\xc2\xe2\xff?":
        found.damage(Damage.UTF8_MANGLED, 0, "the file was read as text and written again in another encoding")
    else:
        found.damage(Damage.SIGNATURE_DAMAGED, 0, f"the signature is {head.hex(' ')} instead of {SIGNATURE.hex(' ')}")


def _chunks(state: PngState) -> Iterator[Chunk]:
    """The chunks whose content is whole, each checked for type and CRC, up to IEND."""
    data, size, position = state.data, len(state.data), 8
    for _ in range(MAX_CHUNKS):
        if position + 8 > size:
            _ends_early(state, size - position)
            return
        length, kind = _CHUNK.unpack_from(data, position)
        chunk = Chunk(kind, position, position + 8, position + 8 + length)
        if not kind.isalpha():
            state.found.damage(Damage.BAD_CHUNK_TYPE, position + 4, f"a chunk has the type {kind!r}")
            return
        if length > MAX_CHUNK:
            state.found.damage(Damage.BAD_CHUNK_LENGTH, position, f"chunk {chunk.name} states {length} bytes")
            return
        if chunk.end + 4 > size:
            _cut_chunk(state, chunk)
            return
        _check_crc(state, chunk)
        yield chunk
        if kind == b"IEND":
            if length:
                state.found.irregular(Damage.BAD_CHUNK_LENGTH, position, f"IEND holds {length} bytes instead of none")
            return
        position = chunk.end + 4
    state.found.irregular(Damage.BAD_CHUNK_ORDER, position, f"more than {MAX_CHUNKS} chunks")


def _ends_early(state: PngState, left: int) -> None:
    size = len(state.data)
    if b"IDAT" not in state.seen:
        state.found.damage(Damage.TRUNCATED, size, "the file ends before its pixels (IDAT)")
        return
    text = "the file ends without IEND" + (f", {left} bytes after the last chunk" if left else "")
    state.found.damage(Damage.MISSING_END_MARKER, size, text)


def _cut_chunk(state: PngState, chunk: Chunk) -> None:
    size = len(state.data)
    missing = chunk.end + 4 - size
    text = f"chunk {chunk.name} at byte {chunk.offset} states {chunk.end - chunk.start} bytes, {missing} are missing"
    state.found.damage(Damage.TRUNCATED, size, text)
    state.found.know("image.missing_bytes", missing, size)
    if chunk.type == b"IDAT" and state.pixels:
        state.seen.add(b"IDAT")
        state.pixels.feed(state.view[chunk.start : size], chunk.start)


def _check_crc(state: PngState, chunk: Chunk) -> None:
    (stored,) = _CRC.unpack_from(state.data, chunk.end)
    computed = crc32(state.view[chunk.offset + 4 : chunk.end])
    if stored == computed:
        return
    text = f"chunk {chunk.name}: stored CRC {stored:08x}, computed {computed:08x}"
    report = state.found.damage if chunk.type in IN_PIXELS else state.found.metadata_damage
    report(Damage.BAD_CRC, chunk.end, text)


def _read_chunk(state: PngState, chunk: Chunk) -> None:
    if chunk.type == b"IDAT" == state.last:
        if state.pixels:
            state.pixels.feed(state.view[chunk.start : chunk.end], chunk.start)
        return
    _check_order(state, chunk)
    state.seen.add(chunk.type)
    if chunk.type == b"IHDR":
        _read_header_chunk(state, chunk)
    elif chunk.type == b"PLTE":
        _read_palette(state, chunk)
    elif chunk.type == b"IDAT":
        _read_pixels(state, chunk)
    elif chunk.type in (b"acTL", b"fcTL", b"fdAT"):
        _read_animation(state, chunk)
    elif chunk.type == b"eXIf":
        read_exif(state.data, chunk.start, chunk.end, state.found)
    elif chunk.type == b"iCCP":
        read_profile(state, chunk)
    elif chunk.type in (b"zTXt", b"iTXt"):
        read_text(state, chunk)
    elif chunk.type == b"tRNS":
        read_transparency(state, chunk)
    elif chunk.type in LENGTHS:
        check_length(state, chunk)
    elif chunk.type in (b"cICP", b"mDCV", b"cLLI"):
        state.found.feature("hdr", f"chunk {chunk.name}: the pixels are not plain sRGB")
    elif chunk.type == b"CgBI":
        state.found.unsupported_variant("Apple's CgBI variant of PNG (pngcrush -iphone)", chunk.offset)
    elif chunk.type[0] < 0x60 and chunk.type not in CRITICAL:
        state.found.damage(Damage.BAD_CHUNK_TYPE, chunk.offset, f"the critical chunk {chunk.name} is unknown")
    state.last = chunk.type


def _check_order(state: PngState, chunk: Chunk) -> None:
    found, kind = state.found, chunk.type
    report = found.damage if kind in CRITICAL else found.irregular
    if not state.seen and kind not in (b"IHDR", b"CgBI"):
        found.damage(Damage.MISSING_CHUNK, chunk.offset, f"the first chunk is {chunk.name} instead of IHDR")
    elif kind in SINGLE and kind in state.seen:
        report(Damage.DUPLICATE_CHUNK, chunk.offset, f"a second {chunk.name} chunk")
    elif kind == b"IDAT" and b"IDAT" in state.seen and state.last != b"IDAT":
        found.damage(Damage.BAD_CHUNK_ORDER, chunk.offset, f"IDAT goes on after {state.last.decode('latin-1')}")
    elif kind in BEFORE_PIXELS and b"IDAT" in state.seen and kind != b"eXIf":
        report(Damage.BAD_CHUNK_ORDER, chunk.offset, f"{chunk.name} stands after the pixels (IDAT)")
    elif kind in BEFORE_PALETTE and b"PLTE" in state.seen:
        found.irregular(Damage.BAD_CHUNK_ORDER, chunk.offset, f"{chunk.name} stands after the palette (PLTE)")


def _read_header_chunk(state: PngState, chunk: Chunk) -> None:
    if state.header is not None:
        return
    state.header = read_header(state.data[chunk.start : chunk.end], chunk.start, state.found)
    if state.header and b"CgBI" not in state.seen:
        state.pixels = PixelStream(state.header, state.header.width, state.header.height, "IDAT", state.found)


def _read_palette(state: PngState, chunk: Chunk) -> None:
    size = chunk.end - chunk.start
    entries, rest = divmod(size, 3)
    if rest or not 1 <= entries <= MAX_PALETTE:
        state.found.damage(Damage.BAD_PALETTE, chunk.start, f"PLTE has {size} bytes, which are no 1 to 256 colours")
    elif state.header and state.header.colour_type in (0, 4):
        state.found.irregular(Damage.BAD_PALETTE, chunk.offset, "a grey image has a palette (PLTE)")
    elif state.header and state.header.colour_type == 3 and entries > 1 << state.header.bit_depth:
        text = f"{entries} colours for {state.header.bit_depth} bits a pixel"
        state.found.irregular(Damage.BAD_PALETTE, chunk.start, text)
    state.palette = entries
    if state.header and state.header.colour_type == 3 and entries < 1 << state.header.bit_depth:
        state.found.short_palette = entries


def _read_pixels(state: PngState, chunk: Chunk) -> None:
    if state.header and state.header.colour_type == 3 and b"PLTE" not in state.seen and state.last != b"IDAT":
        state.found.damage(Damage.MISSING_CHUNK, chunk.offset, "the palette (PLTE) of a palette image is missing")
    if state.pixels:
        state.pixels.feed(state.view[chunk.start : chunk.end], chunk.start)


def _read_animation(state: PngState, chunk: Chunk) -> None:
    if state.header is None:
        return
    if state.animation is None:
        state.animation = Animation(state.header, state.found)
    pixels_begun = b"IDAT" in state.seen
    state.animation.read(chunk.type, state.view[chunk.start : chunk.end], chunk.start, pixels_begun)


def _finish(state: PngState, end: int) -> None:
    found = state.found
    if state.pixels:
        state.pixels.finish(end)
    if state.animation:
        state.animation.finish(end, b"IDAT" in state.seen)
    if b"IEND" not in state.seen:
        return
    if b"IDAT" not in state.seen:
        found.damage(Damage.MISSING_CHUNK, end, "the file has no pixels (IDAT)")
    if end < len(state.data):
        describe_trailing(state.data, end, found)
