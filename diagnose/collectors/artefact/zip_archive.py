"""ZIP, and what is one: torch.save's files, .npz, .keras (APPNOTE.TXT 4.3; PyTorch inline_container.cc)."""

from __future__ import annotations

import struct
import zlib
from collections import Counter
from collections.abc import Iterator
from typing import BinaryIO

from msgspec import Struct

from diagnose.collectors.artefact.facts import FACTS, damage
from diagnose.collectors.artefact.npy import holds_objects
from diagnose.collectors.artefact.pickle_stream import global_facts, walk_pickle
from diagnose.collectors.artefact.reading import Cursor, CutError
from diagnose.evidence import Fact

_END, _END64, _LOCATOR64, _CENTRAL, _LOCAL = b"PK\5\6", b"PK\6\6", b"PK\6\7", b"PK\1\2", b"PK\3\4"
_END_BYTES, _CENTRAL_BYTES, _LOCAL_BYTES = 22, 46, 30
_COMMENT_LIMIT = 0xFFFF
_MEMBER_LIMIT = 200_000
_CHECKED_BYTES = 32 << 20
"""CRCs are checked of so many bytes of members altogether, the first ones first."""

_METHODS = {0: "stored", 8: "deflate", 9: "deflate64", 12: "bzip2", 14: "lzma", 93: "zstd", 95: "xz", 99: "aes"}
_ENCRYPTED_FLAG, _UTF_8_FLAG = 1, 1 << 11
_DISK_IN_ZIP64 = 0xFFFF
_NAMES_SHOWN = 8
_ARRAYS_SEARCHED = 1000
_ARRAY_START_BYTES = 1024


class _Directory(Struct, frozen=True):
    """Where the central directory is by the end record; `shift` is how far all offsets are off (bytes in front), `disk`
    the number of this part of a zip of several files."""

    end_at: int
    after_end: int
    start: int
    size: int
    count: int
    shift: int
    disk: int


class _Member(Struct, frozen=True):
    name: bytes
    extra: bytes
    flags: int
    method: int
    crc: int
    packed: int
    unpacked: int
    at: int


def read_zip(file: BinaryIO, size_bytes: int) -> Iterator[Fact]:
    """Facts of a zip file; of its data.pkl too, if PyTorch wrote it."""
    cursor = Cursor(file, size_bytes)
    directory = _find_directory(cursor)
    if directory is None:
        yield damage("no-central-directory", size_bytes)
        yield FACTS.known("artefact.truncated", True, f"byte {size_bytes}")
        return
    yield FACTS.known("artefact.truncated", directory.shift < 0 and not directory.disk, f"byte {directory.end_at}")
    if directory.disk:
        yield FACTS.known("artefact.disk_number", directory.disk, f"byte {directory.end_at}")
        return
    if directory.shift < 0:
        yield FACTS.known("artefact.missing_bytes", -directory.shift, f"byte {directory.end_at}")
        return
    if directory.after_end < size_bytes:
        yield FACTS.known("artefact.surplus_bytes", size_bytes - directory.after_end, f"byte {directory.after_end}")
    if directory.shift > 0:
        yield FACTS.known("artefact.leading_bytes", directory.shift, "byte 0")
    members: list[_Member] = []
    yield from _walk_directory(cursor, directory, members)
    yield FACTS.known("artefact.member_count", len(members))
    yield FACTS.known("artefact.encrypted", any(member.flags & _ENCRYPTED_FLAG for member in members))
    yield FACTS.known("artefact.compression_methods", sorted({_method(member) for member in members}))
    yield from _name_facts(members)
    yield from _member_damage(cursor, members, directory)
    yield from _pickle_facts(cursor, members)
    yield from _array_facts(cursor, members)


def _find_directory(cursor: Cursor) -> _Directory | None:
    """The end record nearest to the end of the file whose comment fits (4.3.16), with its zip64 form (4.3.14)."""
    span = min(cursor.size_bytes, _END_BYTES + _COMMENT_LIMIT)
    base = cursor.size_bytes - span
    tail = cursor.peek(span, base)
    found = tail.rfind(_END)
    while found >= 0 and found + _END_BYTES > span:
        found = tail.rfind(_END, 0, found)
    if found < 0:
        return None
    (disk,) = struct.unpack_from("<H", tail, found + 4)
    count, size, start, comment = struct.unpack_from("<HIIH", tail, found + 10)
    end_at = directory_end = base + found
    wide = _find_zip64(cursor, end_at)
    if wide:
        directory_end, count, size, start = wide
    shift = directory_end - size - start
    return _Directory(end_at, end_at + _END_BYTES + comment, start, size, count, shift, disk % _DISK_IN_ZIP64)


