"""Structure of an OpenEXR file (openexr.com, "OpenEXR File Layout"): headers, offset tables, chunks."""

from __future__ import annotations

import struct
import zlib
from dataclasses import dataclass, field

from diagnose.collectors.image.content import Content, CutShort, unpack
from diagnose.collectors.image.findings import Damage, Findings

TILED, LONG_NAMES, DEEP, MULTI_PART = 0x200, 0x400, 0x800, 0x1000
COMPRESSIONS = ("none", "rle", "zips", "zip", "piz", "pxr24", "b44", "b44a", "dwaa", "dwab", "htj2k256", "htj2k32")
ROWS_OF_CHUNK = (1, 1, 1, 16, 32, 16, 32, 32, 32, 256, 256, 32)
NEEDED = (b"channels", b"compression", b"dataWindow", b"displayWindow", b"lineOrder")
SAMPLE_BYTES = (4, 2, 4)
"""UINT, HALF, FLOAT."""

MAX_ATTRIBUTES, MAX_PARTS, MAX_CHUNKS, MAX_NAME = 4096, 1024, 1 << 20, 256
MAX_SIDE = 1 << 24
MAX_INFLATED = 1 << 26

_INT = struct.Struct("<i")
_BOX = struct.Struct("<iiii")


@dataclass
class Part:
    """One picture of the file: its attributes as (offset, bytes)."""

    attributes: dict[bytes, tuple[int, bytes]] = field(default_factory=dict)
    width: int = 0
    height: int = 0
    top: int = 0
    compression: int = 0
    row_bytes: int = 0
    """Bytes of a whole row of all channels; 0 where channels are subsampled."""

    def is_kind(self, *kinds: bytes) -> bool:
        return self.attributes.get(b"type", (0, b""))[1].rstrip(b"\0") in kinds


def read(data: Content, found: Findings) -> None:
    """Walks the headers, and follows the offset tables to every chunk."""
    (version,) = unpack(struct.Struct("<I"), data, 4)
    if version & 0xFF != 2:
        found.damage(Damage.BAD_HEADER, 4, f"the version is {version & 0xFF} instead of 2")
        return
    parts, position = _headers(data, version, found)
    if not all(_understand(part, number, found) for number, part in enumerate(parts)):
        return
    _describe(parts, version, found)
    for number, part in enumerate(parts):
        count = _chunk_count(part, version)
        if count is None:
            return
        if not 0 < count <= MAX_CHUNKS:
            found.damage(Damage.BAD_DIMENSIONS, 8, f"part {number} has {count} chunks")
            return
        position = _follow_table(data, position, count, part, version, found)


def _headers(data: Content, version: int, found: Findings) -> tuple[list[Part], int]:
    position, parts = 8, list[Part]()
    for _ in range(MAX_PARTS):
        part, position = _attributes(data, position)
        if part.attributes:
            parts.append(part)
        if not version & MULTI_PART or not part.attributes:
            break
    if not parts:
        found.damage(Damage.BAD_HEADER, 8, "the header has no attributes")
    return parts, position


def _attributes(data: Content, position: int) -> tuple[Part, int]:
    part = Part()
    for _ in range(MAX_ATTRIBUTES):
        name, position = _name(data, position)
        if not name:
            break
        _, position = _name(data, position)
        (size,) = unpack(_INT, data, position)
        start, position = position + 4, position + 4 + size
        if size < 0 or position > len(data):
            raise CutShort(start, max(size, 0), len(data))
        part.attributes[name] = start, bytes(data[start : start + min(size, 1 << 16)])
    return part, position


def _name(data: Content, position: int) -> tuple[bytes, int]:
    end = data.find(b"\0", position, position + MAX_NAME)
    if end < 0:
        raise CutShort(position, MAX_NAME, len(data))
    return bytes(data[position:end]), end + 1


