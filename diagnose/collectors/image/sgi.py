"""Structure of an SGI image (Haeberli, "The SGI Image File Format" 1.00): header, table of rows, runs."""

from __future__ import annotations

import struct

from diagnose.collectors.image.content import Content, unpack
from diagnose.collectors.image.findings import Damage, Findings
from diagnose.collectors.image.samples import check_all

_HEADER = struct.Struct(">HBBHHHHII4x80sI")
HEADER_BYTES = 512
MAX_FOLLOWED_ROWS = 1 << 14
MAX_FOLLOWED_BYTES = 1 << 22


def read(data: Content, found: Findings) -> None:
    """Reads the header and follows every row."""
    _, storage, sample_bytes, dimension, width, height, channels, _, _, _, colour_map = unpack(_HEADER, data, 0)
    height = height if dimension >= 2 else 1
    channels = channels if dimension == 3 else 1
    found.size(width, height, 6)
    found.know("image.bit_depth", 8 * sample_bytes, 3)
    for wrong, kind, offset, text in (
        (storage > 1, Damage.BAD_HEADER, 2, f"the storage format is {storage}"),
        (sample_bytes not in (1, 2), Damage.BAD_BIT_DEPTH, 3, f"{sample_bytes} bytes a sample"),
        (not 1 <= dimension <= 3, Damage.BAD_HEADER, 4, f"{dimension} dimensions"),
        (not width or not height or not channels, Damage.BAD_DIMENSIONS, 6, f"{width}x{height}x{channels} samples"),
        (colour_map > 3, Damage.BAD_HEADER, 104, f"the colour map type is {colour_map}"),
    ):
        if wrong:
            found.damage(kind, offset, text)
            return
    if channels > 4:
        found.irregular(Damage.BAD_HEADER, 10, f"{channels} channels; readers take 1 to 4")
    if sample_bytes == 2:
        found.feature("16-bit", "16 bits a sample")
    if storage:
        found.feature("rle", "run-length compression")
        _check_runs(data, width, height * channels, sample_bytes, found)
    else:
        check_all(data, HEADER_BYTES, width * sample_bytes, height * channels, found)


def _check_runs(data: Content, width: int, rows: int, sample_bytes: int, found: Findings) -> None:
    table = HEADER_BYTES + 8 * rows
    if table > len(data):
        found.damage(Damage.TRUNCATED, len(data), f"the file ends inside the table of its {rows} rows")
        return
    numbers = struct.unpack(f">{2 * rows}I", data[HEADER_BYTES:table])
    budget = MAX_FOLLOWED_BYTES
    for row, (start, length) in enumerate(zip(numbers[:rows], numbers[rows:], strict=True)):
        if start + length > len(data):
            kind = Damage.TRUNCATED if start < len(data) else Damage.BAD_OFFSET
            text = f"row {row} (all channels) lies from byte {start} to {start + length}, past the end"
            found.damage(kind, min(start, len(data)), text)
            return
        if start < table:
            text = f"row {row} (all channels) is said to lie at byte {start}, inside the table of rows"
            found.damage(Damage.BAD_OFFSET, HEADER_BYTES + 4 * row, text)
            return
        budget -= length
        if row < MAX_FOLLOWED_ROWS and budget >= 0:
            samples = _count(bytes(data[start : start + length]), sample_bytes)
            if samples != width:
                text = f"row {row} (all channels) yields {samples} of {width} samples"
                found.damage(Damage.BAD_RLE, start, text)
                return
    if budget >= 0 and rows <= MAX_FOLLOWED_ROWS:
        found.rarely_read("SGI in runs, each row of which yields its samples")


def _count(row: bytes, sample_bytes: int) -> int:
    """Samples of a row: the lower seven bits of each head count, the top bit says "as they are"; 0 ends the row."""
    position, samples, size = sample_bytes - 1, 0, len(row)
    while position < size:
        head = row[position]
        count = head & 0x7F
        if not count:
            break
        position += sample_bytes * (1 + (count if head & 0x80 else 1))
        samples += count
        if position > size + sample_bytes - 1:
            return -1
    return samples
