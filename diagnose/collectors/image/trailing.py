"""Bytes after the end of an image: how many, and what they look like."""

from __future__ import annotations

from diagnose.collectors.image.content import Content, zero_tail
from diagnose.collectors.image.findings import Damage, Findings

_KINDS = (
    (b"\xff\xd8\xff", 0, "jpeg"),
    (b"\x89PNG", 0, "png"),
    (b"ftyp", 4, "mp4"),
    (b"PK\x03\x04", 0, "zip"),
    (b"Rar!", 0, "rar"),
    (b"%PDF", 0, "pdf"),
    (b"<", 0, "markup"),
)
_TRAILERS = (b"SEFT", b"MotionPhoto_Data", b"AXS!", b"PrintIM", b"CIPA")
"""Marks of trailers that cameras and editors append on purpose."""


def describe_trailing(data: Content, end: int, found: Findings) -> None:
    """States what follows the image that ends at `end`."""
    count = len(data) - end
    kind = _kind(data, end, count)
    found.know("image.trailing_bytes", count, end)
    found.know("image.trailing_kind", kind, end)
    if kind == "mp4":
        found.feature("motion-photo", "a video follows the picture")
    found.irregular(Damage.TRAILING_DATA, end, f"{count} bytes ({kind}) follow the end of the image")


def _kind(data: Content, end: int, count: int) -> str:
    head = bytes(data[end : end + 64])
    for mark, offset, kind in _KINDS:
        if head[offset:].startswith(mark):
            return kind
    if not head.strip(b"\0") and zero_tail(data) >= count:
        return "zeros"
    tail = bytes(data[max(end, len(data) - 64) :])
    if any(mark in head or mark in tail for mark in _TRAILERS):
        return "known-trailer"
    if all(32 <= byte < 127 or byte in b"\t\r\n" for byte in head):
        return "text"
    return "data"
