"""Small whole model files, laid out by hand after the formats' specifications."""

from __future__ import annotations

import bz2
import gzip
import io
import json
import lzma
import pickle
import struct
import tarfile
import zipfile
import zlib

from diagnose.collectors.crc32c import masked_crc32c


def gguf_string(text: str, order: str = "<") -> bytes:
    return struct.pack(order + "Q", len(text)) + text.encode()


def gguf_pair(key: str, kind: int, value: bytes, order: str = "<") -> bytes:
    return gguf_string(key, order) + struct.pack(order + "I", kind) + value


def gguf(order: str = "<", version: int = 3, offset: int = 0, data_bytes: int = 64) -> bytes:
    """One F32 tensor of 4 x 4 named `w`, and metadata with a string array."""
    tokens = struct.pack(order + "IQ", 8, 2) + gguf_string("a", order) + gguf_string("bc", order)
    pairs = [
        gguf_pair("general.architecture", 8, gguf_string("llama", order), order),
        gguf_pair("tokenizer.ggml.tokens", 9, tokens, order),
        gguf_pair("split.count", 2, struct.pack(order + "H", 3), order),
    ]
    tensor = gguf_string("w", order) + struct.pack(order + "IQQIQ", 2, 4, 4, 0, offset)
    header = b"GGUF" + struct.pack(order + "IQQ", version, 1, len(pairs)) + b"".join(pairs) + tensor
    return header + bytes(-len(header) % 32) + bytes(data_bytes)


def safetensors(header: object = None, data_bytes: int = 24, **tensor: object) -> bytes:
    if header is None:
        entry = {"dtype": "F32", "shape": [2, 3], "data_offsets": [0, 24]} | tensor
        header = {"__metadata__": {"format": "pt"}, "w": entry}
    raw = header if isinstance(header, bytes) else json.dumps(header).encode()
    return struct.pack("<Q", len(raw)) + raw + bytes(data_bytes)


def varint(value: int) -> bytes:
    out = bytearray()
    while value > 0x7F:
        out.append(value & 0x7F | 0x80)
        value >>= 7
    return bytes([*out, value])


def protobuf(*fields: tuple[int, int | bytes | str]) -> bytes:
    parts = []
    for number, value in fields:
        if isinstance(value, int):
            parts.append(varint(number << 3) + varint(value))
        else:
            raw = value.encode() if isinstance(value, str) else value
            parts.append(varint(number << 3 | 2) + varint(len(raw)) + raw)
    return b"".join(parts)


def onnx_external(location: str, offset: int, length: int) -> bytes:
    entries = [("location", location), ("offset", str(offset)), ("length", str(length))]
    pairs = [(13, protobuf((1, key), (2, value))) for key, value in entries]
    return protobuf((1, 4), (2, 1), (8, "w"), *pairs, (14, 1))


def onnx(*initializers: bytes, opsets_last: bool = True) -> bytes:
    inner = protobuf((1, protobuf((4, "Relu"))))
    branch = protobuf((1, "then_branch"), (6, inner))
    nodes = [protobuf((4, "Conv")), protobuf((4, "Spin"), (7, "com.acme")), protobuf((4, "If"), (5, branch))]
    weights = initializers or (protobuf((1, 2), (2, 1), (8, "w"), (9, bytes(8))),)
    graph = protobuf(*((1, node) for node in nodes), (2, "g"), *((5, weight) for weight in weights))
    opsets = [(8, protobuf((1, ""), (2, 17))), (8, protobuf((1, "com.acme"), (2, 1)))]
    head: list[tuple[int, int | bytes | str]] = [(1, 8), (2, "pytorch"), (3, "2.1.0")]
    return protobuf(*head, (7, graph), *opsets) if opsets_last else protobuf(*head, *opsets, (7, graph))


