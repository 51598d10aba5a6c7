"""Content that no signature knows, under the name of an image: what may be said of it."""

from __future__ import annotations

import re

from diagnose.collectors.image.content import Content
from diagnose.collectors.image.findings import Damage, Findings

SEARCHED_BYTES = 8192
MIN_FILL = 64

_START = re.compile(
    rb"(?P<jpeg>\xff\xd8\xff[\xdb\xe0-\xef\xfe])|(?P<png>\x89PNG\r\n\x1a\n)|(?P<gif>GIF8[79]a)|(?P<webp>RIFF....WEBP)",
    re.DOTALL,
)


def look_at_unknown(data: Content, found: Findings) -> None:
    """Whether an image starts further on, behind bytes that do not belong to it, or the content is one byte only."""
    head = bytes(data[:SEARCHED_BYTES])
    start = _START.search(head, 1)
    if start:
        text = f"a {start.lastgroup} starts at byte {start.start()}, behind {start.start()} bytes: {head[:16]!r}"
        found.damage(Damage.BYTES_BEFORE, 0, text)
    elif len(head) >= MIN_FILL and not head.strip(b"\xff") and not _other(data):
        found.damage(Damage.FILL_HOLE, 0, f"all {len(data)} bytes are FF")


def _other(data: Content) -> bool:
    """Whether a byte is not FF."""
    return any(bytes(data[at : at + SEARCHED_BYTES]).strip(b"\xff") for at in range(0, len(data), SEARCHED_BYTES))
