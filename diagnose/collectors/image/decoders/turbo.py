"""libjpeg-turbo in strict mode, through simplejpeg: complains where Pillow and OpenCV return a spoilt picture.

At an eighth of the size only the DC coefficients are transformed, but every Huffman code is still read.
"""

from __future__ import annotations

import re

from diagnose.collectors.image.content import Content
from diagnose.collectors.image.decoders.outcome import Outcome, Reaction

DECODER = "simplejpeg (strict)"
SMALLEST_SCALE = 8
HARMLESS_LEFTOVER = 8
"""Bytes left over at the end of a scan that cameras are known to pad with."""

_EXTRANEOUS = re.compile(r"Corrupt JPEG data: (\d+) extraneous bytes before marker 0x([0-9a-f]+)")
_UNSUPPORTED = re.compile(
    r"Could not determine subsampling|Unsupported JPEG data precision|Unsupported color conversion"
    r"|arithmetic coding is not implemented|not implemented|[Uu]nsupported scaling|fractional sampling"
    r"|Requested features are incompatible|Unsupported JPEG process"
)
_BESIDE_PIXELS = re.compile(r"Inconsistent progression sequence|Unknown Adobe color transform|JFIF")


def decode(data: Content, components: int) -> Outcome:
    """Decodes at the smallest scale and says what libjpeg-turbo complains of (the last complaint, if several)."""
    try:
        import simplejpeg
    except ImportError:
        return Outcome(DECODER, Reaction.MISSING, "simplejpeg is not installed")
    try:
        pixels = simplejpeg.decode_jpeg(
            data,
            colorspace="CMYK" if components == 4 else "GRAY",
            fastdct=True,
            fastupsample=True,
            min_height=1,  # without a least size simplejpeg does not scale at all
            min_width=1,
            min_factor=SMALLEST_SCALE,
            strict=True,
        )
    except ValueError as error:
        return Outcome(DECODER, _reaction(str(error)), str(error))
    return Outcome(DECODER, Reaction.ACCEPTED, width=pixels.shape[1], height=pixels.shape[0], frames_decoded=1)


def _reaction(message: str) -> Reaction:
    extraneous = _EXTRANEOUS.search(message)
    if extraneous:
        count, marker = int(extraneous.group(1)), int(extraneous.group(2), 16)
        in_scan = 0xD0 <= marker <= 0xDA
        return Reaction.REFUSED if in_scan and count > HARMLESS_LEFTOVER else Reaction.WARNED
    if _UNSUPPORTED.search(message):
        return Reaction.UNSUPPORTED
    return Reaction.WARNED if _BESIDE_PIXELS.search(message) else Reaction.REFUSED
