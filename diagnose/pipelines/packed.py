"""A rule set as it lies in the cache and in a wheel: each rule is decoded when it is first used, for most never.

A payload is a digest, the length of the index, the index (MessagePack), and behind it one MessagePack value for each
rule and then for each pattern's literals.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import accumulate
from typing import TYPE_CHECKING, Generic, TypeVar, overload

import msgspec

from diagnose.engine.rule import Extraction, Rule, RuleSet
from diagnose.patterns.search import Search

if TYPE_CHECKING:
    from mmap import mmap

DIGEST_BYTES = 32
LENGTH_BYTES = 4

Item = TypeVar("Item")


class _Index(msgspec.Struct, frozen=True):
    extractions: list[Extraction]
    patterns: list[str]
    files: list[str]
    by_pattern: dict[int, list[int]]
    by_fact: dict[str, list[int]]
    scan: Search
    kept: Search
    rule_ends: list[int]
    literal_ends: list[int]


class PackedItems(Sequence[Item], Generic[Item]):
    """Values that are decoded one by one, `ends` being where each ends. Raises msgspec.ValidationError in use."""

    def __init__(self, packed: memoryview, start: int, ends: list[int], decoder: msgspec.msgpack.Decoder[Item]) -> None:
        self._packed, self._start, self._ends, self._decode = packed, start, ends, decoder.decode
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
            start = self._ends[index - 1] if index else self._start
            item = self._decoded[index] = self._decode(self._packed[start : self._ends[index]])
        return item

    def __iter__(self) -> Iterator[Item]:
        return (self[index] for index in range(len(self)))


def pack(rules: RuleSet) -> bytes:
    """The rule set for `unpack`, behind a digest of it that serves as its identity."""
    import hashlib

    encode = msgspec.msgpack.encode
    rule_values, literal_values = [encode(rule) for rule in rules.rules], [encode(each) for each in rules.literals]
    rule_ends = list(accumulate(map(len, rule_values)))
    literal_ends = list(accumulate(map(len, literal_values), initial=rule_ends[-1] if rule_ends else 0))[1:]
    index = encode(
        _Index(
            rules.extractions,
            rules.patterns,
            rules.files,
            rules.by_pattern,
            rules.by_fact,
            rules.scan,
            rules.kept,
            rule_ends,
            literal_ends,
        )
    )
    body = b"".join([len(index).to_bytes(LENGTH_BYTES, "little"), index, *rule_values, *literal_values])
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
    values = whole[start + length :]
    rules = PackedItems(values, 0, index.rule_ends, msgspec.msgpack.Decoder(Rule))
    first = index.rule_ends[-1] if index.rule_ends else 0
    literals = PackedItems(values, first, index.literal_ends, msgspec.msgpack.Decoder(list[bytes]))
    return RuleSet(
        rules,
        index.extractions,
        index.patterns,
        index.files,
        index.by_pattern,
        index.by_fact,
        literals,
        index.scan,
        index.kept,
    )
