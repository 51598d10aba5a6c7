"""Small sound images of every format that the readers know, made here: what the tools damage."""

from __future__ import annotations

import base64
import io
import itertools
import struct
import zlib
from collections.abc import Iterator
from typing import NamedTuple

from PIL import Image, features


class Seed(NamedTuple):
    """A sound file. `name` has the extension of its format."""

    name: str
    data: bytes


def seeds() -> list[Seed]:
    """All of them, or those that the installed decoders can write. The same bytes each time."""
    made = [*_by_pillow(), *_by_heif(), *_by_hand()]
    return [Seed(f"{number:02}-{name}", data) for number, (name, data) in enumerate(made)]


def picture(mode: str = "RGB", width: int = 61, height: int = 47) -> Image.Image:
    """Detail everywhere and no two rows alike; the same on every machine."""
    size = (width, height)
    state, grey = 1, bytearray()
    for _ in range(width * height):
        state = state * 1103515245 + 12345 & 0x7FFFFFFF
        grey.append(state >> 16 & 0xFF)
    noise = Image.frombytes("L", size, bytes(grey)).resize((width // 2 + 1, height // 2 + 1)).resize(size)
    slope = Image.linear_gradient("L").resize(size)
    bands = [noise, slope, noise.transpose(Image.Transpose.ROTATE_180)]
    if mode in ("RGBA", "LA"):
        return Image.merge(mode, [*bands[: len(mode) - 1], slope])
    if mode == "I;16":
        return noise.convert("I").point(lambda value: value * 250).convert("I;16")
    return Image.merge("RGB", bands).convert(mode)


_FURTHER = {"save_all": True, "append_images": [picture("L"), picture("L").rotate(90)], "duration": 40}

_PILLOW: tuple[tuple[str, str, str, dict[str, object]], ...] = (
    ("baseline.jpg", "JPEG", "RGB", {}),
    ("progressive.jpg", "JPEG", "RGB", {"progressive": True}),
    ("restart.jpg", "JPEG", "RGB", {"restart_marker_blocks": 4, "subsampling": 0}),
    ("grey.jpg", "JPEG", "L", {"optimize": True}),
    ("cmyk.jpg", "JPEG", "CMYK", {}),
    ("two.mpo", "MPO", "RGB", {"save_all": True, "append_images": [picture()]}),
    ("rgb.png", "PNG", "RGB", {}),
    ("palette.png", "PNG", "P", {}),
    ("deep.png", "PNG", "I;16", {}),
    ("bilevel.png", "PNG", "1", {}),
    ("animated.png", "PNG", "L", _FURTHER),
    ("still.gif", "GIF", "P", {}),
    ("animated.gif", "GIF", "L", _FURTHER),
    ("rgb.bmp", "BMP", "RGB", {}),
    ("palette.bmp", "BMP", "P", {}),
    ("plain.tif", "TIFF", "RGB", {}),
    ("lzw.tif", "TIFF", "RGB", {"compression": "tiff_lzw"}),
    ("deflate.tif", "TIFF", "RGB", {"compression": "tiff_deflate", "tiffinfo": {317: 2}}),
    ("packbits.tif", "TIFF", "L", {"compression": "packbits"}),
    ("jpeg.tif", "TIFF", "RGB", {"compression": "jpeg"}),
    ("zstd.tif", "TIFF", "L", {"compression": "zstd"}),
    ("lzma.tif", "TIFF", "L", {"compression": "lzma"}),
    ("fax.tif", "TIFF", "1", {"compression": "group4"}),
    ("strips.tif", "TIFF", "L", {"compression": "tiff_lzw", "strip_size": 305}),
    ("big.tif", "TIFF", "L", {"big_tiff": True}),
    ("pages.tif", "TIFF", "L", {"compression": "tiff_lzw", **_FURTHER}),
    ("lossy.webp", "WEBP", "RGB", {"quality": 80}),
    ("lossless.webp", "WEBP", "RGB", {"lossless": True}),
    ("alpha.webp", "WEBP", "RGBA", {"quality": 80}),
    ("animated.webp", "WEBP", "L", _FURTHER),
    ("wavelet.jp2", "JPEG2000", "RGB", {"irreversible": False}),
    ("tiles.jp2", "JPEG2000", "L", {"tile_size": (32, 32), "irreversible": True, "quality_layers": [8]}),
    ("stream.j2k", "JPEG2000", "RGB", {"no_jp2": True}),
    ("png.ico", "ICO", "RGBA", {"sizes": [(16, 16), (32, 32)]}),
    ("dib.ico", "ICO", "RGBA", {"sizes": [(16, 16), (32, 32)], "bitmap_format": "bmp"}),
    ("raw.pgm", "PPM", "L", {}),
    ("raw.ppm", "PPM", "RGB", {}),
    ("raw.pbm", "PPM", "1", {}),
    ("plain.tga", "TGA", "RGB", {}),
    ("rle.tga", "TGA", "P", {"compression": "tga_rle"}),
    ("plain.dds", "DDS", "RGBA", {}),
    ("plain.sgi", "SGI", "RGB", {}),
    ("runs.pcx", "PCX", "P", {}),
    ("plain.qoi", "QOI", "RGB", {}),
)


def _by_pillow() -> Iterator[tuple[str, bytes]]:
    made = list(_PILLOW)
    if features.check("avif"):
        made.append(("still.avif", "AVIF", "RGB", {"speed": 9}))
        made.append(("animated.avif", "AVIF", "RGB", {"speed": 9, **_FURTHER}))
    for name, image_format, mode, options in made:
        buffer = io.BytesIO()
        picture(mode).save(buffer, image_format, **options)
        yield name, buffer.getvalue()


def _by_heif() -> Iterator[tuple[str, bytes]]:
    import pillow_heif

    buffer = io.BytesIO()
    pillow_heif.from_pillow(picture(width=64, height=64)).save(buffer)
    yield "still.heic", buffer.getvalue()


def _by_hand() -> Iterator[tuple[str, bytes]]:
    pixels = picture().tobytes()
    yield "plain.psd", _psd(pixels)
    yield "packed.psd", _packed_psd()
    yield "lines.exr", _exr(0)
    yield "deflate.exr", _exr(2)
    yield "colour.pfm", b"PF\n61 47\n-1.0\n" + b"\0\0\x80\x3e" * (61 * 47 * 3)
    yield "four.pam", b"P7\nWIDTH 61\nHEIGHT 47\nDEPTH 3\nMAXVAL 255\nTUPLTYPE RGB\nENDHDR\n" + pixels
    yield "words.ppm", b"P3\n61 47\n255\n" + b"\n".join(b" ".join(b"%d" % v for v in pixels[i : i + 18])
                                                       for i in range(0, len(pixels), 18)) + b"\n"  # fmt: skip
    yield "plain.ff", b"farbfeld" + struct.pack(">II", 61, 47) + pixels[: 61 * 47] * 8
    yield "flat.hdr", b"#?RADIANCE\nFORMAT=32-bit_rle_rgbe\n\n-Y 4 +X 4\n" + bytes(range(64))
    yield "stream.jxl", base64.b64decode(_JXL)
    box = base64.b64decode(_JXL)
    yield (
        "boxes.jxl",
        b"\0\0\0\x0cJXL \r\n\x87\n\0\0\0\x14ftypjxl \0\0\0\0jxl " + struct.pack(">I", len(box) + 8) + b"jxlc" + box,
    )


def _psd(pixels: bytes) -> bytes:
    head = struct.pack(">4sH6xHIIHH", b"8BPS", 1, 3, 47, 61, 8, 3) + bytes(12) + b"\0\0"
    return head + b"".join(pixels[plane::3] for plane in range(3))


def _packed_psd() -> bytes:
    """Rows in PackBits, each as one run of literals."""
    rows = [picture("L").crop((0, y, 61, y + 1)).tobytes() for y in range(47)]
    packed = [bytes([60]) + row for row in rows]
    head = struct.pack(">4sH6xHIIHH", b"8BPS", 1, 1, 47, 61, 8, 1) + bytes(12) + b"\0\1"
    return head + struct.pack(">47H", *map(len, packed)) + b"".join(packed)


def _exr(compression: int) -> bytes:
    """A scan-line file of one half-float channel (openexr.com, "OpenEXR File Layout")."""
    width, height = 61, 47
    window = struct.pack("<iiii", 0, 0, width - 1, height - 1)
    channels = b"Y\0" + struct.pack("<iB3xii", 1, 0, 1, 1) + b"\0"
    attributes = (
        (b"channels", b"chlist", channels),
        (b"compression", b"compression", bytes([compression])),
        (b"dataWindow", b"box2i", window),
        (b"displayWindow", b"box2i", window),
        (b"lineOrder", b"lineOrder", b"\0"),
        (b"pixelAspectRatio", b"float", struct.pack("<f", 1)),
        (b"screenWindowCenter", b"v2f", bytes(8)),
        (b"screenWindowWidth", b"float", struct.pack("<f", 1)),
    )
    header = b"\x76\x2f\x31\x01\2\0\0\0"
    for name, kind, value in attributes:
        header += name + b"\0" + kind + b"\0" + struct.pack("<I", len(value)) + value
    header += b"\0"
    table, chunks = [], b""
    start = len(header) + 8 * height
    row = picture("L").crop((0, 0, width, 1)).tobytes()
    for y in range(height):
        content = b"".join(bytes([value, 0x38]) for value in row)
        if compression:
            content = _exr_deflated(content)
        table.append(start + len(chunks))
        chunks += struct.pack("<ii", y, len(content)) + content
    return header + struct.pack(f"<{height}Q", *table) + chunks


def _exr_deflated(content: bytes) -> bytes:
    """ZIPS: even bytes before odd ones, differences, deflate; or as it is where that is shorter."""
    halves = content[::2] + content[1::2]
    differences = bytes([halves[0]]) + bytes(
        (after - before + 128) & 0xFF for before, after in itertools.pairwise(halves)
    )
    packed = zlib.compress(differences)
    return packed if len(packed) < len(content) else content


_JXL = (
    "/woDQULl3iqCAfABK0wJAIAKlVHGDV7O9Xz5ocNi2sZ1hrbatrCEsdleGCSk0DHIzSVfgTefb9DLk7XVmq5OVyRY1KaZCEkAIG+FFEgBEHWKF2"
    "PQXYyRk/IFAF2eQ3PfKaMkKNfqKIuNYO0b/hA8Er4oyraGy/0PtAp7kA8cNca/QbK7aiwgIg=="
)
"""A picture of 24 by 16 pixels, lossy."""
