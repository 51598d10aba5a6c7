"""Which encoding a text is in: marks first, then UTF-8, then what makes the text likeliest."""

from __future__ import annotations

import math
import re

from diagnose.collectors.text.declarations import codec_name, find_declaration
from diagnose.collectors.text.multi_byte import EAST_ASIAN_ENCODINGS, decode_start, rank_east_asian
from diagnose.collectors.text.single_byte import Candidate, rank_code_pages
from diagnose.collectors.text.unicode_forms import Detection, detect_escapes, detect_mark, detect_wide

_VALIDATED_BYTES = 1 << 19
_COUNTED_BYTES = 1 << 16
_SAMPLE_BYTES, _SAMPLE_PIECES = 1536, 3
_NEAR = 256
_PRIOR_OF_UTF_8 = 3
"""So many valid sequences for each invalid one make a damaged UTF-8 file, rather than a legacy one."""

_VALID_SEQUENCE = re.compile(rb"[\xc3-\xdf][\x80-\xbf]|[\xe0-\xef][\x80-\xbf]{2}|[\xf0-\xf4][\x80-\xbf]{3}")
_HIGH = re.compile(rb"[\x80-\xff]")
_TEXT_BYTES = bytes([9, 10, 12, 13, 27, *range(0x20, 0x100)])


def detect_encoding(data: bytes, valid_utf8: bool) -> Detection | None:
    """The encoding of `data`, or None where none is plausible. `valid_utf8` says whether it decodes as UTF-8."""
    marked = detect_mark(data)
    if marked:
        return marked
    if b"\0" in data or (not valid_utf8 and data[:_VALIDATED_BYTES].translate(None, _TEXT_BYTES)):
        wide = detect_wide(data)
        if wide:
            return wide
    if valid_utf8:
        if not data.isascii():
            return Detection("utf-8", 0.99, "valid multi-byte sequences")
        return detect_escapes(data[:_VALIDATED_BYTES]) or Detection("ascii", 1.0, "no byte above 127")
    return _damaged_utf8(data) or _by_likelihood(data) or _by_library(data)


def _damaged_utf8(data: bytes) -> Detection | None:
    """UTF-8 in which a few bytes are wrong: legacy text has hardly any valid sequence by chance."""
    first = _HIGH.search(data)
    start = first.start() if first else 0
    part = data[start : start + _COUNTED_BYTES]
    valid = len(_VALID_SEQUENCE.findall(part))
    invalid = len(_VALID_SEQUENCE.sub(b"", part).translate(None, bytes(range(0x80))))
    if valid < 4 or valid < _PRIOR_OF_UTF_8 * invalid:
        return None
    return Detection(
        "utf-8", 0.9 if valid > 10 * invalid else 0.6, f"{valid} valid sequences and {invalid} stray bytes"
    )


def _by_likelihood(data: bytes) -> Detection | None:
    sample = _REPEATED.sub(rb"\1", take_sample(data))
    declared = find_declaration(data)[0]
    candidates = (*rank_east_asian(sample, is_whole=len(data) <= _SAMPLE_BYTES), *rank_code_pages(sample))
    ranked = sorted(candidates, key=lambda candidate: _score(candidate, declared), reverse=True)
    for place, best in enumerate(ranked):
        encoding = _narrowest_valid(data[:_VALIDATED_BYTES], best.encodings)
        if encoding:
            rival = next((other for other in ranked[place + 1 :] if other.text != best.text), None)
            lead = best.score - rival.score if rival else math.inf
            return Detection(encoding, round(1 - 0.5 * math.exp(-lead / 10), 3), "likeliest text")
    return None


_REPEATED = re.compile(rb"([\x80-\xff][\x40-\xff])\1+")
"""Lines and bars drawn with characters: many times the same says no more than once."""


def _score(candidate: Candidate, declared: str) -> float:
    """The likelihood, and a little more for the encoding that the text itself declares."""
    return candidate.score + (_DECLARED if declared in map(codec_name, candidate.encodings) else 0)


_DECLARED = 6.0


def _narrowest_valid(data: bytes, encodings: tuple[str, ...]) -> str | None:
    """The first encoding that decodes all of `data`; if none does, the widest one that nearly does."""
    for encoding in encodings:
        if decode_start(data, encoding, strict=True) is not None:
            return encoding
    widest = encodings[-1]
    is_near = widest in EAST_ASIAN_ENCODINGS and decode_start(data, widest, strict=False) is not None
    return widest if is_near else None


def take_sample(data: bytes) -> bytes:
    """Pieces with bytes above 127 from the start, the middle and near the end, about 1.5 KiB together.

    Each begins and ends at a blank or line end if there is one near, which no multi-byte character holds.
    """
    if len(data) <= _SAMPLE_BYTES:
        return data
    pieces: list[bytes] = []
    at = 0
    for part in range(_SAMPLE_PIECES):
        at = max(at, len(data) * part // _SAMPLE_PIECES)
        length = 0
        while length < _SAMPLE_BYTES // _SAMPLE_PIECES and (high := _HIGH.search(data, at)):
            piece_end = _piece_end(data, high.start())
            piece = data[_piece_start(data, at, high.start()) : piece_end]
            pieces.append(piece)
            length += len(piece)
            at = piece_end
    return b"".join(pieces)


def _piece_start(data: bytes, earliest: int, high: int) -> int:
    """Behind the last blank before a byte above 127; where there is none near, the byte itself."""
    start = max(data.rfind(blank, max(earliest, high - _NEAR), high) for blank in (b"\n", b" "))
    return start + 1 if start >= 0 else high


def _piece_end(data: bytes, high: int) -> int:
    """Behind the next line end, or a blank if that is far."""
    for blank, distance in ((b"\n", _NEAR), (b" ", _NEAR * 2)):
        end = data.find(blank, high, high + distance)
        if end >= 0:
            return end + 1
    return high + _NEAR * 2


def _by_library(data: bytes) -> Detection | None:
    """charset-normalizer's guess on the first 64 KiB."""
    from charset_normalizer import from_bytes

    best = from_bytes(data[: 1 << 16]).best()
    return Detection(best.encoding, 0.3, "charset-normalizer") if best else None
