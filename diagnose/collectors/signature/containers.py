"""Formats that share a container's first bytes with others, told apart by what the container holds."""

from __future__ import annotations

import struct
from collections.abc import Callable, Iterator

_Refined = tuple[str, str]
"""A format and its detail."""


def refine(format_: str, head: bytes, tail: bytes) -> _Refined | None:
    """The narrower format of what is in the container `format_`, or None where the container's own name stands."""
    refiner = _REFINERS.get(format_)
    return refiner(head, tail) if refiner else None


_HEIF_BRANDS = frozenset(
    b"heic heix heim heis hevc hevx hevm hevs mif1 mif2 mif3 msf1 miaf avci avcs jpeg jpgs vvic j2ki".split()
)
_MP4_BRANDS = frozenset(b"isom iso2 iso3 iso4 iso5 iso6 mp41 mp42 avc1 dash M4V  M4A ".split())
_AVIF_BRANDS = frozenset((b"avif", b"avis"))
_BRAND_FORMATS = {b"crx ": "cr3", b"qt  ": "mov", b"jp2 ": "jp2", b"jpx ": "jpx", b"jpm ": "jpm", b"mjp2": "mj2"}


def _ftyp(head: bytes, _tail: bytes) -> _Refined:
    """ISO/IEC 14496-12, 4.3: size, 'ftyp', major brand, minor version, compatible brands."""
    major = head[8:12]
    detail = major.decode("latin-1").strip()
    end = min(int.from_bytes(head[:4], "big"), 256, len(head))
    first = 12 if major == b"mif3" else 16  # there the minor version is a brand too (ISO/IEC 23008-12)
    brands = {head[at : at + 4] for at in range(first, end - 3, 4)}
    if major in _AVIF_BRANDS or (major in _HEIF_BRANDS and brands & _AVIF_BRANDS):
        return "avif", detail
    if major in _HEIF_BRANDS:
        return "heif", detail
    if major in _BRAND_FORMATS:
        return _BRAND_FORMATS[major], detail
    if major[:2] == b"3g":
        return "3gp", detail
    return ("heif" if brands & _HEIF_BRANDS and not brands & _MP4_BRANDS else "mp4"), detail


def _jp2(head: bytes, _tail: bytes) -> _Refined | None:
    """ISO/IEC 15444-1, I.5.2: the ftyp box follows the signature box of 12 bytes."""
    names = {b"jpx ": "jpx", b"jpm ": "jpm", b"mjp2": "mj2", b"jph ": "jph"}
    name = names.get(head[20:24]) if head[16:20] == b"ftyp" else None
    return (name, head[20:24].decode("latin-1").strip()) if name else None


def _webp(head: bytes, _tail: bytes) -> _Refined:
    return "webp", head[12:16].decode("latin-1").strip()


def _png(head: bytes, _tail: bytes) -> _Refined | None:
    """APNG: an acTL chunk stands before the first IDAT (PNG Third Edition, 11.3.6.1)."""
    before_pixels = head[33:4096].partition(b"IDAT")[0]
    return ("png", "apng") if b"acTL" in before_pixels else None


_MAKER_FORMATS = ((b"NIKON", "nef"), (b"SONY", "arw"), (b"PENTAX", "pef"), (b"RICOH", "pef"))
_TAG_SUBFILE, _TAG_MAKE, _TAG_SUB_IFDS, _TAG_DNG_VERSION = 254, 271, 330, 50706


def _tiff(head: bytes, _tail: bytes) -> _Refined | None:
    """Camera raw formats are TIFFs whose first directory holds a reduced picture, the maker and further directories."""
    order = "<" if head[:2] == b"II" else ">"
    tags = dict(_tiff_tags(head, order))
    if _TAG_DNG_VERSION in tags:
        return "dng", ".".join(str(byte) for byte in tags[_TAG_DNG_VERSION][:4])
    if _TAG_SUB_IFDS not in tags or _TAG_MAKE not in tags:
        return None
    (at,) = struct.unpack(order + "I", tags[_TAG_MAKE])
    if tags.get(_TAG_SUBFILE, b"")[:4] != struct.pack(order + "I", 1):
        return None
    make = head[at : at + 32].upper()
    return next(((name, name) for maker, name in _MAKER_FORMATS if make.startswith(maker)), None)


