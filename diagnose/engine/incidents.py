"""Which hits in a log belong together: an incident is one episode of failure."""

from __future__ import annotations

from collections.abc import Collection, Iterable

from msgspec import Struct

from diagnose.evidence import Hit

JOIN_LINES = 40
"""Hits of triggers that are no further apart than this are one incident: longer than a chained traceback's frames."""

LINES_BEFORE = 400
LINES_AFTER = 60
"""How far around an incident other lines count as its evidence."""


class Incident(Struct, frozen=True):
    """The lines of one episode, and the hits in and around it by pattern."""

    first_line: int
    last_line: int
    hits: dict[int, list[Hit]]

    def holds(self, hit: Hit) -> bool:
        return self.first_line <= hit.line <= self.last_line


def incidents(hits: Iterable[Hit], triggers: Collection[int]) -> list[Incident]:
    """The incidents of a log in the order of their first lines. `triggers` are the patterns that can raise a rule."""
    ordered = list(hits)
    spans: list[tuple[int, int]] = []
    for hit in ordered:
        if hit.pattern not in triggers:
            continue
        if spans and hit.line - spans[-1][1] <= JOIN_LINES:
            spans[-1] = (spans[-1][0], max(spans[-1][1], hit.line))
        else:
            spans.append((hit.line, hit.line))
    return [_incident(first, last, ordered) for first, last in spans]


def _incident(first: int, last: int, hits: list[Hit]) -> Incident:
    around: dict[int, list[Hit]] = {}
    for hit in hits:
        if first - LINES_BEFORE <= hit.line <= last + LINES_AFTER:
            around.setdefault(hit.pattern, []).append(hit)
    return Incident(first, last, around)
