"""Whether the first bytes of a file, cut anywhere, are UTF-8."""

from __future__ import annotations

LONGEST_CHARACTER = 4
"""Bytes of UTF-8 (RFC 3629, section 3)."""


def is_utf8_so_far(sample: bytes) -> bool:
    """Whether the beginning of a file is UTF-8, of which the last character may be cut."""
    try:
        sample.decode()
    except UnicodeDecodeError as error:
        return error.start > len(sample) - LONGEST_CHARACTER
    return True
