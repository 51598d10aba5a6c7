"""Files of which only a fixed header is known: RKNN, TensorRT plans, ncnn's text, Parquet's ends, 7z."""

from __future__ import annotations

import zlib
from collections.abc import Iterator
from typing import BinaryIO

from diagnose.collectors.artefact.facts import FACTS, damage, extent
from diagnose.collectors.artefact.reading import READ_LIMIT_BYTES, Cursor
from diagnose.evidence import Fact


def read_rknn(file: BinaryIO, size_bytes: int) -> Iterator[Fact]:
    """RKNN: version at 8, size of the model at 16, both 64-bit (netron, rknn.js)."""
    cursor = Cursor(file, size_bytes)
    if cursor.peek(4, 0) != b"RKNN":
        return
    cursor.at = 8
    version, data_bytes = cursor.unpack("<QQ")
    yield FACTS.known("artefact.version", str(version), "byte 8")
    yield from extent(size_bytes, cursor.at + data_bytes, exact=False)


def read_tensorrt_plan(file: BinaryIO, size_bytes: int) -> Iterator[Fact]:
    """TensorRT: the serialisation version at 4, which the error on a version tag prints."""
    version = int.from_bytes(Cursor(file, size_bytes).peek(4, 4), "little")
    yield FACTS.known("artefact.version", str(version), "byte 4")


def read_ncnn_param(file: BinaryIO, size_bytes: int) -> Iterator[Fact]:
    """ncnn's .param: magic, then the number of layers and blobs, then a line for each layer (net.cpp, load_param)."""
    lines = Cursor(file, size_bytes).peek(min(size_bytes, READ_LIMIT_BYTES), 0).splitlines()
    counts = lines[1].split() if len(lines) > 1 else []
    if len(counts) < 2 or not all(count.isdigit() and len(count) < 10 for count in counts[:2]):
        yield damage("bad-header", len(lines[0]) + 1 if lines else 0)
        return
    layers = sum(1 for line in lines[2:] if line.strip() and not line.startswith(b"#"))
    missing = int(counts[0]) - layers
    yield FACTS.known("artefact.truncated", missing > 0, f"line {len(lines)}", f"{layers} of {int(counts[0])} layers")


def read_parquet(file: BinaryIO, size_bytes: int) -> Iterator[Fact]:
    """Parquet: the file ends with the length of its footer and the magic again (Apache Parquet, "File Format")."""
    cursor = Cursor(file, size_bytes)
    ending = cursor.peek(8, size_bytes - 8)
    whole = ending[4:] in (b"PAR1", b"PARE")
    yield FACTS.known("artefact.truncated", not whole, f"byte {size_bytes}")
    length = int.from_bytes(ending[:4], "little")
    if whole and length + 12 > size_bytes:
        yield damage("bad-offset", size_bytes - 8, f"a footer of {length} bytes")


def read_arrow(file: BinaryIO, size_bytes: int) -> Iterator[Fact]:
    """Arrow IPC file: ends with the magic again (Arrow columnar format, "IPC File Format")."""
    whole = Cursor(file, size_bytes).peek(6, size_bytes - 6) == b"ARROW1"
    yield FACTS.known("artefact.truncated", not whole, f"byte {size_bytes}")


_7Z_START_BYTES = 32


def read_7z(file: BinaryIO, size_bytes: int) -> Iterator[Fact]:
    """7z: where the end header lies, how long it is, and its CRC (7zFormat.txt, "SignatureHeader")."""
    cursor = Cursor(file, size_bytes, 6)
    major, minor, start_crc, offset, length, end_crc = cursor.unpack("<BBIQQI")
    yield FACTS.known("artefact.version", f"{major}.{minor}", "byte 6")
    if zlib.crc32(cursor.peek(_7Z_START_BYTES - 12, 12)) != start_crc:
        yield damage("bad-crc", 8, "start header")
        return
    yield from extent(size_bytes, _7Z_START_BYTES + offset + length)
    end_at = _7Z_START_BYTES + offset
    is_readable = length and end_at + length <= size_bytes and length <= READ_LIMIT_BYTES
    if is_readable and zlib.crc32(cursor.peek(length, end_at)) != end_crc:
        yield damage("bad-crc", end_at, "end header")
