"""What a reader of one image has found so far: facts in the making, bounded in number."""

from __future__ import annotations

from enum import StrEnum

from diagnose.collectors.image.facts import FACTS
from diagnose.evidence import Fact, Value

MAX_OF_A_KIND = 8
"""A crafted file can hold a million broken chunks; the first few tell the story."""


class Damage(StrEnum):
    """Kinds of damage. The same kinds name damage to pixels, to metadata, and breaches that harm neither."""

    TRUNCATED = "truncated"
    MISSING_END_MARKER = "missing-end-marker"
    ZERO_HOLE = "zero-hole"
    FILL_HOLE = "fill-hole"
    BYTES_BEFORE = "bytes-before-image"
    ENTROPY_ERROR = "entropy-error"
    BAD_MARKER = "bad-marker"
    RESTART_ORDER = "restart-order"
    BAD_CRC = "bad-crc"
    BAD_ADLER = "bad-adler"
    BAD_COMPRESSED_DATA = "bad-compressed-data"
    BAD_FILTER = "bad-filter"
    BAD_CHUNK_ORDER = "bad-chunk-order"
    BAD_CHUNK_LENGTH = "bad-chunk-length"
    BAD_CHUNK_TYPE = "bad-chunk-type"
    MISSING_CHUNK = "missing-chunk"
    DUPLICATE_CHUNK = "duplicate-chunk"
    MISSING_SEGMENT = "missing-segment"
    MISSING_SCAN = "missing-scan"
    MISSING_TABLE = "missing-table"
    BAD_HEADER = "bad-header"
    BAD_DIMENSIONS = "bad-dimensions"
    BAD_BIT_DEPTH = "bad-bit-depth"
    BAD_COLOUR_TYPE = "bad-colour-type"
    BAD_TABLE = "bad-table"
    BAD_PALETTE = "bad-palette"
    BAD_OFFSET = "bad-offset"
    BAD_BOX = "bad-box"
    MISSING_BOX = "missing-box"
    BAD_PROPERTY = "bad-property"
    INVALID_LZW = "invalid-lzw"
    BAD_RLE = "bad-rle"
    TOO_FEW_PIXELS = "too-few-pixels"
    TOO_MANY_PIXELS = "too-many-pixels"
    TRAILING_DATA = "trailing-data"
    JUNK = "junk-between-segments"
    NEWLINE_MANGLED = "newline-mangled"
    UTF8_MANGLED = "utf8-mangled"
    SIGNATURE_DAMAGED = "signature-damaged"
    BAD_APNG_SEQUENCE = "bad-apng-sequence"
    BAD_FRAME = "bad-frame"
    BAD_SIZE_FIELD = "bad-size-field"
    SIZE_MISMATCH = "size-mismatch"
    LOOP = "loop"


class Findings:
    """The facts of one image. Readers add to it; `facts` is what the collector returns."""

    def __init__(self, image_format: str, size_bytes: int) -> None:
        self.format = image_format
        self.size_bytes = size_bytes
        self.facts: list[Fact] = []
        self.damaged = False
        self.remarkable = False
        self.pixels = 0
        self.sized = False
        self.unsupported = False
        self.rarity = ""
        self.codec = ""
        self.first_scan = 0
        self.components = 3
        self.short_palette = 0
        self.ends_early = False
        self._first_damage: int | None = None
        self._features: dict[str, str] = {}
        self._counts: dict[tuple[str, str], int] = {}

    def know(self, name: str, value: Value, offset: int | None = None, text: str = "") -> None:
        self.facts.append(FACTS.known(name, value, _where(offset), text))

    def not_checked(self, name: str, reason: str) -> None:
        self.facts.append(FACTS.not_checked(name, reason))

    def size(self, width: int, height: int, offset: int) -> None:
        """The dimensions in pixels of the (first) image, as stated at `offset`."""
        self.sized = True
        self.know("image.width", width, offset)
        self.know("image.height", height, offset)
        self.largest(width * height)

    def largest(self, pixels: int) -> None:
        """One more image or canvas in the file has so many pixels."""
        self.pixels = max(self.pixels, pixels)

    def damage(self, kind: Damage, offset: int, text: str) -> None:
        """Damage that spoils pixels."""
        self.damaged = True
        if self._first_damage is None or offset < self._first_damage:
            self._first_damage = offset
        self._add("image.damage", kind, offset, text)

    def metadata_damage(self, kind: Damage, offset: int, text: str) -> None:
        """Damage beside the pixels: EXIF, ICC, XMP, text."""
        self._add("image.metadata_damage", kind, offset, text)

    def irregular(self, kind: Damage, offset: int, text: str) -> None:
        """A breach of the format that leaves the pixels whole."""
        self._add("image.irregularity", kind, offset, text)

    def feature(self, name: str, text: str = "") -> None:
        """A property worth a note; the first text given for a name stays."""
        self._features.setdefault(name, text)

    def has_feature(self, name: str) -> bool:
        return name in self._features

    def has_any_feature(self, names: frozenset[str]) -> bool:
        return not names.isdisjoint(self._features)

    def unsupported_variant(self, text: str, offset: int | None = None) -> None:
        self.unsupported = True
        self._add("image.unsupported", text, offset, "")

    def rarely_read(self, text: str) -> None:
        """The file is of a valid variant that the decoders here may lack: their refusal alone does not condemn it."""
        self.rarity = self.rarity or text

    def close(self) -> None:
        """Adds the facts that sum up the others. Called once, when all readers are done."""
        if self.pixels:
            self.know("image.pixels", self.pixels)
        if self._first_damage is not None:
            self.know("image.damage_offset", self._first_damage)
        if self._features:
            text = "; ".join(f"{name}: {words}" for name, words in self._features.items() if words)
            self.know("image.features", sorted(self._features), text=text)

    def _add(self, name: str, value: str, offset: int | None, text: str) -> None:
        self.remarkable = True
        count = self._counts[name, value] = self._counts.get((name, value), 0) + 1
        if count <= MAX_OF_A_KIND:
            self.facts.append(FACTS.known(name, str(value), _where(offset), text))


def _where(offset: int | None) -> str:
    return "" if offset is None else f"byte {offset}"