def _understand(part: Part, number: int, found: Findings) -> bool:
    missing = [name.decode() for name in NEEDED if name not in part.attributes]
    if missing:
        found.damage(Damage.MISSING_CHUNK, 8, f"part {number} lacks the attributes {', '.join(missing)}")
        return False
    at, window = part.attributes[b"dataWindow"]
    if len(window) != _BOX.size:
        found.damage(Damage.BAD_HEADER, at, f"the data window has {len(window)} bytes instead of 16")
        return False
    left, part.top, right, bottom = _BOX.unpack(window)
    part.width, part.height = right - left + 1, bottom - part.top + 1
    if not 0 < part.width <= MAX_SIDE or not 0 < part.height <= MAX_SIDE:
        found.damage(Damage.BAD_DIMENSIONS, at, f"the data window spans {left},{part.top} to {right},{bottom}")
        return False
    if not _view_is_sound(part, found):
        return False
    at, compression = part.attributes[b"compression"]
    if len(compression) != 1 or compression[0] >= len(COMPRESSIONS):
        found.damage(Damage.BAD_HEADER, at, f"the compression is {compression[:4].hex()}")
        return False
    part.compression = compression[0]
    return _read_channels(part, found)


def _view_is_sound(part: Part, found: Findings) -> bool:
    """What the library checks before it reads a pixel (ImfHeader.cpp, Header::sanityCheck)."""
    at, window = part.attributes[b"displayWindow"]
    left, top, right, bottom = _BOX.unpack(window) if len(window) == _BOX.size else (1, 1, 0, 0)
    if left > right or top > bottom:
        found.damage(Damage.BAD_DIMENSIONS, at, f"the display window spans {left},{top} to {right},{bottom}")
        return False
    at, order = part.attributes[b"lineOrder"]
    if len(order) != 1 or order[0] > 2:
        found.damage(Damage.BAD_HEADER, at, f"the order of lines is {order[:4].hex()}")
        return False
    at, ratio = part.attributes.get(b"pixelAspectRatio", (0, b""))
    if len(ratio) == 4 and not 1e-6 <= struct.unpack("<f", ratio)[0] <= 1e6:
        found.damage(Damage.BAD_HEADER, at, f"the aspect ratio of a pixel is {struct.unpack('<f', ratio)[0]:g}")
        return False
    return True


def _read_channels(part: Part, found: Findings) -> bool:
    """A name, pixel type, linearity, sampling in x and y for each; ended by an empty name."""
    at, channels = part.attributes[b"channels"]
    position, row, plain = 0, 0, True
    while channels[position : position + 1] not in (b"", b"\0"):
        end = channels.find(b"\0", position)
        fields = channels[end + 1 : end + 17]
        if end < 0 or len(fields) < 16:
            break
        kind, _, across, down = struct.unpack("<iIii", fields)
        if not 0 <= kind <= 2 or across < 1 or down < 1:
            found.damage(Damage.BAD_HEADER, at + position, f"a channel of type {kind} sampled {across}x{down}")
            return False
        plain = plain and across == down == 1
        row += part.width * SAMPLE_BYTES[kind]
        position = end + 17
    if not position:
        found.damage(Damage.BAD_HEADER, at, "the list of channels is empty or broken")
        return False
    part.row_bytes = row if plain else 0
    return True


