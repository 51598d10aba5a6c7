"""What to look for in a pass: worked out once, kept in the cache with the rules."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Sequence

from msgspec import Struct

PART_BYTES = 12
"""Of a longer literal the rarest part is looked for: automata tell literals apart by their last bytes, and common ones
there cost a second look at each place."""

END_BYTES = 4


class Search(Struct, frozen=True):
    """Rare literals, the patterns that need each, and the patterns (by index) that have no rare literal."""

    literals: list[bytes] = []
    owners: list[list[int]] = []
    without: list[int] = []


def search_for(wanted: Collection[int], literals: Sequence[Sequence[bytes]]) -> Search:
    """The search for the patterns of these indices, whose literals are given by index."""
    from diagnose.patterns.literals import are_rare

    commonness = _commonness(literal for each in literals for literal in each)
    owners: dict[bytes, list[int]] = {}
    without: list[int] = []
    for pattern in sorted(wanted):
        if not are_rare(literals[pattern]):
            without.append(pattern)
            continue
        for part in {_rarest_part(literal, commonness): None for literal in literals[pattern]}:
            owners.setdefault(part, []).append(pattern)
    return Search(list(owners), list(owners.values()), without)


def _commonness(texts: Iterable[bytes]) -> Callable[[bytes], float]:
    """How common a string is in texts like these, as a logarithm: by its trigrams, those at its end counted thrice."""
    counts: Counter[bytes] = Counter()
    for text in texts:
        counts.update(text[at : at + 3] for at in range(len(text) - 2))
    total = counts.total() + 1

    def commonness(part: bytes) -> float:
        last = len(part) - 2
        weights = {at: 3 if at + END_BYTES >= len(part) else 1 for at in range(last)}
        return sum(weight * math.log((counts[part[at : at + 3]] + 0.5) / total) for at, weight in weights.items())

    return commonness


def _rarest_part(literal: bytes, commonness: Callable[[bytes], float]) -> bytes:
    parts = [literal[at : at + PART_BYTES] for at in range(max(1, len(literal) - PART_BYTES + 1))]
    return min(parts, key=commonness)