def _find_zip64(cursor: Cursor, end_at: int) -> tuple[int, int, int, int] | None:
    """Where the zip64 end record is, the number of members, size and start of the directory."""
    locator_at = end_at - 20
    if locator_at < 56 or cursor.peek(4, locator_at) != _LOCATOR64:
        return None
    stated = int.from_bytes(cursor.peek(8, locator_at + 8), "little")
    for at in (stated, locator_at - 56):
        if 0 <= at <= locator_at - 56 and cursor.peek(4, at) == _END64:
            count, size, start = struct.unpack("<QQQ", cursor.peek(24, at + 32))
            return at, count, size, start
    return None


def _walk_directory(cursor: Cursor, directory: _Directory, members: list[_Member]) -> Iterator[Fact]:
    at = directory.start + directory.shift
    for _ in range(min(directory.count, _MEMBER_LIMIT)):
        try:
            header = cursor.peek(_CENTRAL_BYTES, at)
            if header[:4] != _CENTRAL or at >= directory.end_at:
                yield damage("bad-central-directory", at, f"after {len(members)} of {directory.count} members")
                return
            name_bytes, extra_bytes, comment_bytes = struct.unpack_from("<HHH", header, 28)
            variable = cursor.peek(name_bytes + extra_bytes, at + _CENTRAL_BYTES)
        except CutError:
            yield damage("bad-central-directory", at, f"after {len(members)} of {directory.count} members")
            return
        members.append(_read_member(header, variable[:name_bytes], variable[name_bytes:], directory.shift))
        at += _CENTRAL_BYTES + name_bytes + extra_bytes + comment_bytes
    if directory.count > _MEMBER_LIMIT:
        yield FACTS.not_checked("artefact.damage", f"more than {_MEMBER_LIMIT} members")
    elif at != directory.start + directory.shift + directory.size:
        yield damage("bad-central-directory", at, "its size is not that of its members")


def _read_member(header: bytes, name: bytes, extra: bytes, shift: int) -> _Member:
    flags, method = struct.unpack_from("<HH", header, 8)
    crc, packed, unpacked = struct.unpack_from("<III", header, 16)
    (at,) = struct.unpack_from("<I", header, 42)
    wide = iter(_zip64_values(extra))
    unpacked = next(wide, unpacked) if unpacked == 0xFFFFFFFF else unpacked
    packed = next(wide, packed) if packed == 0xFFFFFFFF else packed
    at = next(wide, at) if at == 0xFFFFFFFF else at
    return _Member(name, extra, flags, method, crc, packed, unpacked, at + shift)


def _zip64_values(extra: bytes) -> Iterator[int]:
    """The 64-bit numbers of the extra field 1 (4.5.3)."""
    at = 0
    while at + 4 <= len(extra):
        kind, size = struct.unpack_from("<HH", extra, at)
        if kind == 1:
            yield from (int.from_bytes(extra[i : i + 8], "little") for i in range(at + 4, at + 4 + size - 7, 8))
        at += 4 + size


def _method(member: _Member) -> str:
    return _METHODS.get(member.method, str(member.method))


def _name_facts(members: list[_Member]) -> Iterator[Fact]:
    """Names for which no encoding is stated (4.4.4, bit 11; appendix D): readers guess, such as code page 437."""
    unmarked = [member.name for member in members if not member.name.isascii() and not member.flags & _UTF_8_FLAG]
    if unmarked:
        shown = [name.decode("utf-8", "backslashreplace") for name in unmarked[:_NAMES_SHOWN]]
        yield FACTS.known("artefact.unmarked_names", shown, "", f"{len(unmarked)} of {len(members)} names")


def _member_damage(cursor: Cursor, members: list[_Member], directory: _Directory) -> Iterator[Fact]:
    """The first thing that is wrong with each member's own header and data; one of each kind is enough."""
    seen: set[str] = set()
    budget = _CHECKED_BYTES
    previous_end = 0
    for member in sorted(members, key=lambda entry: entry.at):
        start, kind = _check_local_header(cursor, member, directory)
        if not kind and member.at < previous_end:
            kind = "overlap"
        if not kind and max(member.packed, member.unpacked) <= budget and not member.flags & _ENCRYPTED_FLAG:
            budget -= max(member.packed, member.unpacked)
            kind = _check_data(cursor.peek(member.packed, start), member)
        previous_end = max(previous_end, start + member.packed)
        if kind and kind not in seen:
            seen.add(kind)
            yield damage(kind, member.at, member.name.decode("utf-8", "replace"))
    repeated = [name for name, count in Counter(member.name for member in members).items() if count > 1]
    if repeated:
        yield damage("duplicate-name", directory.start, repeated[0].decode("utf-8", "replace"))


