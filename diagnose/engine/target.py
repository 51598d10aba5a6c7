"""A target: what one consumer of files (a decoder, a library, a device) cannot read, as limits with their sources."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import overload

from msgspec import Struct
from msgspec.structs import replace

from diagnose.engine.rule import Condition, Example, FactCondition, Rule, RuleSet, Text, raising_conditions

PREFIX = "target"


class Limit(Struct, frozen=True):
    """One thing that the consumer cannot do. `rule` is what is raised on a file that asks for it.

    `since` is the first version that has the limit, `until` the first one without it; empty where unknown.
    """

    id: str
    title: Text
    happens: Text
    since: str
    until: str
    sources: list[str]
    examples: list[Example]
    rule: Rule


class Target(Struct, frozen=True):
    """A consumer: `title` is how diagnoses name it, `summary` says what it is and what the limits hold for."""

    name: str
    aliases: list[str]
    title: Text
    summary: Text
    sources: list[str]
    limits: list[Limit]
    file: str
    line: int


def with_targets(rules: RuleSet, targets: Iterable[Target]) -> RuleSet:
    """The rule set with the limits of these targets as further rules. They look at facts only, never at lines."""
    limits = [limit.rule for target in targets for limit in target.limits]
    by_fact = {name: list(indices) for name, indices in rules.by_fact.items()}
    for index, rule in enumerate(limits, len(rules.rules)):
        for name in raising_facts(rule.match):
            by_fact.setdefault(name, []).append(index)
    return replace(rules, rules=_Chained(rules.rules, limits), by_fact=by_fact)


def raising_facts(match: Condition) -> set[str]:
    """Names of facts of which one is there wherever the condition holds; none where it can hold of nothing."""
    return {one.name for one in raising_conditions(match, ()) if isinstance(one, FactCondition)}


class _Chained(Sequence[Rule]):
    """Two sequences one after the other, the first of which is decoded piece by piece and must not be copied."""

    def __init__(self, first: Sequence[Rule], second: Sequence[Rule]) -> None:
        self._first, self._second = first, second

    def __len__(self) -> int:
        return len(self._first) + len(self._second)

    @overload
    def __getitem__(self, index: int) -> Rule: ...
    @overload
    def __getitem__(self, index: slice) -> list[Rule]: ...
    def __getitem__(self, index: int | slice) -> Rule | list[Rule]:
        if isinstance(index, slice):
            return [self[position] for position in range(len(self))[index]]
        if index < 0:
            index += len(self)
        count = len(self._first)
        return self._first[index] if index < count else self._second[index - count]
