"""What to look for in a pass: worked out once, kept in the cache with the rules."""

from __future__ import annotations

from collections.abc import Collection, Sequence

from msgspec import Struct


class Search(Struct, frozen=True):
    """Rare literals, the patterns that need each, and the patterns (by index) that have no rare literal."""

    literals: list[bytes] = []
    owners: list[list[int]] = []
    without: list[int] = []


def search_for(wanted: Collection[int], literals: Sequence[Sequence[bytes]]) -> Search:
    """The search for the patterns of these indices, whose literals are given by index."""
    from diagnose.patterns.literals import are_rare

    owners: dict[bytes, list[int]] = {}
    without: list[int] = []
    for pattern in sorted(wanted):
        if not are_rare(literals[pattern]):
            without.append(pattern)
            continue
        for literal in literals[pattern]:
            owners.setdefault(literal, []).append(pattern)
    return Search(list(owners), list(owners.values()), without)
