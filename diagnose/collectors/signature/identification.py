"""Identifying a format by content: fixed bytes first, then what containers hold, structure, and text."""

from __future__ import annotations

from msgspec import Struct

from diagnose.collectors.signature.containers import refine
from diagnose.collectors.signature.heuristics import (
    PICKLE_FIRST_BYTES,
    identify_by_structure,
    identify_by_tail,
    identify_text_pickle,
)
from diagnose.collectors.signature.magics import BY_KIND, REFINED_KINDS, Magic
from diagnose.collectors.signature.textual import identify_text
from diagnose.collectors.signature.verification import CHECKS


class Signature(Struct, frozen=True):
    """A format, its kind (image, model, media, archive, text, document, executable, other, unknown) and its variant."""

    format: str
    kind: str
    detail: str = ""


def identify(head: bytes, size_bytes: int, tail: bytes = b"") -> Signature:
    """The format of a file of `size_bytes` that begins with `head` and ends with `tail`.

    `head` should have 4 KiB or more (all of a shorter file); formats that sign at their end need `tail`. Never raises.
    The format is `unknown` where nothing matches, `empty` for no bytes, `zeros` where all bytes given are zero.
    """
    if not head:
        return _EMPTY if size_bytes <= 0 else _UNKNOWN
    magic = _by_fixed_bytes(head, size_bytes)
    if magic:
        return _refined(magic, head, tail)
    if head[0] == 0 and not head.strip(b"\0") and not tail.strip(b"\0"):
        return _ZEROS
    if head[0] == 0xFF and len(head) >= _TELLING_FILL and not head.strip(b"\xff") and not tail.strip(b"\xff"):
        return _UNKNOWN
    found = _without_fixed_bytes(head, size_bytes, tail)
    return Signature(found[0], _KINDS[found[0]], found[1]) if found else _UNKNOWN


def _without_fixed_bytes(head: bytes, size_bytes: int, tail: bytes) -> tuple[str, str] | None:
    """Text first, since most such files are text; but the old pickles, which are text too, before it."""
    return (
        identify_by_tail(tail)
        or (identify_text_pickle(head, tail) if head[0] in PICKLE_FIRST_BYTES else None)
        or identify_text(head)
        or identify_by_structure(head, size_bytes, tail)
    )


def _by_fixed_bytes(head: bytes, size_bytes: int) -> Magic | None:
    for magic in _BY_FIRST_BYTE.get(head[0], ()):
        if head.startswith(magic.magic) and _confirmed(magic, head, size_bytes):
            return magic
    for offset, length, table in _BY_OFFSET:
        candidate = table.get(head[offset : offset + length])
        if candidate and _confirmed(candidate, head, size_bytes):
            return candidate
    return None


def _confirmed(magic: Magic, head: bytes, size_bytes: int) -> bool:
    for offset, more in magic.also:
        if not head.startswith(more, offset):
            return False
    check = CHECKS.get(magic.format)
    return check is None or check(head, size_bytes)


def _refined(magic: Magic, head: bytes, tail: bytes) -> Signature:
    refined = refine(magic.format, head, tail)
    if refined:
        return Signature(refined[0], _KINDS[refined[0]], refined[1])
    return _SIGNATURES[magic.format, magic.detail]


_TELLING_FILL = 64
"""So many FF bytes and nothing else are erased flash memory, not the synchronisation words of an audio stream."""

_EMPTY = Signature("empty", "other")
_ZEROS = Signature("zeros", "other")
_UNKNOWN = Signature("unknown", "unknown")

_KINDS = {magic.format: kind for kind, magics in BY_KIND.items() for magic in magics} | REFINED_KINDS
_SIGNATURES = {
    (magic.format, magic.detail): Signature(magic.format, kind, magic.detail)
    for kind, magics in BY_KIND.items()
    for magic in magics
}


def _index_by_first_byte() -> dict[int, tuple[Magic, ...]]:
    """Magics at offset 0 by their first byte, the most specific first."""
    index: dict[int, list[Magic]] = {}
    for magics in BY_KIND.values():
        for magic in magics:
            if magic.offset == 0:
                index.setdefault(magic.magic[0], []).append(magic)
    return {first: tuple(sorted(magics, key=_fixed_bytes, reverse=True)) for first, magics in index.items()}


def _fixed_bytes(magic: Magic) -> int:
    return len(magic.magic) + sum(len(more) for _, more in magic.also)


def _index_by_offset() -> tuple[tuple[int, int, dict[bytes, Magic]], ...]:
    """Magics elsewhere, as tables for each offset and length."""
    index: dict[tuple[int, int], dict[bytes, Magic]] = {}
    for magics in BY_KIND.values():
        for magic in magics:
            if magic.offset:
                index.setdefault((magic.offset, len(magic.magic)), {})[magic.magic] = magic
    return tuple((offset, length, table) for (offset, length), table in sorted(index.items()))


_BY_FIRST_BYTE = _index_by_first_byte()
_BY_OFFSET = _index_by_offset()
