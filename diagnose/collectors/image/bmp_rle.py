"""Run-length coded pixels of BMP files (Microsoft, Bitmap Compression): follows the runs without making pixels."""

from __future__ import annotations

from dataclasses import dataclass

from diagnose.collectors.image.content import Content
from diagnose.collectors.image.findings import Damage, Findings

END_OF_LINE, END_OF_BITMAP, DELTA = 0, 1, 2
MAX_RUNS = 1 << 22

_BYTES_OF_RUN = {"rle8": 1, "rle4": 1, "rle24": 3}


@dataclass
class _Pen:
    x: int = 0
    y: int = 0


def check_rle(data: Content, offset: int, compression: str, width: int, height: int, found: Findings) -> None:
    """Follows the runs from `offset` to the end of the bitmap and adds where they leave it or break off."""
    pen, position, outside = _Pen(), offset, False
    padded = (width + 3) // 4 * 4
    for _ in range(MAX_RUNS):
        if position + 2 > len(data):
            if pen.y < height - 1 or (pen.y == height - 1 and pen.x < width):
                text = f"the runs break off in row {pen.y} of {height}"
                found.damage(Damage.TRUNCATED, len(data), text)
            else:
                found.irregular(Damage.MISSING_END_MARKER, len(data), "the runs lack their end of bitmap")
            return
        count, value = data[position], data[position + 1]
        start = position
        if count:
            pen.x += count
            position += 1 + _BYTES_OF_RUN[compression]
        elif value == END_OF_BITMAP:
            return
        else:
            position = _escape(data, position + 2, value, compression, pen)
        if not outside and pen.y < height and width < pen.x <= padded:
            # ImageMagick rounds rows up to whole words; readers clip what is too much.
            outside = True
            found.irregular(Damage.BAD_RLE, start, f"a run reaches pixel {pen.x} of a row of {width}")
        elif not outside and (pen.x > width or pen.y > height or (pen.y == height and pen.x > 0)):
            outside = True
            text = f"a run reaches pixel {pen.x},{pen.y} of a {width}x{height} bitmap"
            found.damage(Damage.BAD_RLE, start, text)


def _escape(data: Content, position: int, value: int, compression: str, pen: _Pen) -> int:
    if value == END_OF_LINE:
        pen.x, pen.y = 0, pen.y + 1
        return position
    if value == DELTA:
        if position + 2 <= len(data):
            pen.x += data[position]
            pen.y += data[position + 1]
        return position + 2
    pen.x += value
    size = {"rle8": value, "rle4": (value + 1) // 2, "rle24": 3 * value}[compression]
    return position + size + size % 2
