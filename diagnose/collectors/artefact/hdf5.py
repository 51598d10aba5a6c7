"""HDF5: the superblock, and the end of file that it states (HDF5 File Format Specification 3.0, II.A)."""

from __future__ import annotations

from collections.abc import Iterator
from typing import BinaryIO

from diagnose.collectors.artefact.facts import FACTS, damage, extent
from diagnose.collectors.artefact.reading import Cursor
from diagnose.evidence import Fact

SIGNATURE = b"\x89HDF\r\n\x1a\n"
_USER_BLOCKS = (0, 512, 1024, 2048, 4096, 8192)

_OFFSET_SIZE_AT = {0: 13, 1: 13, 2: 9, 3: 9}
_ADDRESSES_AT = {0: 24, 1: 28, 2: 12, 3: 12}
"""Where, by version of the superblock, the size of offsets stands and the addresses begin: base, one other, end."""

_FLAGS_AT = 11
_WRITE_ACCESS = 1


def read_hdf5(file: BinaryIO, size_bytes: int) -> Iterator[Fact]:
    """Facts of an HDF5 file. Raises CutError where it ends within the superblock."""
    cursor = Cursor(file, size_bytes)
    start = next((at for at in _USER_BLOCKS if at + 8 <= size_bytes and cursor.peek(8, at) == SIGNATURE), None)
    if start is None:
        yield damage("bad-magic", 0)
        return
    version = cursor.peek(1, start + 8)[0]
    yield FACTS.known("artefact.version", str(version), f"byte {start + 8}")
    if version not in _ADDRESSES_AT:
        yield damage("unknown-version", start + 8, str(version))
        return
    width = cursor.peek(1, start + _OFFSET_SIZE_AT[version])[0]
    if width not in (2, 4, 8):
        yield damage("bad-offset", start + _OFFSET_SIZE_AT[version], f"offsets of {width} bytes")
        return
    at = start + _ADDRESSES_AT[version] + 2 * width
    stored_eof = int.from_bytes(cursor.peek(width, at), "little")
    yield FACTS.known("artefact.stored_eof", min(stored_eof, 2**63 - 1), f"byte {at}")
    yield from extent(size_bytes, start + stored_eof, exact=False)
    if version == 3:
        is_open = bool(cursor.peek(1, start + _FLAGS_AT)[0] & _WRITE_ACCESS)
        yield FACTS.known("artefact.open_for_writing", is_open, f"byte {start + _FLAGS_AT}")