def tflite(buffer_bytes: int = 32, custom: str = "FlexErf") -> bytes:
    """A model of version 3 with one custom operator code, one empty subgraph and one buffer at the file's end."""
    parts = bytearray(b"\0\0\0\0TFL3")

    def table(fields: list[int]) -> int:
        """A table whose fields are all 32 bits wide, its vtable in front; returns where it begins."""
        vtable = struct.pack("<HH", 4 + 2 * len(fields), 4 + 4 * len(fields))
        vtable += b"".join(struct.pack("<H", 4 + 4 * index) for index in range(len(fields)))
        vtable += bytes(-len(vtable) % 4)
        parts.extend(vtable)
        at = len(parts)
        parts.extend(struct.pack("<i", len(vtable)) + struct.pack(f"<{len(fields)}I", *fields))
        return at

    def point(field_at: int, target: int) -> None:
        parts[field_at : field_at + 4] = struct.pack("<I", target - field_at)

    def vector_of(target: int) -> int:
        at = len(parts)
        parts.extend(struct.pack("<II", 1, target - at - 4 & 0xFFFFFFFF))
        return at

    model = table([3, 0, 0, 0, 0])
    struct.pack_into("<I", parts, 0, model)
    vectors = []
    tables = []
    for _ in range(3):
        at = len(parts)
        vectors.append(at)
        parts.extend(struct.pack("<II", 1, 0))
    for index, fields in enumerate(([0, 0], [0], [0])):
        at = table(list(fields))
        tables.append(at)
        point(vectors[index] + 4, at)
    for field, vector in zip((1, 2, 4), vectors, strict=True):
        point(model + 4 + 4 * field, vector)
    name = len(parts)
    parts.extend(struct.pack("<I", len(custom)) + custom.encode() + b"\0" * (4 - len(custom) % 4))
    point(tables[0] + 8, name)
    description = len(parts)
    parts.extend(struct.pack("<I", 4) + b"hand\0\0\0\0")
    point(model + 4 + 4 * 3, description)
    subgraphs = len(parts)
    parts.extend(struct.pack("<I", 0))
    point(tables[1] + 4, subgraphs)
    data = len(parts)
    parts.extend(struct.pack("<I", buffer_bytes) + bytes(buffer_bytes))
    point(tables[2] + 4, data)
    return bytes(parts)


def hdf5(eof: int = 2048, actual: int = 2048, version: int = 0, flags: int = 0, user_block: int = 0) -> bytes:
    signature = b"\x89HDF\r\n\x1a\n"
    if version < 2:
        head = signature + bytes([version, 0, 0, 0, 0, 8, 8, 0]) + struct.pack("<HHI", 4, 16, 0)
        head += bytes(4) if version == 1 else b""
    else:
        head = signature + bytes([version, 8, 8, flags])
    return (bytes(user_block) + head + struct.pack("<QQQQ", 0, 2**64 - 1, eof, 0)).ljust(actual, b"\x01")


def npy(descr: str = "'<f4'", shape: str = "(3, 4)", data_bytes: int = 48) -> bytes:
    header = f"{{'descr': {descr}, 'fortran_order': False, 'shape': {shape}, }}".encode()
    header += b" " * (-(len(header) + 11) % 64) + b"\n"
    return b"\x93NUMPY\1\0" + struct.pack("<H", len(header)) + header + bytes(data_bytes)


def sentencepiece(*types: int) -> bytes:
    pieces = [protobuf((1, f"piece{i}")) + b"\x15\0\0\x80\xbf" + protobuf((3, kind)) for i, kind in enumerate(types)]
    return protobuf(*((1, piece) for piece in pieces), (2, protobuf((1, "text"))))


def tokenizer(merges: object, **extra: object) -> bytes:
    model = {"type": "BPE", "vocab": {"a": 0, "b": 1, "ab": 2}, "merges": merges}
    return json.dumps({"version": "1.0", "added_tokens": [], "model": model} | extra).encode()


def zip_of(members: dict[str, bytes], method: int = zipfile.ZIP_STORED) -> bytes:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", method) as archive:
        for name, content in members.items():
            archive.writestr(name, content)
    return buffer.getvalue()


def tar_of(members: dict[str, bytes], layout: int = tarfile.PAX_FORMAT) -> bytes:
    buffer = io.BytesIO()
    with tarfile.open(fileobj=buffer, mode="w", format=layout) as archive:
        for name, content in members.items():
            info = tarfile.TarInfo(name)
            info.size = len(content)
            archive.addfile(info, io.BytesIO(content))
    return buffer.getvalue()


class Custom:
    """A class of its own, so that a pickle names something that is no tensor."""


def pickled(value: object, protocol: int = 4) -> bytes:
    return pickle.dumps(value, protocol)


def torch_legacy(value: object) -> bytes:
    parts = (0x1950A86A20F9469CFC6C, 1001, {"little_endian": True}, value, ["0"])
    return b"".join(pickle.dumps(part, 2) for part in parts) + struct.pack("<q", 2) + bytes(8)


def rknn(data_bytes: int = 16, stated: int = 16) -> bytes:
    return b"RKNN" + bytes(4) + struct.pack("<QQ", 6, stated) + bytes(data_bytes)


def ncnn_param(stated: int = 2) -> bytes:
    return b"7767517\n%d 2\nInput data 0 1 data\nReLU relu 1 1 data out\n" % stated


