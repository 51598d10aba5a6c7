"""One page of a TIFF file: the tags that say how its pixels are laid out (TIFF 6.0 section 8)."""

from __future__ import annotations

from dataclasses import dataclass

from diagnose.collectors.image.findings import Damage, Findings
from diagnose.collectors.image.ifd import Directory, IfdReader

WIDTH, HEIGHT, BITS, COMPRESSION, PHOTOMETRIC, FILL_ORDER = 256, 257, 258, 259, 262, 266
STRIP_OFFSETS, SAMPLES, ROWS_PER_STRIP, STRIP_COUNTS, PLANAR = 273, 277, 278, 279, 284
PREDICTOR, COLOUR_MAP, TILE_WIDTH, TILE_HEIGHT, TILE_OFFSETS, TILE_COUNTS = 317, 320, 322, 323, 324, 325
EXTRA_SAMPLES, SAMPLE_FORMAT, JPEG_TABLES, OLD_JPEG_OFFSET, SUBSAMPLING = 338, 339, 347, 513, 530

COMPRESSIONS = {
    1: "none",
    2: "ccitt-rle",
    3: "ccitt-group3",
    4: "ccitt-group4",
    5: "lzw",
    6: "old-jpeg",
    7: "jpeg",
    8: "deflate",
    9: "jbig-t85",
    10: "jbig-t43",
    32766: "next",
    32771: "ccitt-rlew",
    32773: "packbits",
    32809: "thunderscan",
    32908: "pixarfilm",
    32909: "pixarlog",
    32946: "deflate",
    34661: "jbig",
    34676: "sgilog",
    34677: "sgilog24",
    34712: "jpeg2000",
    34887: "lerc",
    34892: "lossy-jpeg",
    34925: "lzma",
    50000: "zstd",
    50001: "webp",
    50002: "jpegxl",
}
COMMON = {"none", "ccitt-rle", "ccitt-group3", "ccitt-group4", "lzw", "jpeg", "deflate", "packbits"}

PHOTOMETRICS = {
    0: "grey",
    1: "grey",
    2: "rgb",
    3: "palette",
    4: "mask",
    5: "cmyk",
    6: "ycbcr",
    8: "lab",
    9: "lab",
    10: "lab",
    32803: "colour-filter-array",
    32844: "logl",
    32845: "logluv",
    34892: "linear-raw",
}

ALLOWED = {FILL_ORDER: range(1, 3), PLANAR: range(1, 3), PREDICTOR: range(1, 4), SAMPLE_FORMAT: range(1, 7)}
"""Values of tags that have few; a page with another cannot be laid out."""

COLOUR_SAMPLES = {"grey": 1, "rgb": 3, "palette": 1, "cmyk": 4, "ycbcr": 3, "lab": 3}
"""Samples of a pixel without extra ones such as alpha."""

MAX_SAMPLES = 65535
MAX_TABLES_BYTES = 1 << 16

READ_BY_PILLOW = frozenset(range(1, 9)) | {32771, 32773, 32946, 34676, 34677, 34925, 50000, 50001, 32809, 34661}
"""Compressions that Pillow knows by name (TiffImagePlugin.COMPRESSION_INFO)."""


