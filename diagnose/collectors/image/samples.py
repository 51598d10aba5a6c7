"""Pixels that lie in a file as they are: whether all their rows are there, and what follows them."""

from __future__ import annotations

from diagnose.collectors.image.content import Content
from diagnose.collectors.image.findings import Damage, Findings
from diagnose.collectors.image.trailing import describe_trailing
from diagnose.collectors.utf8_sample import is_utf8_so_far

SAMPLE_BYTES = 1 << 20
ENOUGH, ENOUGH_LINES = 8, 4
"""Marks that are no accident: three line ends are those of the header."""


def check_rows(data: Content, start: int, row_bytes: int, rows: int, found: Findings) -> int:
    """States how many bytes the rows from `start` on lack. Returns where they end, or should end."""
    end = start + row_bytes * rows
    missing = end - len(data)
    if missing > 0:
        whole = max(0, len(data) - start) // row_bytes
        text = f"{missing} bytes of the pixels are missing: {whole} of {rows} rows are whole"
        found.damage(Damage.TRUNCATED, len(data), text)
        found.know("image.missing_bytes", missing, len(data))
    return end


def check_all(data: Content, start: int, row_bytes: int, rows: int, found: Findings) -> None:
    """As `check_rows`, for formats in which nothing follows the pixels."""
    end = check_rows(data, start, row_bytes, rows, found)
    if end < len(data):
        describe_trailing(data, end, found)


def text_conversion(data: Content, start: int) -> Damage | None:
    """What a transfer as text did to a file of a text header and samples from `start` on, if its marks are many."""
    head = bytes(data[: start + SAMPLE_BYTES])
    feeds = head.count(b"\n")
    if feeds >= ENOUGH_LINES and head.count(b"\r\n") == feeds:
        return Damage.NEWLINE_MANGLED
    sample = head[start:]
    foreign = sample.count(b"\xef\xbf\xbd") + sample.count(b"\xc2") + sample.count(b"\xc3")
    if foreign >= ENOUGH and foreign * 20 >= len(sample) and is_utf8_so_far(sample):
        return Damage.UTF8_MANGLED
    return None
