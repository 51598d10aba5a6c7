"""Structure of an EPS file (Adobe, Encapsulated PostScript File Format 3.0): binary header, bounding box."""

from __future__ import annotations

import re
import struct

from diagnose.collectors.image.content import Content, unpack
from diagnose.collectors.image.findings import Damage, Findings

_BINARY_HEADER = struct.Struct("<4s6I")
BINARY_SIGNATURE = b"\xc5\xd0\xd3\xc6"
_BOX = re.compile(rb"[\r\n]%%BoundingBox:\s*([^\r\n]*)")
_NUMBERS = re.compile(rb"(-?[\d.]{1,20})\s+(-?[\d.]{1,20})\s+(-?[\d.]{1,20})\s+(-?[\d.]{1,20})")


def read(data: Content, found: Findings) -> None:
    """Finds the PostScript part and its bounding box, without which nobody can place the picture."""
    start = 0
    if data[:4] == BINARY_SIGNATURE:
        _, start, length, *previews = unpack(_BINARY_HEADER, data, 0)
        for offset, size in ((start, length), tuple(previews[:2]), tuple(previews[2:4])):
            if offset + size > len(data):
                text = f"a part lies from byte {offset} to {offset + size}, the file ends at {len(data)}"
                found.damage(Damage.TRUNCATED, len(data), text)
                return
    if data[start : start + 4] != b"%!PS":
        found.damage(Damage.BAD_HEADER, start, f"the PostScript part starts with {data[start : start + 4]!r}")
        return
    _find_bounding_box(data, start, found)


def _find_bounding_box(data: Content, start: int, found: Findings) -> None:
    """The comment may stand in the trailer; what follows %%EOF does not count."""
    finish = data.find(b"\n%%EOF", start)
    for match in _BOX.finditer(data, start, finish if finish >= 0 else len(data)):
        numbers = _NUMBERS.match(match.group(1))
        if numbers is None:
            continue
        try:
            left, bottom, right, top = (float(number) for number in numbers.groups())
        except ValueError:
            continue
        if right > left and top > bottom:
            found.size(round(right - left), round(top - bottom), match.start(1))
        else:
            found.irregular(Damage.BAD_DIMENSIONS, match.start(1), f"the bounding box is {numbers.group().decode()}")
        return
    found.damage(Damage.MISSING_CHUNK, start, "no comment states the bounding box (%%BoundingBox) before %%EOF")