def seven_zip(end_header: bytes = b"\x01\x04\x06\0", packed: bytes = b"packed streams") -> bytes:
    start = struct.pack("<QQI", len(packed), len(end_header), zlib.crc32(end_header))
    return b"7z\xbc\xaf\x27\x1c\0\4" + struct.pack("<I", zlib.crc32(start)) + start + packed + end_header


def mat_element(kind: int, data: bytes) -> bytes:
    return struct.pack("<II", kind, len(data)) + data + bytes(-len(data) % 8)


def mat(dimensions: tuple[int, int] = (1, 2), name_type: int = 1, packed: bool = False) -> bytes:
    """A level 5 MAT-file of one array of doubles named `a`."""
    array = mat_element(6, struct.pack("<II", 6, 0)) + mat_element(5, struct.pack("<ii", *dimensions))
    array += struct.pack("<I4s", 1 << 16 | name_type, b"a") + mat_element(9, bytes(16))
    matrix = mat_element(14, array)
    element = struct.pack("<II", 15, len(zlib.compress(matrix))) + zlib.compress(matrix) if packed else matrix
    return b"MATLAB 5.0 MAT-file, by hand".ljust(124) + struct.pack("<H2s", 0x100, b"IM") + element


def zstd_frame(*blocks: bytes, checksum: bool = True) -> bytes:
    """A frame of raw blocks in a single segment whose size takes 4 bytes."""
    parts = [
        (len(block) << 3 | (index == len(blocks) - 1)).to_bytes(3, "little") + block
        for index, block in enumerate(blocks)
    ]
    head = struct.pack("<IBI", 0xFD2FB528, 0xA0 | checksum << 2, sum(map(len, blocks)))
    return head + b"".join(parts) + (b"sum!" if checksum else b"")


def tensorflow_graph() -> bytes:
    return protobuf(*((1, protobuf((1, f"node{i}"), (2, "Const"), (5, bytes(40)))) for i in range(3)))


def tfrecord(*records: bytes) -> bytes:
    parts = []
    for record in records:
        length = struct.pack("<Q", len(record))
        parts += [length, struct.pack("<I", masked_crc32c(length)), record, struct.pack("<I", masked_crc32c(record))]
    return b"".join(parts)


def avro(blocks: int = 2) -> bytes:
    """Two entries of metadata, the mark, and blocks of one record of four bytes each."""
    mark = bytes(range(16))
    head = b'Obj\1\x04\x14avro.codec\x08null\x16avro.schema\x0c"null"\0'
    return head + mark + (b"\x02\x08data" + mark) * blocks


def orc() -> bytes:
    postscript = b"\x08\x10\x10\0\x82\xf4\x03\x03ORC"
    return b"ORC" + bytes(range(1, 60)) + postscript + bytes([len(postscript)])


WHOLE: dict[str, bytes] = {
    "gguf": gguf(),
    "safetensors": safetensors(),
    "onnx": onnx(),
    "tflite": tflite(),
    "hdf5": hdf5(),
    "npy": npy(),
    "zip": zip_of({"a.txt": b"hello", "b.txt": b"world"}, zipfile.ZIP_DEFLATED),
    "torch-zip": zip_of({"archive/data.pkl": pickled({"w": [1]}, 2), "archive/version": b"3\n"}),
    "pickle": pickled({"a": [1, 2.5, "three"]}),
    "tar": tar_of({"a.txt": b"hello" * 200, "b" * 120: b"world"}),
    "rknn": rknn(),
    "ncnn-param": ncnn_param(),
    "parquet": b"PAR1" + bytes(40) + struct.pack("<I", 20) + b"PAR1",
    "arrow": b"ARROW1\0\0" + bytes(40) + b"ARROW1",
    "gzip": gzip.compress(tar_of({"a.txt": b"hello" * 200}), mtime=0),
    "bzip2": bz2.compress(tar_of({"a.txt": b"hello" * 200})),
    "xz": lzma.compress(bytes(range(256)) * 20),
    "lzma": lzma.compress(bytes(range(256)) * 20, lzma.FORMAT_ALONE),
    "zlib": zlib.compress(bytes(range(256)) * 20),
    "zstd": zstd_frame(b"x" * 200, b"y" * 300),
    "7z": seven_zip(),
    "mat": mat(),
    "tensorflow-graph": tensorflow_graph(),
    "tfrecord": tfrecord(b"one", b"two" * 30, b"three"),
    "avro": avro(),
    "orc": orc(),
}