def _describe(parts: list[Part], version: int, found: Findings) -> None:
    if not parts:
        return
    first = parts[0]
    found.size(first.width, first.height, first.attributes[b"dataWindow"][0])
    found.know("image.bit_depth", 16 if first.row_bytes == 0 else 8 * first.row_bytes // first.width)
    found.know("image.frames", len(parts))
    found.feature("float", "floating-point samples")
    if len(parts) > 1:
        found.feature("multi-image", f"{len(parts)} parts; most readers see the first")
    if version & TILED or first.is_kind(b"tiledimage", b"deeptile"):
        found.feature("tiled", "pixels in tiles")
    if version & DEEP:
        found.feature("deep", "several samples a pixel (deep data), which few readers have")


def _chunk_count(part: Part, version: int) -> int | None:
    """Entries of the part's offset table; None where only its tiles could tell."""
    stated = part.attributes.get(b"chunkCount")
    if stated and len(stated[1]) == 4:
        return int.from_bytes(stated[1], "little", signed=True)
    if version & TILED or part.is_kind(b"tiledimage", b"deeptile"):
        return _tile_count(part)
    return -(-part.height // ROWS_OF_CHUNK[part.compression])


def _tile_count(part: Part) -> int | None:
    tiles = part.attributes.get(b"tiles")
    if not tiles or len(tiles[1]) != 9:
        return None
    width, height, mode = struct.unpack("<IIB", tiles[1])
    if not width or not height or mode & 0xF:
        return None
    return int(-(-part.width // width) * -(-part.height // height))


def _follow_table(data: Content, position: int, count: int, part: Part, version: int, found: Findings) -> int:
    """Checks the chunk of each entry of the table at `position` and returns where the table ends."""
    end = position + 8 * count
    if end > len(data):
        found.damage(Damage.TRUNCATED, len(data), f"the file ends inside the table of its {count} chunks")
        return end
    zeros = outside = 0
    for offset in struct.unpack(f"<{count}Q", data[position:end]):
        if not offset:
            zeros += 1
        elif not _chunk_is_sound(data, offset, end, part, version, found):
            outside += 1
            if outside >= 4:
                break
    if zeros:
        text = f"{zeros} of {count} chunks were never written: the writer did not come to its end"
        found.damage(Damage.MISSING_SCAN, position, text)
    return end


def _chunk_is_sound(data: Content, offset: int, least: int, part: Part, version: int, found: Findings) -> bool:
    tiled = bool(version & TILED) or part.is_kind(b"tiledimage", b"deeptile")
    deep = bool(version & DEEP)
    start = offset + (4 if version & MULTI_PART else 0) + (16 if tiled else 4)
    if offset < least or start + 4 > len(data):
        kind = Damage.BAD_OFFSET if offset < least else Damage.TRUNCATED
        found.damage(kind, min(offset, len(data)), f"a chunk is said to be at byte {offset}")
        return False
    if deep:
        return True
    (size,) = unpack(_INT, data, start)
    if size < 0 or start + 4 + size > len(data):
        text = f"the chunk at byte {offset} states {size} bytes, {len(data) - start - 4} are left"
        found.damage(Damage.TRUNCATED if size >= 0 else Damage.BAD_CHUNK_LENGTH, len(data), text)
        return False
    if tiled or not part.row_bytes:
        return True
    (row,) = unpack(_INT, data, start - 4)
    return _rows_are_sound(data, row, start + 4, size, part, found)


def _rows_are_sound(data: Content, row: int, start: int, size: int, part: Part, found: Findings) -> bool:
    rows = min(ROWS_OF_CHUNK[part.compression], part.top + part.height - row)
    if not part.top <= row < part.top + part.height:
        found.damage(Damage.BAD_HEADER, start - 8, f"a chunk of row {row}, which the picture does not have")
        return False
    expected = rows * part.row_bytes
    name = COMPRESSIONS[part.compression]
    if name == "none" and size != expected:
        found.damage(Damage.TOO_FEW_PIXELS, start, f"the rows from {row} on have {size} of {expected} bytes")
        return False
    if name in ("zip", "zips") and size < expected <= MAX_INFLATED:
        return _inflates(data[start : start + size], start, row, expected, found)
    return True


def _inflates(packed: bytes, start: int, row: int, expected: int, found: Findings) -> bool:
    try:
        yielded = len(zlib.decompressobj().decompress(packed, expected + 1))
    except zlib.error as error:
        found.damage(Damage.BAD_COMPRESSED_DATA, start, f"the rows from {row} on cannot be inflated: {error}")
        return False
    if yielded != expected:
        found.damage(Damage.TOO_FEW_PIXELS, start, f"the rows from {row} on yield {yielded} of {expected} bytes")
    return yielded == expected
