"""identify() tells formats by content: fixed bytes, containers, structure, text."""

from __future__ import annotations

import io
import pickle
import struct
import tarfile
import zipfile

import pytest
from growth import growth
from hypothesis import given
from hypothesis import strategies as st

from diagnose.collectors.signature import identify
from diagnose.collectors.signature.identification import _KINDS

KINDS = {"image", "model", "media", "archive", "text", "document", "executable", "other", "unknown"}


def box(name: bytes, payload: bytes) -> bytes:
    return struct.pack(">I", 8 + len(payload)) + name + payload


def ftyp(major: bytes, *compatible: bytes) -> bytes:
    return box(b"ftyp", major + bytes(4) + b"".join(compatible)) + box(b"meta", bytes(32))


def zip_of(*names: str, method: int = zipfile.ZIP_STORED) -> bytes:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", method) as archive:
        for name in names:
            archive.writestr(name, b"application/epub+zip" if name == "mimetype" else b"content")
    return buffer.getvalue()


def tiff_of(tags: dict[int, tuple[int, int, bytes]], trailer: bytes = b"") -> bytes:
    """A little-endian TIFF of one directory; each tag has type, count and its four bytes of value or offset."""
    entries = b"".join(struct.pack("<HHI", tag, kind, count) + value for tag, (kind, count, value) in tags.items())
    return b"II*\0" + struct.pack("<IH", 8, len(tags)) + entries + bytes(4) + trailer


def raw_of(maker: bytes) -> bytes:
    make_at = struct.pack("<I", 8 + 2 + 3 * 12 + 4)
    one = struct.pack("<I", 1)
    return tiff_of({254: (4, 1, one), 271: (2, len(maker), make_at), 330: (4, 1, one)}, maker)


def protobuf(*fields: tuple[int, int | bytes]) -> bytes:
    parts = []
    for number, value in fields:
        if isinstance(value, int):
            parts.append(varint(number << 3) + varint(value))
        else:
            parts.append(varint(number << 3 | 2) + varint(len(value)) + value)
    return b"".join(parts)


def varint(value: int) -> bytes:
    out = bytearray()
    while value > 0x7F:
        out.append(value & 0x7F | 0x80)
        value >>= 7
    return bytes([*out, value])


def tga(image_type: int = 2, depth: int = 24) -> bytes:
    return struct.pack("<BBBHHBHHHHBB", 0, 0, image_type, 0, 0, 0, 0, 0, 4, 4, depth, 0) + b"\x10\x20\x30" * 16


def tar_of(name: str) -> bytes:
    buffer = io.BytesIO()
    with tarfile.open(fileobj=buffer, mode="w") as archive:
        info = tarfile.TarInfo(name)
        info.size = 3
        archive.addfile(info, io.BytesIO(b"abc"))
    return buffer.getvalue()


def v7_tar() -> bytes:
    header = bytearray(512)
    header[:5] = b"a.txt"
    header[100:108] = b"0000644\0"
    header[124:136] = b"00000000003\0"
    header[148:156] = b" " * 8
    header[148:156] = b"%06o\0 " % sum(header)
    return bytes(header) + b"abc" + bytes(509)


PIECE = protobuf((1, b"<unk>")) + b"\x15\0\0\0\0\x18\x02"
ONNX = protobuf((1, 8), (2, b"pytorch"), (3, b"2.1"), (7, b"\x0a\x02\x12\0"), (8, b"\x10\x11"))
CORE_ML = protobuf((1, 4), (2, b"\x0a\x07\x0a\x05image"), (500, bytes(40)))
SAVED_MODEL = protobuf((1, 1), (2, b"\x0a\x07\x22\x05serve" + bytes(20)))
GRAPH_DEF = protobuf((1, protobuf((1, b"input"), (2, b"Placeholder"))))
SAFETENSORS = struct.pack("<Q", 2) + b"{}"
TFRECORD = bytes.fromhex("0500000000000000eab2043e") + b"hello" + bytes(4)
HTML = b"\n\n  <!DOCTYPE html><html><head><title>x</title>"

