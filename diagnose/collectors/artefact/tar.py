"""tar: every header's checksum, and whether each member's data lies within the file (POSIX.1-2017 pax, GNU tar)."""

from __future__ import annotations

import codecs
import re
from collections.abc import Iterator
from typing import BinaryIO

from msgspec import Struct, field

from diagnose.collectors.artefact.facts import FACTS, damage, extent
from diagnose.collectors.artefact.reading import Cursor, CutError, ImplausibleError
from diagnose.evidence import Fact

_BLOCK_BYTES = 512
_MEMBER_LIMIT = 200_000
_NAME_BYTES, _NAMES_SHOWN = 100, 8
_PAX_LIMIT_BYTES = 1 << 20
"""Go's archive/tar, which container engines use, refuses a longer one (maxSpecialFileSize)."""

_WITHOUT_DATA = frozenset(b"123456")
"""Type flags of links, devices, directories and pipes: a size there counts for nothing."""

_SPARSE = ord("S")
_SPARSE_CONTINUES_AT, _SPARSE_BLOCK_CONTINUES_AT = 482, 504
_PAX = ord("x")
_PAX_TYPES = frozenset(b"xg")
_EXTENSIONS = frozenset(b"xLK")
"""Type flags of headers that only say more on the member behind them."""

_PAX_RECORD = re.compile(rb"(\d{1,10}) ([^=\n]+)=")


class _Header(Struct, frozen=True):
    type: int
    size_bytes: int
    sparse_continues: bool


def read_tar(file: BinaryIO, size_bytes: int) -> Iterator[Fact]:
    """Facts of an uncompressed tar archive."""
    cursor = Cursor(file, size_bytes)
    walk = _Walk()
    needed = size_bytes
    try:
        while walk.members < _MEMBER_LIMIT and cursor.at < size_bytes and _read_member(cursor, walk):
            pass
        if walk.members >= _MEMBER_LIMIT:
            yield FACTS.not_checked("artefact.truncated", f"more than {_MEMBER_LIMIT} members")
            return
        if walk.awaits_member and cursor.at >= size_bytes:
            needed = size_bytes + _BLOCK_BYTES
    except CutError as cut:
        needed = cut.end_bytes
    except ImplausibleError as error:
        yield damage(error.kind, error.at)
    yield FACTS.known("artefact.member_count", walk.members)
    if walk.unmarked_names:
        yield FACTS.known("artefact.unmarked_names", walk.unmarked_names)
    if walk.sparse_members:
        yield FACTS.known("artefact.sparse_members", walk.sparse_members)
    yield from extent(size_bytes, needed)


class _Walk(Struct):
    """`override` is the size that a pax header gave the next member; `awaits_member` whether one must follow."""

    members: int = 0
    override: int | None = None
    awaits_member: bool = False
    sparse_members: int = 0
    unmarked_names: list[str] = field(default_factory=list)


def _read_member(cursor: Cursor, walk: _Walk) -> bool:
    """Go behind one header and its data; False at the end marker."""
    at = cursor.at
    block = cursor.read(_BLOCK_BYTES)
    if not block.strip(b"\0"):
        walk.awaits_member = False
        return False
    header = _read_header(block, at)
    size = header.size_bytes if walk.override is None else walk.override
    data_bytes = 0 if header.type in _WITHOUT_DATA else size
    stated = _pax_size(cursor, data_bytes) if header.type in _PAX_TYPES else None
    walk.override = stated if header.type == _PAX else None
    walk.awaits_member = header.type in _EXTENSIONS
    walk.members += not walk.awaits_member
    walk.sparse_members += header.type == _SPARSE
    _note_name(walk, block)
    _skip_sparse_map(cursor, header)
    cursor.skip(data_bytes)
    cursor.skip(min(-data_bytes % _BLOCK_BYTES, cursor.size_bytes - cursor.at))
    return True


def _note_name(walk: _Walk, block: bytes) -> None:
    """Keep the first names that are not UTF-8, which pax and all newer tars want (POSIX.1-2017, pax, "hdrcharset")."""
    name = block[:_NAME_BYTES].partition(b"\0")[0]
    if len(walk.unmarked_names) >= _NAMES_SHOWN or name.isascii():
        return
    try:
        codecs.getincrementaldecoder("utf-8")().decode(name, final=len(name) < _NAME_BYTES)
    except UnicodeDecodeError:
        walk.unmarked_names.append(name.decode("utf-8", "backslashreplace"))


def _read_header(block: bytes, at: int) -> _Header:
    """Raises ImplausibleError where the checksum or the size is none. Old tars summed signed characters."""
    checksum = _number(block[148:156])
    unsigned = sum(block) - sum(block[148:156]) + 8 * 32
    if checksum != unsigned and checksum != unsigned - 256 * sum(byte > 127 for byte in block[:148] + block[156:]):
        raise ImplausibleError("bad-checksum", at)
    size = _number(block[124:136])
    if size is None or size < 0:
        raise ImplausibleError("bad-header", at)
    return _Header(block[156], size, block[156] == _SPARSE and block[_SPARSE_CONTINUES_AT] != 0)


def _number(raw: bytes) -> int | None:
    """Octal digits, or GNU's base 256 where the first bit is set. None for neither."""
    if raw[0] & 0x80:
        return int.from_bytes(bytes([raw[0] & 0x7F]) + raw[1:], "big") if not raw[0] & 0x40 else -1
    digits = raw.partition(b"\0")[0].strip()
    if not digits:
        return 0
    return int(digits, 8) if re.fullmatch(rb"[0-7]+", digits) else None


def _pax_size(cursor: Cursor, data_bytes: int) -> int | None:
    """The size that a pax header gives to the member behind it. Raises ImplausibleError where its records are none."""
    if data_bytes > _PAX_LIMIT_BYTES:
        raise ImplausibleError("pax-header-too-large", cursor.at, f"{data_bytes} bytes")
    body = cursor.peek(data_bytes)
    at, size = 0, None
    while at < len(body):
        record = _PAX_RECORD.match(body, at)
        length = int(record[1]) if record else 0
        if record is None or length < record.end() - at + 1 or body[at + length - 1 : at + length] != b"\n":
            raise ImplausibleError("bad-pax-header", cursor.at + at)
        value = body[record.end() : at + length - 1]
        if record[2] == b"size" and value.isdigit() and len(value) < 20:
            size = int(value)
        at += length
    return size


def _skip_sparse_map(cursor: Cursor, header: _Header) -> None:
    """GNU's old sparse format goes on in blocks of its own while a flag says so."""
    continues = header.sparse_continues
    while continues:
        continues = cursor.read(_BLOCK_BYTES)[_SPARSE_BLOCK_CONTINUES_AT] != 0
