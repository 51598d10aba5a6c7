"""Camera raw files that are built as TIFF (DNG 1.6; ARW, CR2, NEF, PEF, SRW alike): whether all their parts are there.

Nothing here develops sensor data, but a cut file shows by directories, previews or strips that lie past its end.
"""

from __future__ import annotations

from collections.abc import Iterator

from diagnose.collectors.image.content import Content
from diagnose.collectors.image.exif import EXIF_IFD, THUMBNAIL_OFFSET, THUMBNAIL_SIZE
from diagnose.collectors.image.findings import Damage, Findings
from diagnose.collectors.image.ifd import Directory, IfdReader
from diagnose.collectors.image.tiff_page import HEIGHT, STRIP_COUNTS, STRIP_OFFSETS, TILE_COUNTS, TILE_OFFSETS, WIDTH

SUB_IFDS = 330
MAX_DIRECTORIES = 64
PARTS = ((STRIP_OFFSETS, STRIP_COUNTS), (TILE_OFFSETS, TILE_COUNTS), (THUMBNAIL_OFFSET, THUMBNAIL_SIZE))
"""Tags of offsets and of sizes."""


def read(data: Content, found: Findings) -> None:
    """Follows the directories and checks that what they point to lies within the file."""
    try:
        reader = IfdReader(data)
    except ValueError as error:
        found.damage(Damage.SIGNATURE_DAMAGED, 0, str(error))
        return
    largest = (0, 0, 0)
    for directory in _directories(reader):
        width, height = reader.integer(directory, WIDTH) or 0, reader.integer(directory, HEIGHT) or 0
        largest = max(largest, (width, height, directory.offset), key=lambda size: size[0] * size[1])
        _check_parts(reader, directory, found)
    if all(largest[:2]):
        found.size(*largest)


def _directories(reader: IfdReader) -> Iterator[Directory]:
    """All directories of the chain and below it, each once. Raises CutShort where one lies past the end."""
    waiting, seen = [reader.first], set[int]()
    while waiting and len(seen) < MAX_DIRECTORIES:
        offset = waiting.pop(0)
        if offset in seen:
            continue
        seen.add(offset)
        directory = reader.directory(offset)
        yield directory
        for tag in (SUB_IFDS, EXIF_IFD):
            entry = directory.find(tag)
            waiting.extend(reader.integers(entry, MAX_DIRECTORIES) if entry else [])
        if directory.next:
            waiting.append(directory.next)


def _check_parts(reader: IfdReader, directory: Directory, found: Findings) -> None:
    for offsets_tag, sizes_tag in PARTS:
        offsets, sizes = directory.find(offsets_tag), directory.find(sizes_tag)
        if offsets is None or sizes is None:
            continue
        ends = [a + b for a, b in zip(reader.integers(offsets), reader.integers(sizes), strict=False)]
        if ends and max(ends) > reader.end:
            missing = max(ends) - reader.end
            found.damage(Damage.TRUNCATED, reader.end, f"the file lacks the last {missing} bytes of its pictures")
            found.know("image.missing_bytes", missing, reader.end)
