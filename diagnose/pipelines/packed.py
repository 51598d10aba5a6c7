"""A rule set as it lies in the cache: each rule is decoded when it is first used, which for most is never."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import overload

import msgspec

from diagnose.engine.rule import Extraction, Rule, RuleSet
from diagnose.patterns.search import Search

DIGEST_BYTES = 32


class _Packed(msgspec.Struct, frozen=True):
    rules: list[msgspec.Raw]
    extractions: list[Extraction]
    patterns: list[str]
    files: list[str]
    by_pattern: dict[int, list[int]]
    by_fact: dict[str, list[int]]
    literals: list[msgspec.Raw]
    scan: Search
    kept: Search


class PackedRules(Sequence[Rule]):
    """Rules that are decoded one by one. Raises msgspec.ValidationError where one does not fit."""

    def __init__(self, raw: list[msgspec.Raw]) -> None:
        self._raw = raw
        self._decoder = msgspec.msgpack.Decoder(Rule)
        self._decoded: dict[int, Rule] = {}

    def __len__(self) -> int:
        return len(self._raw)

    @overload
    def __getitem__(self, index: int) -> Rule: ...
    @overload
    def __getitem__(self, index: slice) -> list[Rule]: ...
    def __getitem__(self, index: int | slice) -> Rule | list[Rule]:
        if isinstance(index, slice):
            return [self[position] for position in range(len(self))[index]]
        rule = self._decoded.get(index)
        if rule is None:
            rule = self._decoded[index] = self._decoder.decode(self._raw[index])
        return rule

    def __iter__(self) -> Iterator[Rule]:
        return (self[index] for index in range(len(self)))


class PackedLiterals(Sequence[list[bytes]]):
    """Literals of patterns, decoded one by one."""

    def __init__(self, raw: list[msgspec.Raw]) -> None:
        self._raw = raw
        self._decoder = msgspec.msgpack.Decoder(list[bytes])

    def __len__(self) -> int:
        return len(self._raw)

    @overload
    def __getitem__(self, index: int) -> list[bytes]: ...
    @overload
    def __getitem__(self, index: slice) -> list[list[bytes]]: ...
    def __getitem__(self, index: int | slice) -> list[bytes] | list[list[bytes]]:
        if isinstance(index, slice):
            return [self[position] for position in range(len(self))[index]]
        return self._decoder.decode(self._raw[index])


def pack(rules: RuleSet) -> bytes:
    """The rule set for `unpack`, behind a digest of it that serves as its identity."""
    import hashlib

    body = msgspec.msgpack.encode(rules)
    return hashlib.sha256(body).digest() + body


def identity(payload: bytes) -> bytes:
    """What tells one packed rule set from another."""
    return payload[:DIGEST_BYTES]


def unpack(payload: bytes) -> RuleSet:
    """The rule set that was packed. Raises msgspec.DecodeError or ValidationError where the payload is none."""
    packed = msgspec.msgpack.decode(memoryview(payload)[DIGEST_BYTES:], type=_Packed)
    return RuleSet(
        PackedRules(packed.rules),
        packed.extractions,
        packed.patterns,
        packed.files,
        packed.by_pattern,
        packed.by_fact,
        PackedLiterals(packed.literals),
        packed.scan,
        packed.kept,
    )