def _tiff_tags(head: bytes, order: str) -> Iterator[tuple[int, bytes]]:
    """Tag and value field of the entries of the first directory, as far as they are in `head` (TIFF 6.0, section 2)."""
    if len(head) < 10:
        return
    (start,) = struct.unpack_from(order + "I", head, 4)
    if start + 2 > len(head):
        return
    (count,) = struct.unpack_from(order + "H", head, start)
    for at in range(start + 2, min(start + 2 + 12 * count, len(head) - 11), 12):
        yield struct.unpack_from(order + "H", head, at)[0], head[at + 8 : at + 12]


def _ebml(head: bytes, _tail: bytes) -> _Refined:
    """RFC 8794, 11.2.6: DocType stands in the EBML header."""
    return ("webm", "") if b"webm" in head[:80] else ("mkv", "")


def _ole(head: bytes, _tail: bytes) -> _Refined | None:
    """[MS-CFB] 2.6.1: directory entries bear their names in UTF-16; Windows' thumbnail cache has a "Catalog"."""
    return ("thumbs-db", "") if "Catalog\0".encode("utf-16-le") in head else None


_ZIP_NAMES: tuple[tuple[str, str, str], ...] = (
    ("torch-zip", "", "/data.pkl"),
    ("keras", "model.weights.h5", ""),
    ("npz", "", ".npy"),
    ("docx", "word/", ""),
    ("xlsx", "xl/", ""),
    ("pptx", "ppt/", ""),
)
"""Format, how one of the archive's names begins, how it ends."""

_ZIP_DETAILS = (("apk", "AndroidManifest.xml"), ("jar", "META-INF/MANIFEST.MF"), ("dlc", "dlc.metadata"))
_ZIP_LOCAL, _ZIP_CENTRAL = b"PK\3\4", b"PK\1\2"


def _zip(head: bytes, tail: bytes) -> _Refined | None:
    """APPNOTE.TXT 4.3.7, 4.3.12: the names stand in the local headers and again in the central directory."""
    names = [*_zip_names(head, _ZIP_LOCAL, 26, 30), *_zip_names(tail, _ZIP_CENTRAL, 28, 46)]
    if names[:1] == ["mimetype"]:
        mime = head[38 : 38 + 64]
        return ("epub", "") if mime.startswith(b"application/epub") else ("odf", "")
    for format_, start, end in _ZIP_NAMES:
        for name in names:
            if name.startswith(start) and name.endswith(end):
                return format_, name
    return next((("zip", detail) for detail, name in _ZIP_DETAILS if name in names), None)


def _zip_names(data: bytes, mark: bytes, length_at: int, name_at: int, limit: int = 256) -> Iterator[str]:
    at = data.find(mark)
    for _ in range(limit):
        if at < 0 or at + name_at > len(data):
            return
        (length,) = struct.unpack_from("<H", data, at + length_at)
        yield data[at + name_at : at + name_at + min(length, 512)].decode("utf-8", "replace")
        at = data.find(mark, at + name_at)


def _utf_16(head: bytes, _tail: bytes) -> _Refined | None:
    """Windows writes desktop.ini in UTF-16."""
    start = head[:256].decode("utf-16", "ignore").lstrip("\r\n ")
    return ("desktop-ini", "utf-16") if start.startswith(("[.ShellClassInfo]", "[LocalizedFileNames]")) else None


_REFINERS: dict[str, Callable[[bytes, bytes], _Refined | None]] = {
    "ftyp": _ftyp,
    "jp2": _jp2,
    "webp": _webp,
    "png": _png,
    "tiff": _tiff,
    "ebml": _ebml,
    "ole": _ole,
    "utf-16-text": _utf_16,
    "zip": _zip,
}
