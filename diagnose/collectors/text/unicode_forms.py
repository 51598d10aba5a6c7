"""Encodings that are told without statistics: byte order marks, UTF-16 and UTF-32, UTF-8, and escape sequences."""

from __future__ import annotations

import codecs
import re
import unicodedata

from msgspec import Struct


class Detection(Struct, frozen=True):
    """A Python codec, how sure it is (0 to 1), and by what it was told."""

    encoding: str
    confidence: float
    evidence: str = ""


BYTE_ORDER_MARKS: tuple[tuple[bytes, str], ...] = (
    (codecs.BOM_UTF32_LE, "utf-32"),
    (codecs.BOM_UTF32_BE, "utf-32"),
    (codecs.BOM_UTF8, "utf-8-sig"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
    (b"\x84\x31\x95\x33", "gb18030"),
)

_JAPANESE_FORMS = ("iso2022_jp", "iso2022_jp_1", "iso2022_jp_3", "iso2022_jp_ext", "iso2022_jp_2", "iso2022_jp_2004")
_ESCAPES: tuple[tuple[re.Pattern[bytes], tuple[str, ...]], ...] = (
    (re.compile(rb"\x1b\$\)C"), ("iso2022_kr",)),
    (re.compile(rb"\x1b(?:\$[@B(]|\([JI])"), _JAPANESE_FORMS),
    (re.compile(rb"~\{(?:[\x21-\x77][\x21-\x7e])+~\}"), ("hz",)),
)
_SAMPLE_BYTES = 4096
_LEAST_BYTES = 8
"""Less makes sense as code units by chance: `123` and a zero byte are two of them."""


def detect_mark(data: bytes) -> Detection | None:
    """The encoding that a byte order mark names, if one stands at the start."""
    for mark, encoding in BYTE_ORDER_MARKS:
        if data.startswith(mark):
            return Detection(encoding, 1.0, "byte order mark")
    return None


def detect_escapes(data: bytes) -> Detection | None:
    """ISO-2022 (RFC 1468, RFC 1557) or HZ (RFC 1843), if the data is seven-bit and has their escape sequences."""
    for pattern, encodings in _ESCAPES:
        if not pattern.search(data):
            continue
        for encoding in encodings:
            if _decodes(data, encoding):
                return Detection(encoding, 0.99, "escape sequences")
    return None


def detect_wide(data: bytes) -> Detection | None:
    """UTF-16 or UTF-32 without a byte order mark, told by whether the code units make sense together."""
    sample = data[:_SAMPLE_BYTES]
    if len(data) < _LEAST_BYTES or len(data) % 2:
        return None
    for encoding in ("utf-32-le", "utf-32-be") if len(data) % 4 == 0 else ():
        if _reads_as_text(sample[: len(sample) & ~3], encoding):
            return Detection(encoding, 0.98, "zero bytes")
    found = [encoding for encoding in ("utf-16-le", "utf-16-be") if _reads_as_text(sample, encoding)]
    return Detection(found[0], 0.95, "zero bytes") if len(found) == 1 else None


def _reads_as_text(sample: bytes, encoding: str) -> bool:
    """Letters of few blocks, and among them the blanks, line feeds or full stops that every text has."""
    try:
        text = codecs.getincrementaldecoder(encoding)().decode(sample)
    except UnicodeDecodeError:
        return False
    if not text or any(char < " " and char not in "\t\n\r\f" for char in set(text)):
        return False
    if sum(char < "\x7f" for char in text) * 5 > len(text) * 2:
        return True
    usual = sum(1 for char in text if char in _MARKS_OF_TEXT or block_of(char) is not None)
    if any(unicodedata.category(char) in _NO_TEXT and char not in "\t\n\r\f" for char in set(text)):
        return False
    blocks = {block_of(char) for char in text if char.isalpha()} - {0, None}
    return usual >= len(text) * 0.97 and len(blocks) <= 2 and (not _MARKS_OF_TEXT.isdisjoint(text) or len(text) < 32)


_NO_TEXT = frozenset(("Cc", "Cn", "Co", "Cs"))
_MARKS_OF_TEXT = frozenset(" \n,.-0123456789、。，\u3000")
_BLOCKS: tuple[tuple[int, int, int], ...] = (
    (0x20, 0x24F, 0), (0x370, 0x3FF, 1), (0x400, 0x52F, 2), (0x590, 0x5FF, 3), (0x600, 0x6FF, 4), (0x900, 0x97F, 5),
    (0xE00, 0xE7F, 6), (0x1E00, 0x206F, 0), (0x20A0, 0x2BFF, 0), (0x3000, 0x30FF, 7), (0x4E00, 0x9FFF, 7),
    (0xAC00, 0xD7A3, 8), (0xFF00, 0xFFEF, 0), (0x1F300, 0x1FAFF, 0),
)  # fmt: skip
"""First and last code point of what usual text is written in; 0 is what goes with any script."""


def block_of(char: str) -> int | None:
    """The number of the script that a character belongs to, 0 for what goes with any, None for unusual ones."""
    code = ord(char)
    return next((block for first, last, block in _BLOCKS if first <= code <= last), None)


def _decodes(data: bytes, encoding: str) -> bool:
    try:
        data.decode(encoding)
    except UnicodeDecodeError:
        return False
    return True
