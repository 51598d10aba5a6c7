"""Strips and tiles of a TIFF page: whether they lie in the file and yield the pixels that the page needs."""

from __future__ import annotations

from dataclasses import dataclass

from diagnose.collectors.image import packbits
from diagnose.collectors.image.content import CutShort
from diagnose.collectors.image.decoders import turbo
from diagnose.collectors.image.decoders.outcome import Reaction
from diagnose.collectors.image.deflate import BrokenStreamError, inflated_sizes
from diagnose.collectors.image.findings import Damage, Findings
from diagnose.collectors.image.ifd import Directory, IfdReader
from diagnose.collectors.image.tiff_page import (
    OLD_JPEG_OFFSET,
    STRIP_COUNTS,
    STRIP_OFFSETS,
    TILE_COUNTS,
    TILE_OFFSETS,
    Page,
)

MAX_COUNTED_BYTES = 1 << 21
"""Bytes of PackBits that are followed run by run; what lies behind, and LZW, libtiff checks well itself."""

MAX_JPEG_BYTES = 1 << 24

YCBCR = 6
UNCOMPRESSED, JPEG, DEFLATE, PACKBITS = 1, 7, (8, 32946), 32773

_BITS_REVERSED = bytes(int(f"{byte:08b}"[::-1], 2) for byte in range(256))
"""For FillOrder 2, which libtiff undoes before it inflates (tif_read.c, TIFFReverseBits)."""


@dataclass(frozen=True)
class Segment:
    """A strip or tile of the file."""

    index: int
    offset: int
    size: int


def check_pixels(reader: IfdReader, directory: Directory, page: Page, found: Findings) -> None:
    """Adds what is wrong with the strips or tiles of a page."""
    try:
        segments = _segments(reader, directory, page, found)
    except CutShort as cut:
        text = f"the list of strips of page {page.number} is said to be at byte {cut.offset}, past the end"
        found.damage(Damage.TRUNCATED, min(cut.offset, cut.end), text)
        return
    missing = 0
    for segment in segments:
        missing = max(missing, segment.offset + segment.size - reader.end)
        if segment.offset >= reader.end or segment.offset + segment.size > reader.end:
            kind = Damage.TRUNCATED if segment.offset < reader.end else Damage.BAD_OFFSET
            text = f"strip {segment.index} of page {page.number} lies from {segment.offset} to "
            text += f"{segment.offset + segment.size}, the file ends at {reader.end}"
            found.damage(kind, min(segment.offset, reader.end), text)
    if missing > 0:
        found.know("image.missing_bytes", missing, reader.end)
        return
    _check_contents(reader, page, segments, found)


def _segments(reader: IfdReader, directory: Directory, page: Page, found: Findings) -> list[Segment]:
    offsets_tag = directory.find(TILE_OFFSETS) or directory.find(STRIP_OFFSETS)
    counts_tag = directory.find(TILE_COUNTS) or directory.find(STRIP_COUNTS)
    at = reader.base + directory.offset
    if offsets_tag is None:
        if directory.find(OLD_JPEG_OFFSET) is None:
            found.damage(Damage.MISSING_TABLE, at, f"page {page.number} does not say where its pixels are")
        return []
    offsets = reader.integers(offsets_tag)
    counts = reader.integers(counts_tag) if counts_tag else []
    if len(offsets) < page.segments:
        text = f"page {page.number} has {len(offsets)} strips or tiles, it needs {page.segments}"
        found.damage(Damage.MISSING_TABLE, offsets_tag.offset, text)
    if len(counts) < len(offsets):
        found.irregular(Damage.MISSING_TABLE, at, f"page {page.number} does not say how long its strips are")
        if page.compression != UNCOMPRESSED:
            return [Segment(i, offset, 1) for i, offset in enumerate(offsets)]
        counts = [page.segment_bytes(i) for i in range(min(len(offsets), page.segments))]
    pairs = zip(offsets, counts, strict=False)
    return [Segment(i, offset, size) for i, (offset, size) in enumerate(pairs) if i < page.segments]


def _check_contents(reader: IfdReader, page: Page, segments: list[Segment], found: Findings) -> None:
    if page.compression == JPEG:
        _check_jpeg_streams(reader, page, segments, found)
        return
    if page.photometric == YCBCR or len(page.bits) not in (1, page.samples):
        # Subsampled chroma changes the row length, and a list of bits that does not fit the samples says nothing.
        return
    budget = MAX_COUNTED_BYTES
    for segment in segments:
        expected = page.segment_bytes(segment.index)
        if not segment.size and not segment.offset:
            found.feature("sparse", "strips that are not stored, to be read as zeros")
            continue
        if page.compression == PACKBITS:
            budget -= segment.size
        if budget >= 0 and not _check_segment(reader, page, segment, expected, found):
            return


def _check_segment(reader: IfdReader, page: Page, segment: Segment, expected: int, found: Findings) -> bool:
    """False once damage was found."""
    data = reader.data[segment.offset : segment.offset + segment.size]
    name = f"strip {segment.index} of page {page.number}"
    if page.low_bits_first and page.compression != UNCOMPRESSED:
        data = data.translate(_BITS_REVERSED)
    if page.compression == UNCOMPRESSED:
        yielded, broken = segment.size, None
    elif page.compression in DEFLATE:
        yielded, broken = _count_deflate(data, expected)
    elif page.compression == PACKBITS:
        yielded, used = packbits.count(data, expected)
        broken = f"{len(data) - used} bytes are left over" if used < len(data) - 1 else None
        broken = f"the last run yields {yielded - expected} bytes too many" if yielded > expected else broken
        if broken:
            found.damage(Damage.BAD_RLE, segment.offset, f"{name}: {broken}")
            return False
    else:
        return True
    if yielded >= expected:
        return True
    if broken:
        found.damage(
            Damage.BAD_COMPRESSED_DATA, segment.offset, f"{name}: {broken} after {yielded} of {expected} bytes"
        )
    else:
        found.damage(Damage.TOO_FEW_PIXELS, segment.offset, f"{name} yields {yielded} of {expected} bytes")
    return False


def _check_jpeg_streams(reader: IfdReader, page: Page, segments: list[Segment], found: Findings) -> None:
    """Each strip is a JPEG stream that takes its tables from a tag (TIFF Technical Note 2). libtiff, through Pillow,
    keeps quiet about damage in it."""
    budget = MAX_JPEG_BYTES
    for segment in segments:
        budget -= segment.size
        stream = reader.data[segment.offset : segment.offset + segment.size]
        if budget < 0 or not segment.size:
            return
        name = f"strip {segment.index} of page {page.number}"
        if stream[:2] != b"\xff\xd8":
            found.damage(Damage.BAD_HEADER, segment.offset, f"{name} does not start as a JPEG stream")
            return
        outcome = turbo.decode(page.jpeg_tables + stream[2:] if page.jpeg_tables else stream, page.samples)
        if outcome.reaction is Reaction.REFUSED:
            found.damage(Damage.ENTROPY_ERROR, segment.offset, f"{name}: {outcome.message}")
            return


def _count_deflate(data: bytes, expected: int) -> tuple[int, str | None]:
    try:
        return inflated_sizes([data], expected)[0], None
    except BrokenStreamError as error:
        return (expected if error.checksum else 0), f"the data cannot be inflated ({error})"
