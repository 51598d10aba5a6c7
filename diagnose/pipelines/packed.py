"""A rule set as it lies in the cache and in a wheel: each rule is decoded when it is first used, for most never.

A payload is a digest, the length of the index, the index (MessagePack), and behind it one MessagePack value for each
rule, for each pattern, and for each pattern's literals.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import accumulate, chain
from typing import TYPE_CHECKING, Generic, TypeVar, overload

import msgspec

from diagnose.engine.rule import Extraction, Rule, RuleSet
from diagnose.patterns.search import Search

if TYPE_CHECKING:
    from mmap import mmap

DIGEST_BYTES = 32
LENGTH_BYTES = 4

Item = TypeVar("Item")
_encode = msgspec.msgpack.encode


class _Index(msgspec.Struct, frozen=True, array_like=True):
    extractions: list[Extraction]
    files: list[str]
    by_pattern: dict[int, list[int]]
    by_fact: dict[str, list[int]]
    scan: Search
    kept: Search
    ends: list[list[int]]
    """Of rules, patterns and their literals, each counted from where its kind begins."""


class PackedItems(Sequence[Item], Generic[Item]):
    """Values that are decoded one by one, `ends` being where each ends. Raises msgspec.ValidationError in use."""

    def __init__(self, packed: memoryview, ends: list[int], decoder: msgspec.msgpack.Decoder[Item]) -> None:
        self._packed, self._ends, self._decode = packed, ends, decoder.decode
        self._decoded: dict[int, Item] = {}

    def __len__(self) -> int:
        return len(self._ends)

    @overload
    def __getitem__(self, index: int) -> Item: ...
    @overload
    def __getitem__(self, index: slice) -> list[Item]: ...
    def __getitem__(self, index: int | slice) -> Item | list[Item]:
        if isinstance(index, slice):
            return [self[position] for position in range(len(self))[index]]
        item = self._decoded.get(index)
        if item is None:
            index = range(len(self))[index]
            start = self._ends[index - 1] if index else 0
            item = self._decoded[index] = self._decode(self._packed[start : self._ends[index]])
        return item

    def __iter__(self) -> Iterator[Item]:
        return (self[index] for index in range(len(self)))


def pack(rules: RuleSet) -> bytes:
    """The rule set for `unpack`, behind a digest of it that serves as its identity."""
    import hashlib

    kinds = [[_encode(item) for item in items] for items in (rules.rules, rules.patterns, rules.literals)]
    ends = [list(accumulate(map(len, values))) for values in kinds]
    index = _encode(
        _Index(rules.extractions, rules.files, rules.by_pattern, rules.by_fact, rules.scan, rules.kept, ends)
    )
    body = b"".join([len(index).to_bytes(LENGTH_BYTES, "little"), index, *chain(*kinds)])
    return hashlib.sha256(body).digest() + body


def identity(payload: bytes | mmap) -> bytes:
    """What tells one packed rule set from another."""
    return bytes(memoryview(payload)[:DIGEST_BYTES])


def unpack(payload: bytes | mmap) -> RuleSet:
    """The rule set that was packed. Raises msgspec.DecodeError or ValidationError where the payload is none."""
    whole = memoryview(payload)
    start = DIGEST_BYTES + LENGTH_BYTES
    length = int.from_bytes(whole[DIGEST_BYTES:start], "little")
    index = msgspec.msgpack.decode(whole[start : start + length], type=_Index)
    rules, patterns, literals = _kinds(whole[start + length :], index.ends)
    return RuleSet(
        PackedItems(*rules, msgspec.msgpack.Decoder(Rule)),
        index.extractions,
        PackedItems(*patterns, msgspec.msgpack.Decoder(str)),
        index.files,
        index.by_pattern,
        index.by_fact,
        PackedItems(*literals, msgspec.msgpack.Decoder(list[bytes])),
        index.scan,
        index.kept,
    )


def _kinds(values: memoryview, ends: list[list[int]]) -> Iterator[tuple[memoryview, list[int]]]:
    """Each kind's part of the values, with the ends in it."""
    start = 0
    for each in ends:
        length = each[-1] if each else 0
        yield values[start : start + length], each
        start += length
