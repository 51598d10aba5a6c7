"""EXIF metadata beside the pixels (CIPA DC-008), and the orientation that XMP states."""

from __future__ import annotations

import re
from collections.abc import Mapping

from diagnose.collectors.image.content import Content, CutShort
from diagnose.collectors.image.findings import Damage, Findings
from diagnose.collectors.image.ifd import TYPE_SIZES, Directory, IfdReader, fits

ORIENTATION, EXIF_IFD, GPS_IFD, INTEROP_IFD = 0x0112, 0x8769, 0x8825, 0xA005
THUMBNAIL_OFFSET, THUMBNAIL_SIZE = 0x0201, 0x0202

_BYTE, _ASCII, _SHORT, _LONG, _RATIONAL, _IFD = 1, 2, 3, 4, 5, 13
TYPES = {
    ORIENTATION: (_SHORT,),
    0x011A: (_RATIONAL,),
    0x011B: (_RATIONAL,),
    0x0128: (_SHORT,),
    EXIF_IFD: (_LONG, _IFD),
    GPS_IFD: (_LONG, _IFD),
}
GPS_TYPES = {1: (_ASCII,), 2: (_RATIONAL,), 3: (_ASCII,), 4: (_RATIONAL,), 5: (_BYTE,), 6: (_RATIONAL,)}
"""Types of the tags that readers compute with (CIPA DC-008 tables 4 and 15): resolution, pointers, position."""


def read_exif(data: Content, start: int, end: int, found: Findings) -> None:
    """The TIFF structure of an EXIF block that lies from `start` to `end`: orientation, and whether it is sound."""
    if end - start < 8:
        found.metadata_damage(Damage.TRUNCATED, start, f"the EXIF block has only {end - start} bytes")
        return
    try:
        reader = IfdReader(data, start, end)
        if reader.magic != 42:
            found.metadata_damage(Damage.BAD_HEADER, start, f"the EXIF header has the number {reader.magic} for 42")
        _read_directories(reader, found)
    except ValueError as error:
        found.metadata_damage(Damage.BAD_HEADER, start, f"the EXIF block does not start as TIFF: {error}")
    except CutShort as cut:
        found.metadata_damage(Damage.BAD_OFFSET, cut.offset, "an EXIF directory reaches past the end of its block")


def _read_directories(reader: IfdReader, found: Findings) -> None:
    first = reader.directory(reader.first)
    orientation = reader.integer(first, ORIENTATION)
    if orientation is not None:
        _orientation(orientation, reader.base, found)
    _check_entries(reader, first, TYPES, found)
    for tag, types in ((EXIF_IFD, {}), (GPS_IFD, GPS_TYPES)):
        pointer = reader.integer(first, tag)
        if pointer:
            _check_entries(reader, reader.directory(pointer), types, found)
    if first.next:
        thumbnail = reader.directory(first.next)
        _check_entries(reader, thumbnail, {}, found)
        _check_thumbnail(reader, thumbnail, found)


def _orientation(value: int, offset: int, found: Findings) -> None:
    if 2 <= value <= 8:
        found.know("image.exif_orientation", value, offset)
        found.feature("orientation", f"EXIF orientation {value}: decoders that ignore it show the picture turned")
    elif value != 1:
        found.metadata_damage(Damage.BAD_PROPERTY, offset, f"EXIF orientation {value} is not between 1 and 8")


def _check_entries(
    reader: IfdReader, directory: Directory, types: Mapping[int, tuple[int, ...]], found: Findings
) -> None:
    for entry in directory.entries:
        if entry.type not in TYPE_SIZES:
            text = f"EXIF tag {entry.tag:#06x} has the unknown type {entry.type}"
            found.metadata_damage(Damage.BAD_PROPERTY, entry.offset, text)
        elif entry.type not in types.get(entry.tag, (entry.type,)):
            text = f"EXIF tag {entry.tag:#06x} has the type {entry.type}, which its standard does not allow"
            found.metadata_damage(Damage.BAD_PROPERTY, entry.offset, text)
        elif not fits(reader, entry):
            text = f"EXIF tag {entry.tag:#06x} points past the end of its block"
            found.metadata_damage(Damage.BAD_OFFSET, entry.offset, text)


def _check_thumbnail(reader: IfdReader, directory: Directory, found: Findings) -> None:
    offset = reader.integer(directory, THUMBNAIL_OFFSET)
    size = reader.integer(directory, THUMBNAIL_SIZE)
    if offset is not None and size and reader.base + offset + size > reader.end:
        text = f"the EXIF thumbnail of {size} bytes reaches past the end of its block"
        found.metadata_damage(Damage.TRUNCATED, reader.base + offset, text)


_XMP_ORIENTATION = re.compile(rb"tiff:Orientation(?:=.|>)([2-8])", re.DOTALL)


def read_xmp(data: Content, start: int, end: int, found: Findings) -> None:
    """The orientation that an XMP packet states, which Pillow uses where EXIF has none."""
    match = _XMP_ORIENTATION.search(data, start, end)
    if match and not found.has_feature("orientation"):
        _orientation(int(match.group(1)), match.start(), found)
