"""Frames of an animated PNG: acTL, fcTL and fdAT chunks (PNG third edition, sections 11.3.6 and 13.1)."""

from __future__ import annotations

import struct

from diagnose.collectors.image.findings import Damage, Findings
from diagnose.collectors.image.png_header import Header
from diagnose.collectors.image.png_pixels import PixelStream

_ACTL = struct.Struct(">II")
_FCTL = struct.Struct(">IIIIIHHBB")
_SEQUENCE = struct.Struct(">I")
MAX_DISPOSE, MAX_BLEND = 2, 1


class Animation:
    """Takes the animation chunks of one file in order."""

    def __init__(self, header: Header, found: Findings) -> None:
        self.header = header
        self.found = found
        self.sequence = 0
        self.frames = 0
        self.stated: int | None = None
        self.default_is_first_frame = False
        self.pixels: PixelStream | None = None

    def read(self, kind: bytes, content: memoryview, offset: int, pixels_begun: bool) -> None:
        """One chunk; `offset` is where its content stands, `pixels_begun` whether IDAT was seen before."""
        if kind == b"acTL":
            self._read_control(content, offset)
        elif kind == b"fcTL":
            self._read_frame(content, offset, pixels_begun)
        else:
            self._read_data(content, offset)

    def finish(self, offset: int, has_pixels: bool) -> None:
        """States what is missing at the end of the file."""
        self._finish_frame(offset)
        if self.stated is None:
            self.found.irregular(Damage.BAD_APNG_SEQUENCE, offset, "animation chunks without acTL")
            return
        self.found.know("image.frames", self.frames)
        self.found.know("image.animated", self.frames > 1)
        self.found.feature("animated", f"an APNG of {self.frames} frames; most decoders see the first")
        if self.frames != self.stated and has_pixels:
            text = f"acTL states {self.stated} frames, {self.frames} are there"
            self.found.irregular(Damage.BAD_APNG_SEQUENCE, offset, text)

    def _read_control(self, content: memoryview, offset: int) -> None:
        if len(content) != _ACTL.size:
            self.found.damage(Damage.BAD_CHUNK_LENGTH, offset, f"acTL is {len(content)} bytes long instead of 8")
            return
        if self.stated is not None:
            return
        self.stated, _ = _ACTL.unpack(content)
        if not self.stated:
            self.found.irregular(Damage.BAD_APNG_SEQUENCE, offset, "acTL states 0 frames")

    def _read_frame(self, content: memoryview, offset: int, pixels_begun: bool) -> None:
        self._finish_frame(offset)
        if len(content) != _FCTL.size:
            self.found.damage(Damage.BAD_CHUNK_LENGTH, offset, f"fcTL is {len(content)} bytes long instead of 26")
            return
        sequence, width, height, left, top, _, _, dispose, blend = _FCTL.unpack(content)
        self._check_sequence(sequence, offset, "fcTL")
        self.frames += 1
        canvas = self.header
        if not width or not height or left + width > canvas.width or top + height > canvas.height:
            text = f"frame {self.frames} of {width}x{height} at {left},{top} leaves the canvas"
            self.found.damage(Damage.BAD_FRAME, offset, text)
            return
        if dispose > MAX_DISPOSE or blend > MAX_BLEND:
            text = f"frame {self.frames} has the disposal {dispose} and blending {blend}"
            self.found.damage(Damage.BAD_FRAME, offset, text)
        if pixels_begun:
            self.pixels = PixelStream(canvas, width, height, f"frame {self.frames}", self.found)
        elif self.default_is_first_frame:
            self.found.damage(Damage.BAD_APNG_SEQUENCE, offset, "two frame headers (fcTL) before the pixels (IDAT)")
        elif (width, height, left, top) != (canvas.width, canvas.height, 0, 0):
            self.found.damage(Damage.BAD_FRAME, offset, "the first frame does not cover the canvas")
        self.default_is_first_frame = self.default_is_first_frame or not pixels_begun

    def _read_data(self, content: memoryview, offset: int) -> None:
        if len(content) < 4:
            self.found.damage(Damage.BAD_CHUNK_LENGTH, offset, "fdAT is too short")
            return
        (sequence,) = _SEQUENCE.unpack_from(content)
        self._check_sequence(sequence, offset, "fdAT")
        if self.pixels is None:
            self.found.damage(Damage.BAD_APNG_SEQUENCE, offset, "frame data (fdAT) without a frame header (fcTL)")
            return
        self.pixels.feed(content[4:], offset + 4)

    def _check_sequence(self, number: int, offset: int, name: str) -> None:
        if number != self.sequence:
            text = f"{name} has the sequence number {number} where {self.sequence} is due"
            self.found.damage(Damage.BAD_APNG_SEQUENCE, offset, text)
        self.sequence = number + 1

    def _finish_frame(self, offset: int) -> None:
        if self.pixels is None:
            return
        if not self.pixels.started:
            self.found.damage(Damage.BAD_APNG_SEQUENCE, offset, f"frame {self.frames} has no data (fdAT)")
        self.pixels.finish(offset)
        self.pixels = None