CASES: list[tuple[str, bytes]] = [
    ("jpeg", b"\xff\xd8\xff\xe0\0\x10JFIF\0"),
    ("jpeg", b"\xff\xd8\0\0"),
    ("jls", b"\xff\xd8\xff\xf7\0\x0b"),
    ("png", b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR"),
    ("gif", b"GIF89a\1\0\1\0"),
    ("bmp", b"BM" + struct.pack("<IIIIii", 70, 0, 54, 40, 2, 2)),
    ("tiff", b"MM\0*\0\0\0\x08"),
    ("bigtiff", b"II+\0\x08\0\0\0"),
    ("webp", b"RIFF\x24\0\0\0WEBPVP8L"),
    ("heif", ftyp(b"heic", b"mif1", b"heic")),
    ("heif", ftyp(b"mif1", b"heic")),
    ("avif", ftyp(b"avif", b"mif1", b"miaf")),
    ("avif", ftyp(b"mif1", b"avif", b"miaf")),
    ("jp2", b"\0\0\0\x0cjP  \r\n\x87\n" + ftyp(b"jp2 ")),
    ("jpx", b"\0\0\0\x0cjP  \r\n\x87\n" + ftyp(b"jpx ")),
    ("j2k", b"\xff\x4f\xff\x51\0\x29"),
    ("jxl", b"\xff\x0a\xfa\x1f"),
    ("jxl", b"\0\0\0\x0cJXL \r\n\x87\n"),
    ("ico", b"\0\0\1\0\1\0" + bytes(16) + bytes(40)),
    ("cur", b"\0\0\2\0\1\0" + bytes(16) + bytes(40)),
    ("ppm", b"P6\n# made by hand\n2 2\n255\n" + bytes(12)),
    ("pgm", b"P2 2 2 255 0 0 0 0"),
    ("pbm", b"P4\n8 1\n\xaa"),
    ("pam", b"P7\nWIDTH 2\nHEIGHT 2\n"),
    ("pfm", b"PF\n2 2\n-1.0\n" + bytes(48)),
    ("tga", tga()),
    ("dib", struct.pack("<IiiHHII", 40, 2, 2, 1, 24, 0, 16) + bytes(16) + bytes(16)),
    ("grib", b"GRIB\0\0\1\1"),
    ("bufr", b"BUFR\0\1\2\3"),
    ("im", b"Image type: RGB image\r\nImage size (x*y): 2*2\r\n\0\0"),
    ("psd", b"8BPS\0\1"),
    ("dds", b"DDS \x7c\0\0\0"),
    ("exr", b"\x76\x2f\x31\x01\2\0\0\0"),
    ("qoi", b"qoif\0\0\0\2"),
    ("hdr", b"#?RADIANCE\nFORMAT=32-bit_rle_rgbe\n"),
    ("fits", b"SIMPLE  =                    T"),
    ("farbfeld", b"farbfeld\0\0\0\1\0\0\0\1"),
    ("flif", b"FLIF44"),
    ("icns", b"icns\0\0\1\0"),
    ("sgi", b"\x01\xda\1\1\0\3"),
    ("pcx", b"\x0a\5\1\x08" + bytes(124)),
    ("dicom", bytes(128) + b"DICM\2\0\0\0"),
    ("svg", b'<?xml version="1.0"?>\n<svg xmlns="http://www.w3.org/2000/svg">'),
    ("eps", b"%!PS-Adobe-3.0 EPSF-3.0\n"),
    ("pdf", b"%PDF-1.7\n%\xe2\xe3\xcf\xd3\n"),
    ("cr2", b"II*\0\x10\0\0\0CR\2\0"),
    ("cr3", ftyp(b"crx ", b"isom")),
    ("nef", raw_of(b"NIKON CORPORATION\0")),
    ("arw", raw_of(b"SONY\0")),
    ("tiff", raw_of(b"EPSON\0")),
    ("dng", tiff_of({50706: (1, 4, b"\1\4\0\0")})),
    ("orf", b"IIRO\x08\0\0\0"),
    ("rw2", b"IIU\0\x08\0\0\0"),
    ("raf", b"FUJIFILMCCD-RAW 0201"),
    ("gguf", b"GGUF\3\0\0\0"),
    ("ggjt", b"tjgg\3\0\0\0"),
    ("safetensors", SAFETENSORS),
    ("onnx", ONNX),
    ("onnx", protobuf((1, 3), (7, b"\x12\0"))),
    ("coreml", CORE_ML),
    ("tensorflow-savedmodel", SAVED_MODEL),
    ("tensorflow-graph", GRAPH_DEF),
    ("sentencepiece", protobuf((1, PIECE)) * 3),
    ("onnx-tensor", protobuf((1, 2), (1, 3), (2, 1), (9, bytes(24)))),
    ("tflite", b"\x1c\0\0\0TFL3"),
    ("circle", b"\x1c\0\0\0CIR0"),
    ("ort", b"\x1c\0\0\0ORTM"),
    ("executorch", b"\x1c\0\0\0ET12"),
    ("mindspore-lite", b"\x1c\0\0\0MSL2"),
    ("rknn", b"RKNN\0\0\0\0"),
    ("rknn", b"CYPTRKNN\0\0\0\0"),
    ("ncnn-param", b"7767517\n75 83\n"),
    ("ncnn-bin", b"\x47\x6b\x30\x01\0\0"),
    ("tensorrt-plan", b"ptrt\x61\0\0\0"),
    ("hailo-hef", b"\x01HEF\0\0\0\2"),
    ("torch-zip", zip_of("archive/data.pkl", "archive/version")),
    ("torch-legacy", pickle.dumps(0x1950A86A20F9469CFC6C, 2)),
    ("pickle", pickle.dumps({"a": 1}, 4)),
    ("pickle", pickle.dumps([1.5], 0)),
    ("pickle", pickle.dumps({"a": (1, 2)}, 1)),
    ("npy", b"\x93NUMPY\1\0"),
    ("npz", zip_of("arr_0.npy")),
    ("keras", zip_of("metadata.json", "config.json", "model.weights.h5")),
    ("hdf5", b"\x89HDF\r\n\x1a\n\0"),
    ("hdf5", bytes(512) + b"\x89HDF\r\n\x1a\n\0"),
    ("openvino-ir-xml", b'<?xml version="1.0"?>\n<net name="m" version="11">\n'),
    ("tfrecord", TFRECORD),
    ("gzip", b"\x1f\x8b\x08\0"),
    ("zstd", b"\x28\xb5\x2f\xfd\0"),
    ("xz", b"\xfd7zXZ\0\0"),
    ("bzip2", b"BZh91AY&SY"),
    ("lz4", b"\x04\x22\x4d\x18\x64"),
    ("zip", zip_of("readme.txt")),
    ("zip", zip_of()),
    ("tar", tar_of("readme.txt")),
    ("tar", v7_tar()),
    ("7z", b"7z\xbc\xaf\x27\x1c\0\4"),
    ("rar", b"Rar!\x1a\7\1\0"),
    ("parquet", b"PAR1\x15\0"),
    ("arrow", b"ARROW1\0\0"),
    ("docx", zip_of("[Content_Types].xml", "word/document.xml")),
    ("epub", zip_of("mimetype", "META-INF/container.xml")),
    ("mp4", ftyp(b"isom", b"iso2", b"avc1", b"mp41")),
    ("mov", ftyp(b"qt  ")),
    ("mov", box(b"moov", bytes(16))),
    ("3gp", ftyp(b"3gp5")),
    ("mkv", b"\x1a\x45\xdf\xa3\x93\x42\x82\x88matroska"),
    ("webm", b"\x1a\x45\xdf\xa3\x93\x42\x82\x84webm"),
    ("avi", b"RIFF\0\1\0\0AVI LIST"),
    ("wav", b"RIFF\0\1\0\0WAVEfmt "),
    ("flac", b"fLaC\0\0\0\x22"),
    ("mp3", b"ID3\4\0"),
    ("mp3", b"\xff\xfb\x90\x64" + bytes(32)),
    ("aac", b"\xff\xf1\x50\x80\2\x1f\xfc"),
    ("ogg", b"OggS\0\2"),
    ("mpeg-ts", (b"\x47\x40\0\x10" + bytes(184)) * 5),
    ("mpeg-ts", (bytes(4) + b"\x47\x40\0\x10" + bytes(184)) * 5),
    ("h264-annexb", b"\0\0\0\1\x67\x64\0\x1f"),
    ("hevc-annexb", b"\0\0\0\1\x40\1\x0c\1"),
    ("flv", b"FLV\1\5\0\0\0\x09"),
    ("html", HTML),
    ("html", b"<html><body>Not found</body>"),
    ("json", b'{"error": "x"}'),
    ("json", b'\xef\xbb\xbf[{"a": 1}]'),
    ("xml", b'<?xml version="1.0"?><a>b</a>'),
    ("s3-error-xml", b'<?xml version="1.0"?>\n<Error><Code>AccessDenied</Code></Error>'),
    ("git-lfs-pointer", b"version https://git-lfs.github.com/spec/v1\noid sha256:0\n"),
    ("appledouble", b"\0\5\x16\7\0\2\0\0Mac OS X        "),
    ("ole", b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + bytes(64)),
    ("thumbs-db", b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + bytes(64) + "Catalog\0".encode("utf-16-le")),
    ("desktop-ini", b"[.ShellClassInfo]\r\nIconResource=x"),
    ("base64-image", b"/9j/4AAQSkZJRgABAQ=="),
    ("base64-image", b"iVBORw0KGgoAAAANSUhEUg=="),
    ("base64-image", b"data:image/png;base64,iVBORw0KGgo="),
    ("python-bytes-repr", b"b'\\xff\\xd8\\xff\\xe0'"),
    ("crlf-mangled-png", b"\x89PNG\r\r\n\x1a\r\n"),
    ("crlf-mangled-png", b"\x89PNG\n\x1a\n\0\0\0\r"),
    ("crlf-mangled-png", b"\x89PNG\r\r\x1a\r\0\0\0\rIHDR"),
    ("crlf-mangled-png", b"\x89PNG\n\n\x1a\n\0\0\0\nIHDR"),
    ("png", b"\x89PNg\r\n\x1a\n\0\0\0\rIHDR"),
    ("utf8-mangled-png", b"\xef\xbf\xbdPNG\r\n\x1a\n"),
    ("utf8-mangled-jpeg", b"\xff\xd8\xff\xe0\0\x10JFIF".decode("utf-8", "replace").encode()),
    ("utf8-mangled-jpeg", b"\xff\xd8\xff\xe0\0\x10JFIF".decode("latin-1").encode()),
    ("utf16-mangled-png", b"\x89PNG\r\n".decode("cp437").encode("utf-16")),
    ("utf-16-text", "hello, wörld".encode("utf-16")),
    ("utf-16-text", "hello, world".encode("utf-16-be")),
    ("utf-32-text", "hello, world".encode("utf-32")),
    ("text", b"Entry not found"),
    ("text", "Größe: 5\n".encode("cp1252")),
    ("text", "图像解码失败\n".encode("gbk")),
    ("text", b"BM is how a bitmap begins, and this is prose that begins so too"),
    ("text", b"P1 is the plain bitmap of the netpbm family"),
    ("yaml", b"--- \na: 1\n"),
    ("elf", b"\x7fELF\2\1\1\0"),
    ("pe", b"MZ\x90\0\3" + bytes(80)),
    ("zeros", bytes(4096)),
    ("empty", b""),
    ("unknown", b"\x81\x03\x99\x00\x07\x01\x02\xfe"),
]


@pytest.mark.parametrize(("expected", "content"), CASES, ids=[f"{i}-{case[0]}" for i, case in enumerate(CASES)])
def test_format_is_told_by_content(expected: str, content: bytes) -> None:
    assert identify(content, len(content), content[-512:]).format == expected


@pytest.mark.parametrize(
    ("expected", "content"),
    [
        ("87a", b"GIF87a"),
        ("VP8L", b"RIFF\x24\0\0\0WEBPVP8L"),
        ("heic", ftyp(b"heic")),
        ("apng", b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR" + bytes(17) + b"\0\0\0\x08acTL" + bytes(12) + b"\0\0\0\1IDAT"),
        ("protocol 4", pickle.dumps([1], 4)),
        ("IR version 8", ONNX),
        ("archive/data.pkl", zip_of("archive/data.pkl")),
        ("CR LF became LF", b"\x89PNG\n\x1a\n"),
    ],
)
def test_detail_names_the_variant(expected: str, content: bytes) -> None:
    assert identify(content, len(content)).detail == expected


def test_tga_footer_identifies_an_otherwise_unreadable_header() -> None:
    footer = bytes(8) + b"TRUEVISION-XFILE.\0"
    assert identify(b"\xf7" * 64, 4096, footer).format == "tga"


def test_names_in_the_central_directory_identify_a_zip_whose_first_entries_do_not() -> None:
    content = zip_of(*(f"x{number}" for number in range(100)), "m/data.pkl")
    assert identify(content[:256], len(content), content[-4096:]).format == "torch-zip"


def test_zeros_at_the_start_alone_do_not_make_a_zero_filled_file() -> None:
    assert identify(bytes(64), 4096, b"\0\0end").format == "unknown"


def test_every_format_has_one_of_the_kinds() -> None:
    assert set(_KINDS.values()) <= KINDS


@given(st.binary(max_size=600), st.binary(max_size=64), st.integers(0, 1 << 62))
def test_no_input_raises(head: bytes, tail: bytes, size_bytes: int) -> None:
    assert identify(head, size_bytes, tail).kind in KINDS


@given(st.sampled_from([content for _, content in CASES]), st.integers(0, 200), st.binary(max_size=8))
def test_no_cut_or_overwritten_file_raises(content: bytes, at: int, junk: bytes) -> None:
    for damaged in (content[:at], content[:at] + junk + content[at + len(junk) :]):
        assert identify(damaged, len(content), damaged[-64:]).kind in KINDS


@pytest.mark.parametrize(
    "unit",
    [
        b"P1 ",
        b"P1#\n",
        b"<title ",
        b"<Error>  ",
        b"<net ",
        b"[ ",
        b"(lp",
        b'"error" ',
        b"\xef\xbf\xbd",
        b"PK\3\4",
        b"#define ",
    ],
)
def test_repetitive_content_costs_time_in_proportion(unit: bytes) -> None:
    assert growth(lambda content: identify(content, len(content), content[-4096:]), unit, 65536) < 10
    assert growth(lambda blanks: identify(b"P1" + blanks, len(blanks) + 2), b" ", 65536) < 10
