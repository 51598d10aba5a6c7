"""Formats without a signature of their own, told by whether their first fields make sense together."""

from __future__ import annotations

import re
import struct
from collections.abc import Callable

from diagnose.collectors.crc32c import masked_crc32c
from diagnose.collectors.protobuf import BYTES, FIXED32, VARINT, read_field, walk_fields

_Found = tuple[str, str]
_Heuristic = Callable[[bytes, int, bytes], _Found | None]

SAFETENSORS_HEADER_LIMIT = 100_000_000
"""Longest JSON header that the format's library reads (safetensors `tensor.rs`, MAX_HEADER_SIZE)."""


def identify_by_structure(head: bytes, size_bytes: int, tail: bytes) -> _Found | None:
    """Format and detail by the first heuristic that recognises the bytes, or None."""
    for heuristic in _HEURISTICS:
        found = heuristic(head, size_bytes, tail)
        if found:
            return found
    return None


def identify_by_tail(tail: bytes) -> _Found | None:
    """Formats that sign at their end: TGA 2.0 footer, LevelDB table (TensorFlow's checkpoint index), Apple image."""
    if tail[-18:] == b"TRUEVISION-XFILE.\0":
        return "tga", "2.0 footer"
    if tail[-8:] == b"\x57\xfb\x80\x8b\x24\x75\x47\xdb":
        return "tensorflow-index", ""
    if tail[-512:-508] == b"koly":
        return "dmg", ""
    return None


def identify_text_pickle(head: bytes, tail: bytes) -> _Found | None:
    """Pickles of protocol 0 and 1, made of printable opcodes: the first ones must parse and the last one be STOP."""
    if (tail or head)[-1:] != b".":
        return None
    if _PROTOCOL_0.match(head):
        return "pickle", "protocol 0"
    return ("pickle", "protocol 1") if _PROTOCOL_1.match(head) else None


PICKLE_FIRST_BYTES = frozenset(b"c(]})")
_PROTOCOL_0 = re.compile(rb"c[\w.]+\n\w+\n(?!q)|\(?[ldt]p\d\n|\(i[\w.]+\n\w+\n")
_PROTOCOL_1 = re.compile(rb"[\]}\)]q\0|c[\w.]+\n\w+\nq")


def _safetensors(head: bytes, _size: int, _tail: bytes) -> _Found | None:
    """README of safetensors: length of the header as a 64-bit number, then JSON that begins with a brace."""
    if len(head) < 9 or head[8] != 0x7B:
        return None
    length = int.from_bytes(head[:8], "little")
    return ("safetensors", f"header of {length} bytes") if 2 <= length <= SAFETENSORS_HEADER_LIMIT else None


def _pickle(head: bytes, _size: int, _tail: bytes) -> _Found | None:
    """pickletools, PROTO: from protocol 2 on a pickle begins with 0x80 and its protocol's number."""
    if head[:1] != b"\x80" or len(head) < 3 or not 2 <= head[1] <= 5 or head[2:3] not in _PICKLE_OPCODES:
        return None
    return "pickle", f"protocol {head[1]}"


_PICKLE_OPCODES = frozenset(
    bytes([code]) for code in b"\x95c]}(K)JMIFGNUVXTSBCliodp\x88\x89\x8a\x8b\x8c\x8d\x8e\x8f\x96"
)

_ONNX_MODEL = {1: VARINT, 2: BYTES, 3: BYTES, 4: BYTES, 5: VARINT, 6: BYTES, 7: BYTES, 8: BYTES, 14: BYTES, 20: BYTES,
               25: BYTES, 26: BYTES}  # fmt: skip
_ONNX_TENSOR = {1: VARINT, 2: VARINT, 3: BYTES, 4: BYTES, 5: BYTES, 6: BYTES, 7: BYTES, 8: BYTES, 9: BYTES, 10: BYTES,
                11: BYTES, 12: BYTES, 13: BYTES, 14: VARINT, 16: BYTES}  # fmt: skip


def _protobuf(head: bytes, size: int, _tail: bytes) -> _Found | None:
    if head[:1] == b"\x0a":
        return _repeated_messages(head)
    if head[:1] != b"\x08":
        return None
    fields = list(walk_fields(head, limit=16))
    if not fields or fields[0].value > 64:
        return _onnx_tensor(head, size)
    return _onnx_or_coreml(head, fields[0].value) or _onnx_tensor(head, size)


