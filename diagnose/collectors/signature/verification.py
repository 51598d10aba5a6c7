"""Whether bytes that match a signature of only two or three bytes really are that format."""

from __future__ import annotations

import re
from collections.abc import Callable

Check = Callable[[bytes, int], bool]

_CONTROLS = bytes(range(9))

_PNM_HEADER = re.compile(rb"P[1-6](?:\s|#[^\n]*\n)++\d++(?:\s|#[^\n]*\n)++\d")


def _is_binary(head: bytes, _size: int) -> bool:
    """A control character that no text has stands in the first 64 bytes."""
    return len(head[:64].translate(None, _CONTROLS)) < len(head[:64])


def _is_icon_directory(head: bytes, size: int) -> bool:
    count = int.from_bytes(head[4:6], "little")
    return (0 < count <= 512 and 6 + 16 * count <= max(size, len(head))) or (count == 0 and size == 6)


def _is_pcx(head: bytes, _size: int) -> bool:
    """ZSoft PCX technical reference: version, encoding, bits a pixel."""
    return len(head) > 3 and head[1] in (0, 2, 3, 4, 5) and head[2] in (0, 1) and head[3] in (1, 2, 4, 8)


def _is_pnm(head: bytes, _size: int) -> bool:
    return _PNM_HEADER.match(head[:512]) is not None


def _is_pam(head: bytes, _size: int) -> bool:
    return head[2:3] == b"\n"


def _is_pfm(head: bytes, _size: int) -> bool:
    return re.match(rb"P[Ff]\s+\d+\s+\d+\s+-?[\d.]+", head[:128]) is not None


def _is_xbm(head: bytes, _size: int) -> bool:
    return re.match(rb"#define \S*_width\s+\d", head[:256]) is not None


def _is_zlib(head: bytes, size: int) -> bool:
    """RFC 1950, 2.2: the first block's type in the third byte is not the reserved 3."""
    return size > 8 and len(head) > 2 and (head[2] >> 1) & 3 != 3 and _looks_compressed(head)


def _looks_compressed(head: bytes) -> bool:
    return any(byte < 9 or byte > 126 for byte in head[2:32])


def _is_bzip2(head: bytes, _size: int) -> bool:
    return head[3:4].isdigit() and head[4:10] in (b"1AY&SY", b"\x17\x72\x45\x38\x50\x90")


def _is_lzma(head: bytes, _size: int) -> bool:
    """xz's lzma-file-format.txt, 1.1: dictionary size, then eight bytes of size or all ones."""
    return len(head) >= 13 and (head[5:13] == b"\xff" * 8 or head[10:13] == b"\0\0\0")


def _is_fli(head: bytes, _size: int) -> bool:
    """Autodesk FLI: size of the file, magic, frames, width, height."""
    return len(head) >= 14 and head[8:10] != b"\0\0" and head[10:12] != b"\0\0"


def _is_bytes_repr(head: bytes, _size: int) -> bool:
    return b"\\x" in head[:64]


def _is_base64(head: bytes, _size: int) -> bool:
    return re.match(rb"[A-Za-z0-9+/_\s=-]*$", head[:256]) is not None


def _is_hexadecimal(head: bytes, _size: int) -> bool:
    return len(head) >= 64 and re.match(rb"[0-9A-Fa-f\s]*$", head[:256]) is not None


def _is_ape_or_dsd(head: bytes, _size: int) -> bool:
    return _is_binary(head[4:], 0)


def _is_elf_like_pe(head: bytes, _size: int) -> bool:
    return len(head) >= 64 and _is_binary(head, 0)


def _is_box(head: bytes, _size: int) -> bool:
    """ISO/IEC 14496-12, 4.2: a box's size is 0 (to the end), 1 (64-bit) or at least 8."""
    length = int.from_bytes(head[:4], "big")
    return length in (0, 1) or length >= 8


def _is_utf_16(head: bytes, _size: int) -> bool:
    """What follows the byte order mark decodes, and has no control characters but white space."""
    sample = head[: min(len(head), 512) & ~1]
    try:
        text = sample.decode("utf-16")
    except UnicodeDecodeError as error:
        if error.reason != "unexpected end of data":
            return False
        text = sample[: error.start].decode("utf-16")
    return not re.search("[\0-\x08]", text)


CHECKS: dict[str, Check] = {
    "bmp": _is_binary,
    "os2-bitmap-array": _is_binary,
    "ico": _is_icon_directory,
    "cur": _is_icon_directory,
    "pcx": _is_pcx,
    "pbm": _is_pnm,
    "pgm": _is_pnm,
    "ppm": _is_pnm,
    "pam": _is_pam,
    "pfm": _is_pfm,
    "xbm": _is_xbm,
    "zlib": _is_zlib,
    "bzip2": _is_bzip2,
    "lzma": _is_lzma,
    "joblib-zfile": lambda head, _size: head[2:4] == b"0x" or _is_binary(head, 0),
    "orc": _is_binary,
    "fli": _is_fli,
    "python-bytes-repr": _is_bytes_repr,
    "base64-image": lambda head, size: head.startswith(b"data:") or _is_base64(head, size),
    "hex-image": _is_hexadecimal,
    "grib": _is_binary,
    "bufr": _is_binary,
    "im": lambda head, _size: b"\0" in head[:512],
    "ape": _is_ape_or_dsd,
    "pe": _is_elf_like_pe,
    "mov": _is_box,
    "mp4": _is_box,
    "ftyp": _is_box,
    "utf-16-text": _is_utf_16,
}
