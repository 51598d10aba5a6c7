"""What is known of a PNG file at one point of its walk."""

from __future__ import annotations

from dataclasses import dataclass, field

from msgspec import Struct

from diagnose.collectors.image.apng import Animation
from diagnose.collectors.image.content import Content
from diagnose.collectors.image.findings import Findings
from diagnose.collectors.image.png_header import Header
from diagnose.collectors.image.png_pixels import PixelStream


class Chunk(Struct, frozen=True):
    """A chunk at `offset` whose content lies from `start` to `end`."""

    type: bytes
    offset: int
    start: int
    end: int

    @property
    def name(self) -> str:
        return self.type.decode("latin-1")


@dataclass
class PngState:
    data: Content
    view: memoryview
    found: Findings
    header: Header | None = None
    pixels: PixelStream | None = None
    animation: Animation | None = None
    seen: set[bytes] = field(default_factory=set)
    last: bytes = b""
    palette: int = 0
