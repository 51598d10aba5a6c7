"""Structure of a TIFF or BigTIFF file (TIFF 6.0; BigTIFF as in libtiff): directories and where their pixels lie."""

from __future__ import annotations

from collections.abc import Iterator

from diagnose.collectors.image.content import Content, CutShort
from diagnose.collectors.image.exif import EXIF_IFD, ORIENTATION
from diagnose.collectors.image.findings import Damage, Findings
from diagnose.collectors.image.icc import read_icc
from diagnose.collectors.image.ifd import TYPE_SIZES, Directory, IfdReader, fits
from diagnose.collectors.image.tiff_page import Page, read_page
from diagnose.collectors.image.tiff_pixels import check_pixels

SUB_IFDS, ICC_PROFILE, PAGE_TAGS_END = 330, 34675, 700
MAX_PAGES_FOLLOWED = 1024

SINGLE = frozenset([256, 257, 259, 262, 277, 278, 284, 322, 323])
"""Tags that hold one number and that the pixels hang on: size, compression, colours, rows of a strip, tile size."""

LAYOUT = SINGLE | {258, 273, 279, 324, 325}


def read(data: Content, found: Findings) -> None:
    """Follows the chain of directories and checks each page."""
    try:
        reader = IfdReader(data)
    except ValueError as error:
        found.damage(Damage.SIGNATURE_DAMAGED, 0, str(error))
        return
    found.know("tiff.byte_order", "little-endian" if reader.order == "<" else "big-endian", 0)
    if reader.big:
        found.feature("bigtiff", "BigTIFF, with 64-bit offsets")
    if reader.magic not in (42, 43):
        found.damage(Damage.BAD_HEADER, 2, f"the header has the number {reader.magic} for 42 or 43")
        return
    if not 8 <= reader.first < len(data):
        kind = Damage.TRUNCATED if reader.first >= len(data) else Damage.BAD_OFFSET
        text = f"the first directory is said to be at byte {reader.first}, the file has {len(data)}"
        found.damage(kind, 4, text)
        return
    _read_pages(reader, found)


def _read_pages(reader: IfdReader, found: Findings) -> None:
    pages, compressions = 0, []
    for directory in _directories(reader, found):
        pages += 1
        if pages > MAX_PAGES_FOLLOWED:
            continue
        _check_entries(reader, directory, found)
        page = _page(reader, directory, pages, found)
        if pages == 1:
            _read_metadata(reader, directory, found)
        if page:
            compressions.append(page.compression_name)
            check_pixels(reader, directory, page, found)
    found.know("tiff.pages", pages)
    found.know("image.frames", pages)
    if pages > 1:
        found.feature("multi-page", f"{pages} pages; most decoders see the first")
    if compressions:
        found.know("tiff.compression", sorted(set(compressions)))


def _directories(reader: IfdReader, found: Findings) -> Iterator[Directory]:
    pages = 0
    try:
        for directory in reader.chain():
            pages += 1
            yield directory
    except LookupError as error:
        found.irregular(Damage.LOOP, reader.base, f"the chain of directories runs in a circle: {error}")
    except CutShort as cut:
        if not pages:
            found.damage(Damage.TRUNCATED, cut.end, f"the file ends inside the first directory, at byte {cut.offset}")
        else:
            text = f"the directory after page {pages} is said to be at byte {cut.offset}, past the end of the file"
            found.irregular(Damage.BAD_OFFSET, min(cut.offset, cut.end), text)


def _page(reader: IfdReader, directory: Directory, number: int, found: Findings) -> Page | None:
    try:
        return read_page(reader, directory, number, found)
    except CutShort as cut:
        text = f"a value of page {number} that decoding needs is said to be at byte {cut.offset}, past the end"
        found.damage(Damage.TRUNCATED, min(cut.offset, cut.end), text)
        return None


def _check_entries(reader: IfdReader, directory: Directory, found: Findings) -> None:
    if directory.stated_entries != len(directory.entries):
        text = f"a directory states {directory.stated_entries} entries"
        found.damage(Damage.BAD_HEADER, reader.base + directory.offset, text)
    if directory.cut:
        found.damage(Damage.TRUNCATED, reader.end, "the file ends inside a directory, before its link to the next one")
    tags = [entry.tag for entry in directory.entries]
    if tags != sorted(tags):
        found.irregular(Damage.BAD_CHUNK_ORDER, directory.offset, "the entries of a directory are not in order of tags")
    for entry in directory.entries:
        if entry.type not in TYPE_SIZES:
            text = f"tag {entry.tag} has the unknown type {entry.type}"
            report = found.damage if entry.tag in LAYOUT else found.metadata_damage
            report(Damage.BAD_PROPERTY, entry.offset, text)
        elif entry.tag in SINGLE and entry.count != 1:
            # libtiff refuses the page: "Incorrect count for ...".
            text = f"tag {entry.tag} has {entry.count} values instead of one"
            found.damage(Damage.BAD_HEADER, entry.offset, text)
        elif entry.size > reader.end and entry.tag < PAGE_TAGS_END:
            text = f"tag {entry.tag} states {entry.count} values, more than the file can hold"
            found.damage(Damage.BAD_HEADER, entry.offset, text)
        elif not fits(reader, entry) and entry.value_offset < reader.end:
            missing = entry.value_offset + entry.size - reader.end
            found.damage(Damage.TRUNCATED, reader.end, f"the file lacks the last {missing} bytes of tag {entry.tag}")
        elif not fits(reader, entry):
            found.metadata_damage(Damage.BAD_OFFSET, entry.offset, f"tag {entry.tag} points past the end of the file")


def _read_metadata(reader: IfdReader, directory: Directory, found: Findings) -> None:
    orientation = reader.integer(directory, ORIENTATION)
    if orientation is not None and 2 <= orientation <= 8:
        found.know("image.exif_orientation", orientation)
        found.feature("orientation", f"orientation {orientation}: decoders that ignore it show the picture turned")
    profile = directory.find(ICC_PROFILE)
    if profile and fits(reader, profile):
        content = reader.data[profile.value_offset : profile.value_offset + profile.size]
        read_icc(content, profile.value_offset, found)
    exif = directory.find(EXIF_IFD)
    if exif:
        _check_exif(reader, exif.offset, reader.integer(directory, EXIF_IFD) or 0, found)


def _check_exif(reader: IfdReader, at: int, pointer: int, found: Findings) -> None:
    try:
        reader.directory(pointer)
    except CutShort:
        found.metadata_damage(Damage.BAD_OFFSET, at, "the EXIF directory lies past the end of the file")
