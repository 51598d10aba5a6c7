"""PBM, PGM, PPM, PAM and PFM (Netpbm manual, the pages of these names): headers, and whether the pixels are there."""

from __future__ import annotations

import re

from diagnose.collectors.image.content import Content
from diagnose.collectors.image.findings import Damage, Findings
from diagnose.collectors.image.samples import check_all, check_rows, text_conversion
from diagnose.collectors.image.trailing import describe_trailing

PLAIN = b"123"
SAMPLES = {b"1": 1, b"2": 1, b"3": 3, b"4": 1, b"5": 1, b"6": 3}
MAX_HEADER = 4096
MAX_PLAIN_BYTES = 1 << 24
MAX_VALUE = 65535

_COMMENT = rb"(?:\s|#[^\r\n]*[\r\n])+"
_BITMAP = re.compile(rb"P([14])" + _COMMENT + rb"(\d{1,9})" + _COMMENT + rb"(\d{1,9})()\s")
_MAP = re.compile(rb"P([2356])" + _COMMENT + rb"(\d{1,9})" + _COMMENT + rb"(\d{1,9})" + _COMMENT + rb"(\d{1,9})\s")
_PAM_FIELD = re.compile(rb"^(WIDTH|HEIGHT|DEPTH|MAXVAL)[ \t]+(\d{1,9})[ \t\r]*$", re.MULTILINE)
_FLOATS = re.compile(rb"P([Ff])\s+(\d{1,9})\s+(\d{1,9})\s+(-?[\d.]{1,30}(?:e[-+]?\d{1,3})?)\s", re.IGNORECASE)


def read(data: Content, found: Findings) -> None:
    """Reads the header and compares the size that follows from it with the file's."""
    head = bytes(data[:MAX_HEADER])
    match = _BITMAP.match(head) or _MAP.match(head)
    if match is None:
        found.damage(Damage.BAD_HEADER, 2, f"the header {head[:24]!r} does not state a size")
        return
    kind, width, height, maximum = match.group(1), int(match.group(2)), int(match.group(3)), int(match.group(4) or 1)
    found.know("image.colour_model", "bilevel" if kind in b"14" else "grey" if kind in b"25" else "rgb")
    if not _size_is_sound(width, height, match.start(2), found) or not _maximum_is_sound(
        maximum, match.start(4), found
    ):
        return
    _describe(kind, maximum, found)
    if kind in PLAIN:
        _check_plain(data, match.end(), kind, width * height * SAMPLES[kind], maximum, found)
    else:
        row = (width + 7) // 8 if kind == b"4" else width * SAMPLES[kind] * (2 if maximum > 255 else 1)
        end = check_rows(data, match.end(), row, height, found)
        _look_behind(data, match.end(), end, found)


def _look_behind(data: Content, start: int, end: int, found: Findings) -> None:
    """Another picture may follow, with a signature of its own; anything else does not belong here."""
    if re.match(rb"\s*P[1-7]\s", data[end : end + 16]):
        found.feature("multi-image", "several pictures in a row; most readers see the first")
        return
    converted = text_conversion(data, start)
    if end < len(data) and converted:
        found.damage(converted, start, "the samples went through a conversion of text, which made them longer")
    elif end < len(data):
        describe_trailing(data, end, found)


def read_pam(data: Content, found: Findings) -> None:
    """PAM: lines of words and numbers up to ENDHDR, then the samples."""
    head = bytes(data[:MAX_HEADER])
    end = head.find(b"\nENDHDR\n")
    fields = {name: int(value) for name, value in _PAM_FIELD.findall(head[:end] if end >= 0 else head)}
    if end < 0 or len(fields) < 4:
        found.damage(Damage.BAD_HEADER, 2, "the header lacks WIDTH, HEIGHT, DEPTH, MAXVAL or ENDHDR")
        return
    width, height, depth, maximum = (fields[name] for name in (b"WIDTH", b"HEIGHT", b"DEPTH", b"MAXVAL"))
    if not depth:
        found.damage(Damage.BAD_HEADER, 2, "a picture of 0 samples a pixel")
    elif _size_is_sound(width, height, 3, found) and _maximum_is_sound(maximum, 3, found):
        start = end + len(b"\nENDHDR\n")
        behind = check_rows(data, start, width * depth * (2 if maximum > 255 else 1), height, found)
        _look_behind(data, start, behind, found)


def read_floats(data: Content, found: Findings) -> None:
    """PFM: a scale that is negative for little-endian, then 32-bit floats."""
    match = _FLOATS.match(bytes(data[:MAX_HEADER]))
    if match is None:
        found.damage(Damage.BAD_HEADER, 2, "the header does not state size and scale")
        return
    width, height = int(match.group(2)), int(match.group(3))
    found.know("image.bit_depth", 32)
    found.feature("float", "floating-point samples")
    if match.group(1) == b"F":
        found.rarely_read("PFM in colour")
    if not float(match.group(4) or 0):
        found.damage(Damage.BAD_HEADER, match.start(4), "the scale is 0")
    elif _size_is_sound(width, height, match.start(2), found):
        check_all(data, match.end(), width * (12 if match.group(1) == b"F" else 4), height, found)


def _size_is_sound(width: int, height: int, at: int, found: Findings) -> bool:
    found.size(width, height, at)
    if not width or not height:
        found.damage(Damage.BAD_DIMENSIONS, at, f"the image is {width}x{height} pixels")
    return bool(width and height)


def _maximum_is_sound(maximum: int, at: int, found: Findings) -> bool:
    found.know("image.bit_depth", maximum.bit_length())
    if not 0 < maximum <= MAX_VALUE:
        found.damage(Damage.BAD_HEADER, at, f"the highest sample value is {maximum}")
    return 0 < maximum <= MAX_VALUE


def _describe(kind: bytes, maximum: int, found: Findings) -> None:
    if kind in PLAIN:
        found.feature("plain-text", "samples written as decimal text")
    if kind in b"14":
        found.feature("bilevel", "1 bit a pixel")
    if maximum > 255:
        found.feature("16-bit", "16 bits a sample; many loaders clip or drop the lower half")
    elif maximum not in (1, 255):
        found.feature(
            "odd-maximum", f"the highest sample value is {maximum}; loaders that ignore it show a dark picture"
        )


def _check_plain(data: Content, start: int, kind: bytes, expected: int, maximum: int, found: Findings) -> None:
    """Counts the numbers, and finds what is none."""
    if len(data) > MAX_PLAIN_BYTES:
        return
    text = re.sub(rb"#[^\r\n]*", b"", bytes(data[start:]))
    wrong = re.search(rb"[^01\s]" if kind == b"1" else rb"[^0-9\s]", text)
    if wrong and len(text[: wrong.start()].split()) < expected:
        found.damage(Damage.BAD_COMPRESSED_DATA, start + wrong.start(), f"{wrong.group()!r} stands among the numbers")
        return
    count = sum(map(text.count, (b"0", b"1"))) if kind == b"1" else len(text.split())
    if count < expected:
        found.damage(Damage.TRUNCATED, len(data), f"{count} of {expected} samples are there")
    elif kind != b"1" and any(len(word) > 5 or int(word) > maximum for word in text.split()[:expected]):
        found.damage(Damage.BAD_HEADER, start, f"a sample is above the highest value {maximum}")