@dataclass(frozen=True)
class Page:
    number: int
    width: int
    height: int
    bits: tuple[int, ...]
    samples: int
    compression: int
    photometric: int
    planar: bool
    tiled: bool
    segment_width: int
    segment_height: int
    low_bits_first: bool
    jpeg_tables: bytes
    """The tables that all JPEG strips share, without their end marker; empty where there are none."""

    @property
    def compression_name(self) -> str:
        return COMPRESSIONS.get(self.compression, f"unknown ({self.compression})")

    @property
    def planes(self) -> int:
        return self.samples if self.planar else 1

    @property
    def segments(self) -> int:
        """Strips or tiles that the page must have."""
        across = -(-self.width // self.segment_width)
        down = -(-self.height // self.segment_height)
        return across * down * self.planes

    def segment_bytes(self, index: int) -> int:
        """Bytes of strip or tile `index` once decompressed."""
        samples = 1 if self.planar else self.samples
        bits = self.bits[0] * samples if len(set(self.bits)) == 1 else sum(self.bits)
        rows = self.segment_height
        if not self.tiled:
            per_plane = -(-self.height // self.segment_height)
            rows = min(rows, self.height - index % per_plane * self.segment_height)
        return -(-self.segment_width * bits // 8) * rows


def read_page(reader: IfdReader, directory: Directory, number: int, found: Findings) -> Page | None:
    """The layout of a page, or None where it has none. Raises CutShort where a needed value is past the end."""
    at = reader.base + directory.offset
    width, height = reader.integer(directory, WIDTH), reader.integer(directory, HEIGHT)
    if not width or not height or width < 0 or height < 0:
        found.damage(Damage.BAD_DIMENSIONS, at, f"page {number} is {width or 'no'} by {height or 'no'} pixels")
        return None
    if number == 1:
        found.size(width, height, at)
    else:
        found.largest(width * height)
    page = _layout(reader, directory, number, width, height)
    if not page.segment_width or not page.segment_height:
        found.damage(Damage.BAD_DIMENSIONS, at, f"page {number} has tiles of size 0")
        return None
    if not 1 <= page.samples <= MAX_SAMPLES or not page.bits or not all(0 < b <= 64 for b in page.bits):
        found.damage(Damage.BAD_BIT_DEPTH, at, f"page {number} has {page.samples} samples of {page.bits[:4]} bits")
        return None
    _check_values(reader, directory, page, found)
    _describe(reader, directory, page, found)
    return page


def _layout(reader: IfdReader, directory: Directory, number: int, width: int, height: int) -> Page:
    bits = directory.find(BITS)
    samples = reader.integer(directory, SAMPLES, 1) or 0
    tile_width = reader.integer(directory, TILE_WIDTH)
    tiled = tile_width is not None
    rows = reader.integer(directory, ROWS_PER_STRIP, height) or height
    return Page(
        number=number,
        width=width,
        height=height,
        bits=tuple(reader.integers(bits, MAX_SAMPLES)) if bits else (1,),
        samples=samples,
        compression=reader.integer(directory, COMPRESSION, 1) or 1,
        photometric=reader.integer(directory, PHOTOMETRIC, -1) or 0,
        planar=reader.integer(directory, PLANAR, 1) == 2 and samples > 1,
        tiled=tiled,
        segment_width=(tile_width or 0) if tiled else width,
        segment_height=(reader.integer(directory, TILE_HEIGHT) or 0) if tiled else max(1, min(rows, height)),
        low_bits_first=reader.integer(directory, FILL_ORDER, 1) == 2,
        jpeg_tables=_jpeg_tables(reader, directory),
    )


def _jpeg_tables(reader: IfdReader, directory: Directory) -> bytes:
    entry = directory.find(JPEG_TABLES)
    if entry is None or entry.size > MAX_TABLES_BYTES:
        return b""
    return bytes(reader.data[entry.value_offset : entry.value_offset + entry.size]).removesuffix(b"\xff\xd9")


def _check_values(reader: IfdReader, directory: Directory, page: Page, found: Findings) -> None:
    for tag, allowed in ALLOWED.items():
        entry, value = directory.find(tag), reader.integer(directory, tag)
        if entry and value is not None and value not in allowed:
            found.damage(Damage.BAD_HEADER, entry.offset, f"tag {tag} of page {page.number} has the value {value}")
    extra = page.samples - COLOUR_SAMPLES.get(PHOTOMETRICS.get(page.photometric, ""), page.samples)
    if extra > 0 and directory.find(EXTRA_SAMPLES) is None:
        text = f"page {page.number} does not say what {extra} of its {page.samples} samples mean"
        found.irregular(Damage.BAD_HEADER, reader.base + directory.offset, text)
    if len(page.bits) != page.samples:
        text = f"page {page.number} states bits for {len(page.bits)} of its {page.samples} samples"
        found.irregular(Damage.BAD_HEADER, reader.base + directory.offset, text)


def _describe(reader: IfdReader, directory: Directory, page: Page, found: Findings) -> None:
    sample_format = reader.integer(directory, SAMPLE_FORMAT, 1)
    model = PHOTOMETRICS.get(page.photometric, "unknown")
    depth = max(page.bits)
    if page.number == 1:
        found.know("image.bit_depth", depth)
        found.know("image.colour_model", "bilevel" if depth == 1 and model == "grey" else model)
    common = page.compression_name in COMMON
    if page.compression not in READ_BY_PILLOW and page.compression in COMPRESSIONS:
        found.rarely_read(f"TIFF with the compression {page.compression_name}")
    if reader.big and reader.order == ">":
        found.rarely_read("big-endian BigTIFF")
    for present, feature, words in (
        (page.tiled, "tiled", "pixels in tiles"),
        (page.planar, "planar", "one plane per sample"),
        (sample_format == 3, "float", "floating-point samples"),
        (sample_format == 2, "signed", "signed samples"),
        (depth > 8, "16-bit" if depth == 16 else "high-bit-depth", f"{depth} bits a sample"),
        (depth < 8, "low-bit-depth", f"{depth} bits a sample"),
        (model == "cmyk", "cmyk", "CMYK colours"),
        (model == "lab", "lab", "CIE L*a*b* colours"),
        (model == "ycbcr", "ycbcr-tiff", "YCbCr colours"),
        (page.compression in (2, 3, 4, 32771), "fax", f"fax compression {page.compression_name}"),
        (page.compression == 7, "jpeg-in-tiff", "JPEG inside TIFF"),
        (page.compression == 6, "old-jpeg", "the old JPEG scheme, which many decoders refuse"),
        (not common and page.compression != 6, "exotic-compression", f"compression {page.compression_name}"),
        (len(set(page.bits)) > 1, "mixed-bit-depth", f"samples of {page.bits[:8]} bits"),
    ):
        if present:
            found.feature(feature, words)
