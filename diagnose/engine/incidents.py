"""Which hits in a log belong together: an incident is one episode of failure."""

from __future__ import annotations

from msgspec import Struct

from diagnose.engine.lines import Lines
from diagnose.engine.rule import RuleSet
from diagnose.evidence import Evidence, Hit

JOIN_LINES = 40
"""Hits of triggers that are no further apart than this are one incident: longer than a chained traceback's frames."""

LINES_BEFORE = 400
LINES_AFTER = 60
"""How far around an incident other lines count as its evidence."""


class Incident(Struct, frozen=True, eq=False):
    """The lines of one episode, and what can be found in and around it."""

    first_line: int
    last_line: int
    lines: Lines

    def holds(self, hit: Hit) -> bool:
        return self.first_line <= hit.line <= self.last_line


def incidents(rules: RuleSet, evidence: Evidence) -> list[Incident]:
    """The incidents of a log in the order of their first lines."""
    spans: list[tuple[int, int]] = []
    for hit in evidence.hits:
        if hit.pattern not in rules.by_pattern:
            continue
        if spans and hit.line - spans[-1][1] <= JOIN_LINES:
            spans[-1] = (spans[-1][0], max(spans[-1][1], hit.line))
        else:
            spans.append((hit.line, hit.line))
    return [
        Incident(first, last, Lines(rules, evidence, first - LINES_BEFORE, last + LINES_AFTER)) for first, last in spans
    ]
