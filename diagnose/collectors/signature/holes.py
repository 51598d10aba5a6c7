"""Holes: parts of a file that have a length but were never written, as in a download that reserved its space."""

from __future__ import annotations

import os

_SEEK_HOLE: int | None = getattr(os, "SEEK_HOLE", None)


def find_hole(descriptor: int, size_bytes: int) -> int | None:
    """Where the first hole begins by the file system's word; None if there is none or the system cannot tell.

    The descriptor's position is at the start afterwards.
    """
    if _SEEK_HOLE is None or size_bytes == 0:
        return None
    try:
        at = os.lseek(descriptor, 0, _SEEK_HOLE)
    except OSError:
        return None
    finally:
        os.lseek(descriptor, 0, os.SEEK_SET)
    return at if at < size_bytes else None
