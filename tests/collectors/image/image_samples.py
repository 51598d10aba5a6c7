"""Small images made in memory, and the tools that damage them."""

from __future__ import annotations

import io
import struct
import zlib
from functools import cache
from typing import Any

from PIL import Image

from diagnose.collectors.image import collect
from diagnose.evidence import Fact


@cache
def picture(width: int = 64, height: int = 48, mode: str = "RGB") -> Image.Image:
    """A picture with detail everywhere, so that its coded data have no runs."""
    noise = Image.effect_noise((width, height), 60)
    bands = [noise, noise.rotate(90).resize((width, height)), noise.transpose(Image.Transpose.FLIP_LEFT_RIGHT)]
    return Image.merge("RGB", bands).convert(mode)


def saved(image_format: str, image: Image.Image | None = None, **options: Any) -> bytes:
    """The picture as a file of Pillow's making."""
    buffer = io.BytesIO()
    (image or picture()).save(buffer, image_format, **options)
    return buffer.getvalue()


def jpeg(**options: Any) -> bytes:
    return saved("JPEG", **options)


def chunk(kind: bytes, content: bytes = b"") -> bytes:
    """A PNG chunk with its CRC."""
    return struct.pack(">I", len(content)) + kind + content + struct.pack(">I", zlib.crc32(kind + content))


def png(*chunks: bytes) -> bytes:
    return b"\x89PNG\r\n\x1a\n" + b"".join(chunks)


def ihdr(width: int = 4, height: int = 4, depth: int = 8, colour: int = 0, interlace: int = 0) -> bytes:
    return chunk(b"IHDR", struct.pack(">IIBBBBB", width, height, depth, colour, 0, 0, interlace))


def grey_rows(width: int = 4, height: int = 4, filter_type: int = 0) -> bytes:
    return (bytes([filter_type]) + bytes(range(width))) * height


IEND = chunk(b"IEND")


def gif_blocks(data: bytes, code_size: int = 2) -> bytes:
    """The pixels of a GIF frame: code size, sub-blocks, terminator."""
    blocks = b"".join(bytes([len(data[i : i + 255])]) + data[i : i + 255] for i in range(0, len(data), 255))
    return bytes([code_size]) + blocks + b"\0"


def without(data: bytes, start: int, count: int) -> bytes:
    return data[:start] + data[start + count :]


def patched(data: bytes, offset: int, content: bytes) -> bytes:
    return data[:offset] + content + data[offset + len(content) :]


class Seen:
    """The facts on an image, by name."""

    def __init__(self, data: Any, image_format: str, **options: Any) -> None:
        self.facts = collect(data, image_format, len(data), **options)

    def __getitem__(self, name: str) -> Any:
        """The first known value of a fact, or None."""
        return next((fact.value for fact in self.facts if fact.name == name and not fact.not_checked), None)

    def all(self, name: str) -> list[Any]:
        return [fact.value for fact in self.facts if fact.name == name and not fact.not_checked]

    def fact(self, name: str, value: Any) -> Fact:
        return next(fact for fact in self.facts if (fact.name, fact.value) == (name, value))

    @property
    def damage(self) -> list[Any]:
        return self.all("image.damage")

    @property
    def features(self) -> list[str]:
        return self["image.features"] or []

    def where(self, value: str, name: str = "image.damage") -> int:
        return int(self.fact(name, value).where.removeprefix("byte "))
