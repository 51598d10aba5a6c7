"""Ancillary chunks of a PNG file: transparency, colour profile, text (PNG third edition, section 11.3)."""

from __future__ import annotations

import zlib

from diagnose.collectors.image.exif import read_xmp
from diagnose.collectors.image.findings import Damage
from diagnose.collectors.image.icc import read_icc
from diagnose.collectors.image.png_state import Chunk, PngState

MAX_TEXT = 1 << 20
"""Pillow refuses text chunks that inflate to more than 1 MiB (PngImagePlugin.MAX_TEXT_CHUNK)."""

LENGTHS = {b"cHRM": 32, b"gAMA": 4, b"sRGB": 1, b"pHYs": 9, b"tIME": 7, b"bKGD": None, b"sBIT": None, b"tEXt": None}
"""Chunks of fixed length, or (None) of one that hangs on the image or the content; PNG third edition section 11.3."""

BACKGROUND_BYTES = {0: 2, 2: 6, 3: 1, 4: 2, 6: 6}
SIGNIFICANT_BITS_BYTES = {0: 1, 2: 3, 3: 3, 4: 2, 6: 4}
MAX_KEYWORD = 79


def check_length(state: PngState, chunk: Chunk) -> None:
    """Chunks that say little and whose wrong length most readers pass over, some with a complaint."""
    size, colour = chunk.end - chunk.start, state.header.colour_type if state.header else -1
    expected = LENGTHS[chunk.type]
    if chunk.type == b"bKGD":
        expected = BACKGROUND_BYTES.get(colour, size)
    elif chunk.type == b"sBIT":
        expected = SIGNIFICANT_BITS_BYTES.get(colour, size)
    elif chunk.type == b"tEXt":
        keyword = bytes(state.view[chunk.start : min(chunk.end, chunk.start + MAX_KEYWORD + 1)]).find(b"\0")
        expected = size if keyword > 0 else -1
    if size != expected:
        text = f"chunk {chunk.name} is {size} bytes long, or has no keyword, against section 11.3 of the PNG standard"
        state.found.metadata_damage(Damage.BAD_PROPERTY, chunk.offset, text)


def read_transparency(state: PngState, chunk: Chunk) -> None:
    """tRNS: one grey or RGB value that is transparent, or the alpha of palette entries."""
    if state.header is None:
        return
    size, colour = chunk.end - chunk.start, state.header.colour_type
    if colour in (4, 6):
        state.found.irregular(Damage.BAD_CHUNK_ORDER, chunk.offset, "tRNS in an image that has an alpha channel")
    elif colour == 3:
        state.found.feature("palette-transparency", "a palette with transparent colours")
        if size > state.palette:
            state.found.irregular(
                Damage.BAD_CHUNK_LENGTH, chunk.offset, f"tRNS has {size} entries, PLTE {state.palette}"
            )
    elif size != (2 if colour == 0 else 6):
        state.found.irregular(Damage.BAD_CHUNK_LENGTH, chunk.offset, f"tRNS is {size} bytes long")


def read_profile(state: PngState, chunk: Chunk) -> None:
    """iCCP: a name, a compression method, the deflated profile."""
    content = bytes(state.view[chunk.start : chunk.end])
    name, separator, rest = content.partition(b"\0")
    if not separator or not name or not rest:
        state.found.metadata_damage(Damage.BAD_HEADER, chunk.start, "the iCCP chunk holds no profile")
        return
    profile = _inflate_metadata(state, chunk, rest[1:])
    if profile is not None:
        read_icc(profile, chunk.start, state.found)


def read_text(state: PngState, chunk: Chunk) -> None:
    """zTXt and iTXt: whether the compressed text inflates; and an XMP packet in it."""
    read_xmp(state.data, chunk.start, chunk.end, state.found)
    content = bytes(state.view[chunk.start : chunk.end])
    _, _, rest = content.partition(b"\0")
    if chunk.type == b"iTXt":
        if rest[:1] != b"\x01":
            return
        parts = rest[2:].split(b"\0", 2)
        compressed = parts[2] if len(parts) == 3 else b""
    else:
        compressed = rest[1:]
    _inflate_metadata(state, chunk, compressed)


def _inflate_metadata(state: PngState, chunk: Chunk, compressed: bytes) -> bytes | None:
    stream = zlib.decompressobj()
    try:
        content = stream.decompress(compressed, MAX_TEXT + 1)
    except zlib.error as error:
        text = f"chunk {chunk.name} cannot be inflated: {error}"
        state.found.metadata_damage(Damage.BAD_COMPRESSED_DATA, chunk.start, text)
        return None
    if len(content) > MAX_TEXT:
        state.found.feature("metadata-bomb", f"chunk {chunk.name} inflates to more than {MAX_TEXT} bytes")
    return content