def _onnx_or_coreml(head: bytes, version: int) -> _Found | None:
    """onnx.proto ModelProto and Core ML's Model.proto both begin with a version as field 1.

    Core ML's model itself has a number from 200 on and its field 2 is a message; ONNX has a graph as 7, opsets as 8,
    and field 2 is the producer's name. A TensorFlow SavedModel has only 1 (schema version 1) and MetaGraphDefs as 2.
    """
    numbers: set[int] = set()
    producer = b""
    for field in walk_fields(head, limit=64):
        if field.number == 2 and field.wire == BYTES and not producer:
            producer = head[field.start : field.end]
        if field.number >= 200 and field.wire == BYTES:
            return "coreml", f"specification {version}"
        if _ONNX_MODEL.get(field.number, -1) != field.wire and field.number != 10:
            return None
        numbers.add(field.number)
    if numbers & {7, 8} and 10 not in numbers:
        return "onnx", f"IR version {version}"
    if producer and producer.isascii() and producer.decode().isprintable():
        return "onnx", f"IR version {version}"
    if numbers == {1, 2}:
        return ("tensorflow-savedmodel", "") if version == 1 and b"serve" in head else ("coreml", "")
    return None


def _onnx_tensor(head: bytes, size: int) -> _Found | None:
    """onnx.proto TensorProto: dims, then data_type 1 to 26, then the data."""
    seen: dict[int, int] = {}
    for field in walk_fields(head, limit=32):
        if _ONNX_TENSOR.get(field.number, -1) != field.wire or field.end > size:
            return None
        seen.setdefault(field.number, field.value)
    is_tensor = 0 < seen.get(2, 0) < 32 and bool(seen.keys() & {4, 5, 6, 7, 8, 9, 10, 11, 13})
    return ("onnx-tensor", "") if is_tensor else None


def _repeated_messages(head: bytes) -> _Found | None:
    """sentencepiece_model.proto: pieces {1: text, 2: float score}. TensorFlow's GraphDef: nodes {1: name, 2: op}."""
    outer = read_field(head, 0)
    inner = read_field(head, outer.start) if outer else None
    if not outer or not inner or inner.number != 1 or inner.wire != BYTES or inner.end > min(outer.end, len(head)):
        return None
    following = read_field(head, inner.end)
    if following is None or following.number != 2 or following.end > outer.end:
        return None
    if following.wire == FIXED32:
        return "sentencepiece", ""
    op = head[following.start : following.end]
    is_node = following.wire == BYTES and op.isascii() and op.isalnum() and head[inner.start : inner.end].isascii()
    return ("tensorflow-graph", "") if is_node else None


def _annex_b(head: bytes, _size: int, _tail: bytes) -> _Found | None:
    """H.264 Annex B: start code, then SPS (7), AUD (9) or SEI (6). H.265: VPS (32), SPS (33) or AUD (35)."""
    at = 4 if head[:4] == b"\0\0\0\1" else 3 if head[:3] == b"\0\0\1" else 0
    if not at or len(head) < at + 2:
        return None
    unit, following = head[at], head[at + 1]
    if unit >> 1 in (32, 33, 35) and unit & 0x81 == 0 and following == 1:
        return "hevc-annexb", ""
    if unit & 0x80 == 0 and unit & 0x1F in (7, 9) and (unit & 0x60 or unit & 0x1F == 9):
        return "h264-annexb", ""
    return None


def _mpeg_audio(head: bytes, _size: int, _tail: bytes) -> _Found | None:
    """ISO/IEC 11172-3, 2.4.1.3: sync, version, layer, bit rate, sampling rate. ADTS has layer 0 (ISO/IEC 13818-7)."""
    if len(head) < 4 or head[0] != 0xFF or head[1] & 0xE0 != 0xE0:
        return None
    layer = head[1] >> 1 & 3
    if layer == 0 and head[1] & 0xF0 == 0xF0 and head[2] >> 2 & 15 < 13:
        return "aac", "ADTS"
    is_frame = layer and head[1] >> 3 & 3 != 1 and head[2] >> 4 not in (0, 15) and head[2] >> 2 & 3 != 3
    return ("mp3", f"layer {4 - layer}") if is_frame else None