def _check_local_header(cursor: Cursor, member: _Member, directory: _Directory) -> tuple[int, str]:
    """Where the member's data begins, and the kind of damage if its local header is not what the directory says."""
    if member.at < 0 or member.at + _LOCAL_BYTES > directory.end_at:
        return member.at, "bad-offset"
    header = cursor.peek(_LOCAL_BYTES, member.at)
    name_bytes, extra_bytes = struct.unpack_from("<HH", header, 26)
    start = member.at + _LOCAL_BYTES + name_bytes + extra_bytes
    if header[:4] != _LOCAL or start + member.packed > directory.start + directory.shift:
        return start, "bad-offset"
    flags, method = struct.unpack_from("<HH", header, 6)
    same_name = cursor.peek(name_bytes, member.at + _LOCAL_BYTES) == member.name
    if not same_name or method != member.method or (flags ^ member.flags) & _ENCRYPTED_FLAG:
        return start, "headers-disagree"
    stated = struct.unpack_from("<III", header, 14)
    real = (member.crc, member.packed, member.unpacked)
    if not flags & 8 and any(a not in (b, 0xFFFFFFFF) for a, b in zip(stated, real, strict=True)):
        return start, "headers-disagree"
    extra = cursor.peek(extra_bytes, start - extra_bytes)
    return start, "" if _is_sound_extra(extra) and _is_sound_extra(member.extra) else "bad-extra-field"


def _is_sound_extra(extra: bytes) -> bool:
    """No field is longer than what is left (4.5.1); up to three bytes of padding, as zipalign leaves, are borne."""
    at = 0
    while at + 4 <= len(extra):
        at += 4 + int.from_bytes(extra[at + 2 : at + 4], "little")
    return at <= len(extra)


def _check_data(packed: bytes, member: _Member) -> str:
    if member.method == 0:
        data = packed
    elif member.method == 8:
        decompressor = zlib.decompressobj(-15)
        try:
            data = decompressor.decompress(packed, member.unpacked + 1)
        except zlib.error:
            return "bad-data"
    else:
        return ""
    if len(data) != member.unpacked:
        return "bad-size"
    return "" if zlib.crc32(data) == member.crc else "bad-crc"


def _pickle_facts(cursor: Cursor, members: list[_Member]) -> Iterator[Fact]:
    for member in members:
        if member.name.endswith(b"/data.pkl") and member.method == 0 and member.at >= 0:
            start = _data_start(cursor, member)
            end = min(start + member.packed, cursor.size_bytes)
            yield from global_facts(walk_pickle(Cursor(cursor.file, end, min(start, end))))
            return


def _array_facts(cursor: Cursor, members: list[_Member]) -> Iterator[Fact]:
    """Whether one of an .npz file's arrays holds pickled objects."""
    for member in members[:_ARRAYS_SEARCHED]:
        if member.name.endswith(b".npy") and holds_objects(_start_of(cursor, member)):
            yield FACTS.known(
                "artefact.object_array", True, f"byte {member.at}", member.name.decode("utf-8", "replace")
            )
            return


def _start_of(cursor: Cursor, member: _Member) -> bytes:
    """The first bytes of a member's content, none where they cannot be had."""
    if member.at < 0 or member.at + _LOCAL_BYTES > cursor.size_bytes or member.flags & _ENCRYPTED_FLAG:
        return b""
    start = _data_start(cursor, member)
    packed = cursor.peek(max(0, min(member.packed, _ARRAY_START_BYTES, cursor.size_bytes - start)), start)
    if member.method == 0:
        return packed
    try:
        return zlib.decompressobj(-15).decompress(packed, _ARRAY_START_BYTES) if member.method == 8 else b""
    except zlib.error:
        return b""


def _data_start(cursor: Cursor, member: _Member) -> int:
    name_bytes, extra_bytes = struct.unpack("<HH", cursor.peek(4, member.at + 26))
    return member.at + _LOCAL_BYTES + int(name_bytes) + int(extra_bytes)
