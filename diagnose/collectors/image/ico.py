"""Structure of an ICO or CUR file (Microsoft, Icons): the directory, and the PNG or DIB of each entry."""

from __future__ import annotations

import struct

from diagnose.collectors.image import png
from diagnose.collectors.image.bmp import palette_colours, read_bitmap
from diagnose.collectors.image.content import Content, CutShort, unpack
from diagnose.collectors.image.findings import Damage, Findings

_DIRECTORY = struct.Struct("<HHH")
_ENTRY = struct.Struct("<BBBBHHII")
MAX_ENTRIES_READ = 256


def read(data: Content, found: Findings) -> None:
    """Checks that each entry lies within the file and is an image of its own."""
    reserved, _, count = unpack(_DIRECTORY, data, 0)
    if reserved:
        found.irregular(Damage.BAD_HEADER, 0, f"the reserved field is {reserved}")
    if not count:
        found.damage(Damage.MISSING_CHUNK, 4, "the directory has no entries")
    found.know("image.frames", count, 4)
    if count > 1:
        found.feature("multi-image", f"{count} images in one file; decoders differ in which they take")
    for number in range(min(count, MAX_ENTRIES_READ)):
        position = _DIRECTORY.size + number * _ENTRY.size
        *_, size, offset = unpack(_ENTRY, data, position)
        if offset + size > len(data):
            missing = offset + size - len(data)
            at = min(offset, len(data))
            found.damage(Damage.TRUNCATED, at, f"image {number + 1} lacks {min(missing, size)} of its {size} bytes")
        else:
            _read_image(data, offset, size, number + 1, found)


def _read_image(data: Content, offset: int, size: int, number: int, found: Findings) -> None:
    content = bytes(data[offset : offset + size])
    inner = Findings("ico", size)
    try:
        if content.startswith(png.SIGNATURE):
            found.feature("png-in-ico", "entries in PNG form, which old readers of icons lack")
            png.read(content, inner)
        else:
            _read_bitmap(bytes(data[offset:]), inner)
    except CutShort:
        inner.damage(Damage.TRUNCATED, size, "the data end inside a header")
    for fact in inner.facts:
        if fact.name == "image.damage":
            inside = int(fact.where.removeprefix("byte "))
            found.damage(Damage(str(fact.value)), offset + inside, f"image {number}: {fact.text}")
    # The directory's height of a DIB counts the mask too, hence no comparison of sizes.
    found.largest(inner.pixels // (1 if content.startswith(png.SIGNATURE) else 2))


def _read_bitmap(content: bytes, inner: Findings) -> None:
    """A DIB without file header, whose height counts the mask too. The directory's length of it is not always right,
    hence `content` goes on to the end of the file: what counts is that header, palette and picture are there."""
    bitmap = read_bitmap(content, 0, 0, inner)
    if bitmap is None or bitmap.compression != "rgb":
        return
    needed = bitmap.header_bytes + 4 * palette_colours(bitmap) + bitmap.row_bytes * (abs(bitmap.height) // 2)
    if needed > len(content):
        text = f"the picture takes {needed} bytes, {len(content)} are left in the file"
        inner.damage(Damage.TRUNCATED, len(content), text)
