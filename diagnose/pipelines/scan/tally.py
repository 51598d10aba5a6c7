"""Counting what a scan finds, in memory that does not grow with it: totals, and a few examples of each group."""

from __future__ import annotations

import bisect
from collections.abc import Sequence

from msgspec import Struct

from diagnose.diagnosis import Diagnosis, Group, NotChecked, Severity, Summary
from diagnose.pipelines.scan.verdict import Verdict, diagnosis_of

EXAMPLES_KEPT = 5
NOT_CHECKED_KEPT = 5


class _Members(Struct):
    severity: Severity
    count: int
    examples: list[tuple[str, Verdict]]


class Tally:
    """Takes results in any order; what it tells depends only on what they are."""

    def __init__(self) -> None:
        self.summary = Summary()
        self.findings = 0
        self._groups: dict[tuple[str, str], _Members] = {}
        self._not_checked: list[tuple[str, str]] = []

    def add_sound(self, files: int) -> None:
        """So many files on which there is nothing to tell."""
        self.summary.scanned += files

    def add(self, path: str, verdicts: Sequence[Verdict]) -> None:
        """A file and its verdicts. It counts once, by the worst."""
        self.summary.scanned += 1
        self.findings += len(verdicts)
        worst = max((verdict.severity for verdict in verdicts), key=_rank, default=None)
        self.summary.errors += worst is Severity.ERROR
        self.summary.warnings += worst is Severity.WARNING
        self.summary.notes += worst is Severity.NOTE
        for verdict in verdicts:
            self._group(path, verdict)

    def add_not_checked(self, item: NotChecked) -> None:
        """Something that could not be looked at."""
        self.summary.not_checked += 1
        _keep(self._not_checked, (item.what, item.reason), NOT_CHECKED_KEPT)

    def groups(self) -> list[Group]:
        """The diagnoses of each rule and likeliest cause together, the worst and most frequent first."""
        found = [
            Group(rule, cause, members.severity, members.count, [path for path, _ in members.examples])
            for (rule, cause), members in self._groups.items()
        ]
        return sorted(found, key=lambda group: (-group.severity.rank, -group.count, group.rule, group.cause))

    def examples(self) -> list[Diagnosis]:
        """The diagnoses of each group's examples, in the order of the groups."""
        return [
            diagnosis_of(verdict, path)
            for group in self.groups()
            for path, verdict in self._groups[group.rule, group.cause].examples
        ]

    def not_checked(self) -> list[NotChecked]:
        """The first few by name of what could not be looked at."""
        return [NotChecked(what, reason) for what, reason in self._not_checked]

    def _group(self, path: str, verdict: Verdict) -> None:
        members = self._groups.get((verdict.rule, verdict.cause))
        if members is None:
            members = self._groups[verdict.rule, verdict.cause] = _Members(verdict.severity, 0, [])
        members.count += 1
        kept = members.examples
        if len(kept) < EXAMPLES_KEPT or path < kept[-1][0]:
            bisect.insort(kept, (path, verdict), key=_path)
            del kept[EXAMPLES_KEPT:]


def _keep(kept: list[tuple[str, str]], item: tuple[str, str], limit: int) -> None:
    if len(kept) < limit or item < kept[-1]:
        bisect.insort(kept, item)
        del kept[limit:]


def _path(example: tuple[str, Verdict]) -> str:
    return example[0]


def _rank(severity: Severity) -> int:
    return severity.rank