def _transport_stream(head: bytes, _size: int, _tail: bytes) -> _Found | None:
    """ISO/IEC 13818-1, 2.4.3: packets of 188 bytes that begin with 0x47; in .m2ts four bytes stand before each."""
    for step, start in ((188, 0), (192, 4)):
        marks = head[start : start + 5 * step : step]
        if len(marks) >= 3 and marks.count(0x47) == len(marks):
            return "mpeg-ts", f"{step} byte packets"
    return None


def _old_tar(head: bytes, _size: int, _tail: bytes) -> _Found | None:
    """Version 7 tar has no magic: the header's octal checksum must hold, counted with its own field as spaces."""
    if len(head) < 512 or not head[0]:
        return None
    try:
        stored = int(head[148:156].strip(b" \0"), 8)
    except ValueError:
        return None
    return ("tar", "v7") if stored == sum(head[:148]) + 8 * 32 + sum(head[156:512]) else None


def _tga(head: bytes, size: int, _tail: bytes) -> _Found | None:
    """Truevision TGA 2.0, field 1 to 5: identifier length, colour map, image type, depth."""
    if len(head) < 18:
        return None
    id_length, map_type, image_type, _first, map_length, map_bits, _x, _y, width, height, depth, flags = struct.unpack(
        "<BBBHHBHHHHBB", head[:18]
    )
    if not width or not height or flags & 0xC0 or depth not in (1, 8, 15, 16, 24, 32):
        return None
    mapped = map_type == 1 and map_length and map_bits in (15, 16, 24, 32)
    unmapped = map_type == 0 and map_length == 0 and map_bits in (0, 24, 32)
    if not (mapped and image_type in (1, 2, 3, 9, 10, 11)) and not (unmapped and image_type in (2, 3, 10, 11)):
        return None
    pixels = 18 + id_length + map_length * ((map_bits + 7) // 8)
    return ("tga", "") if pixels < max(size, 19) else None


def _dib(head: bytes, size: int, _tail: bytes) -> _Found | None:
    """A BITMAPINFOHEADER (wingdi.h) without the file header of a BMP, as it comes from the clipboard."""
    if len(head) < 40 or head[:4] != b"\x28\0\0\0":
        return None
    width, height, planes, depth, compression, pixel_bytes = struct.unpack_from("<iiHHII", head, 4)
    sane = 0 < width < 1 << 16 and 0 < abs(height) < 1 << 16 and planes == 1 and depth in (1, 4, 8, 16, 24, 32)
    return ("dib", "no file header") if sane and compression < 7 and pixel_bytes <= size else None


def _tfrecord(head: bytes, size: int, _tail: bytes) -> _Found | None:
    """TFRecord: length as a 64-bit number, its masked CRC-32C, the record, its CRC (TensorFlow `record_writer`)."""
    if len(head) < 12:
        return None
    (length,) = struct.unpack_from("<Q", head)
    if not 0 < length <= max(size, 1 << 31) or length >> 40:
        return None
    return ("tfrecord", "") if masked_crc32c(head[:8]) == int.from_bytes(head[8:12], "little") else None


def _mnn(head: bytes, size: int, _tail: bytes) -> _Found | None:
    """MNN is a FlatBuffer without identifier: a root near the start whose table points back to a sane vtable."""
    if len(head) < 64 or size < 64:
        return None
    (root,) = struct.unpack_from("<I", head)
    if root not in (0x18, 0x1C, 0x20, 0x24):
        return None
    (distance,) = struct.unpack_from("<i", head, root)
    vtable = root - distance
    if not 4 <= vtable < root:
        return None
    vtable_bytes, table_bytes = struct.unpack_from("<HH", head, vtable)
    sane = vtable_bytes % 2 == 0 and 8 <= vtable_bytes <= root - vtable and 8 <= table_bytes <= 64
    return ("mnn", "") if sane else None


_HEURISTICS: tuple[_Heuristic, ...] = (
    _safetensors,
    _pickle,
    _protobuf,
    _annex_b,
    _mpeg_audio,
    _transport_stream,
    _old_tar,
    _tga,
    _dib,
    _tfrecord,
    _mnn,
)
