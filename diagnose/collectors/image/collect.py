"""Looks at one still image: walks its bitstream, then has it decoded in full."""

from __future__ import annotations

import mmap
from collections.abc import Callable

from diagnose.collectors.image import (
    bmff,
    bmp,
    camera_raw,
    dds,
    eps,
    exr,
    gif,
    ico,
    jp2,
    jpeg,
    jpeg2000,
    jxl,
    netpbm,
    pcx,
    png,
    psd,
    qoi,
    radiance,
    sgi,
    tga,
    tiff,
    webp,
    xpm,
)
from diagnose.collectors.image.content import Content, CutShort, zero_tail
from diagnose.collectors.image.findings import Damage, Findings
from diagnose.collectors.image.formats import BARE_SAMPLES, CAMERA_RAW, COMMON, MANGLED, TIFF_RAW, UNKNOWN
from diagnose.collectors.image.unknown import look_at_unknown
from diagnose.collectors.image.verify import verify
from diagnose.evidence import Fact

PIXEL_LIMIT = 2 * 89_478_485
"""Above twice its MAX_IMAGE_PIXELS Pillow refuses to decode (PIL/Image.py)."""

PROGRAMS = frozenset(["eps"])
"""Pictures that only running them could verify, which is not done."""

MIN_ZERO_TAIL = 64
BLOCK = 4096

_READERS: dict[str, Callable[[Content, Findings], None]] = {
    "jpeg": jpeg.read,
    "png": png.read,
    "apng": png.read,
    "crlf-mangled-png": png.read,
    "stripped-png": png.read,
    "utf8-mangled-png": png.read,
    "utf16-mangled-png": png.read,
    "utf8-mangled-jpeg": jpeg.read,
    "gif": gif.read,
    "bmp": bmp.read,
    "tiff": tiff.read,
    "bigtiff": tiff.read,
    "webp": webp.read,
    "heif": bmff.read,
    "heic": bmff.read,
    "avif": bmff.read,
    "ico": ico.read,
    "cur": ico.read,
    "jp2": jp2.read,
    "jpx": jp2.read,
    "jph": jp2.read,
    "j2k": jpeg2000.read,
    "qoi": qoi.read,
    "pbm": netpbm.read,
    "pgm": netpbm.read,
    "ppm": netpbm.read,
    "pam": netpbm.read_pam,
    "pfm": netpbm.read_floats,
    "jxl": jxl.read,
    "psd": psd.read,
    "exr": exr.read,
    "dds": dds.read,
    "tga": tga.read,
    "sgi": sgi.read,
    "pcx": pcx.read,
    "xpm": xpm.read,
    "eps": eps.read,
    "hdr": radiance.read,
    "farbfeld": radiance.read_farbfeld,
    **dict.fromkeys(TIFF_RAW, camera_raw.read),
}


def collect(
    data: bytes | memoryview | mmap.mmap,
    format: str,  # noqa: A002 - the word of the field, and of the callers
    size_bytes: int,
    pixel_limit: int = PIXEL_LIMIT,
) -> list[Fact]:
    """All facts on the image in `data`, whose content format is `format` (jpeg, png, tiff ...).

    `size_bytes` is the size of the file, and `pixel_limit` what a frame may have before it counts as a decompression
    bomb and is not decoded. Broken images give facts, never errors. Decoders run in this process: a caller who does
    not trust its files calls from a worker that it can afford to lose.
    """
    content: Content = bytes(data) if isinstance(data, memoryview) else data
    found = Findings(format, size_bytes)
    found.know("image.format", format, 0)
    _describe_format(format, found)
    if format in UNKNOWN:
        look_at_unknown(content, found)
    read_structure(content, format, found)
    tail = zero_tail(content)
    if tail >= MIN_ZERO_TAIL:
        found.know("image.zero_tail_bytes", tail, len(content) - tail)
        _weigh_zero_tail(content, tail, found)
    if format not in PROGRAMS:
        verify(content, found, pixel_limit)
    found.close()
    return found.facts


def _weigh_zero_tail(content: Content, tail: int, found: Findings) -> None:
    """Bare samples may end with black rows. Where the zeros begin at a block of a disk, though, which the rows of a
    picture do once in thousands of files, it is rather a rest that was never written."""
    start = len(content) - tail
    if found.format in BARE_SAMPLES and tail >= BLOCK and start and start % BLOCK == 0 and not found.damaged:
        text = f"the last {tail} bytes, from a multiple of {BLOCK} on, are zeros"
        found.irregular(Damage.ZERO_HOLE, start, text)


def _describe_format(image_format: str, found: Findings) -> None:
    if image_format in CAMERA_RAW:
        found.feature(
            "camera-raw", f"{image_format}: sensor data that must be developed; loaders see a preview or nothing"
        )
    elif image_format not in COMMON | UNKNOWN | MANGLED:
        found.feature("uncommon-format", f"{image_format}: many image loaders lack it")


def read_structure(content: Content, image_format: str, found: Findings) -> None:
    """Has the format's own reader walk the bitstream, if there is one. What ends too early is a finding."""
    reader = _READERS.get(image_format)
    if reader is None:
        return
    try:
        reader(content, found)
    except CutShort as cut:
        text = f"the file ends at byte {cut.end}, inside a structure of {cut.wanted} bytes at byte {cut.offset}"
        found.damage(Damage.TRUNCATED, cut.end, text)
