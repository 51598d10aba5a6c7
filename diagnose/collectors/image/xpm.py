"""Structure of an XPM picture (Le Hors, XPM Manual 3.4): strings of C for header, colours and rows."""

from __future__ import annotations

import re

from diagnose.collectors.image.content import Content
from diagnose.collectors.image.findings import Damage, Findings

MAX_BYTES = 1 << 24
_STRING = re.compile(rb'"([^"\r\n]*)"')
_HEADER = re.compile(rb"\s*(\d{1,7})\s+(\d{1,7})\s+(\d{1,7})\s+(\d{1,2})\b")


def read(data: Content, found: Findings) -> None:
    """Counts the strings and compares the rows with the header."""
    if len(data) > MAX_BYTES:
        return
    strings = _STRING.findall(bytes(data))
    header = _HEADER.match(strings[0]) if strings else None
    if header is None:
        found.damage(Damage.BAD_HEADER, 0, "the first string does not state width, height, colours and characters")
        return
    width, height, colours, characters = map(int, header.groups())
    found.size(width, height, 0)
    if not width or not height or not colours or not characters:
        found.damage(Damage.BAD_DIMENSIONS, 0, f"{width}x{height} pixels, {colours} colours of {characters} characters")
        return
    rows = strings[1 + colours : 1 + colours + height]
    if len(rows) < height:
        found.damage(Damage.TRUNCATED, len(data), f"{len(rows)} of {height} rows are there")
    elif any(len(row) != width * characters for row in rows):
        found.damage(Damage.TOO_FEW_PIXELS, 0, f"a row has other than {width * characters} characters")
    else:
        found.rarely_read("XPM whose rows are all there")
