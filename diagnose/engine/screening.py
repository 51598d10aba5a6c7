"""Which evidence cannot raise any rule: a quick and exact answer for the many files that are sound.

The judge tries each rule that names one of the evidence's facts, which for a sound picture is dozens. The screen
keeps for each rule a few of its conditions of which one must hold, found by name and value in one pass over the facts.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from diagnose.engine.evaluate import View, evaluate
from diagnose.engine.operators import MAX_TEXT
from diagnose.engine.rule import (
    AllCondition,
    AnyCondition,
    Condition,
    FactCondition,
    LogCondition,
    Rule,
    RuleSet,
)
from diagnose.evidence import Evidence, Fact

_COMMON = {"format": 1, "kind": 2}
"""How many files share a fact of this name."""


class Screen:
    """Made once for a rule set; good for evidence without lines of a log."""

    def __init__(self, rules: RuleSet) -> None:
        self._rules = rules.rules
        self._by_value: dict[str, dict[object, list[int]]] = {}
        self._by_presence: dict[str, list[int]] = {}
        self._by_condition: dict[str, list[tuple[FactCondition, int]]] = {}
        self._always: dict[str, list[int]] = {}
        by_rule: dict[int, list[str]] = {}
        for name, indices in rules.by_fact.items():
            for index in indices:
                by_rule.setdefault(index, []).append(name)
        for index, names in by_rule.items():
            self._enter(index, self._rules[index], names)

    def may_raise(self, evidence: Evidence) -> bool:
        """Whether the judge would raise any rule on this evidence."""
        view = View(evidence, None)
        tried: set[int] = set()
        for fact in evidence.facts:
            for index in self._candidates(fact, view):
                if index not in tried:
                    tried.add(index)
                    if evaluate(self._rules[index].match, view).holds:
                        return True
        return False

    def _enter(self, index: int, rule: Rule, names: Iterable[str]) -> None:
        required = _required(rule.match)
        if required is None:
            for name in names:
                self._always.setdefault(name, []).append(index)
            return
        for condition in required:
            keys = _keys(condition)
            for key in keys:
                self._by_value.setdefault(condition.name, {}).setdefault(key, []).append(index)
            if condition.operator in ("known", "absent"):
                self._by_presence.setdefault(condition.name, []).append(index)
            elif not keys:
                self._by_condition.setdefault(condition.name, []).append((condition, index))

    def _candidates(self, fact: Fact, view: View) -> Iterable[int]:
        name = fact.name
        values = self._by_value.get(name)
        if values is not None:
            for value in fact.value if isinstance(fact.value, list) else (fact.value,):
                yield from values.get(value if isinstance(value, bool) else _folded(value), ())
        yield from self._by_presence.get(name, ())
        yield from self._always.get(name, ())
        for condition, index in self._by_condition.get(name, ()):
            if evaluate(condition, view).holds:
                yield index


def _keys(condition: FactCondition) -> list[bool | str]:
    """Values of which the fact, or an item of it, must be one; none where the operator asks for something else."""
    operand = condition.operand
    if condition.operator == "in" and isinstance(operand, list) and all(isinstance(item, str) for item in operand):
        return [_folded(item) for item in operand]
    if condition.operator == "is" and isinstance(operand, bool):
        return [operand]
    if condition.operator in ("is", "has") and isinstance(operand, str):
        return [_folded(operand)]
    return []


def _folded(value: object) -> str:
    """As the operator `is` compares texts."""
    return str(value)[:MAX_TEXT].casefold()


def _required(condition: Condition) -> Sequence[FactCondition] | None:
    """Conditions on known facts of which at least one holds wherever `condition` holds; None if there are none.

    An empty sequence means that it cannot hold without a log.
    """
    if isinstance(condition, LogCondition):
        return ()
    if isinstance(condition, FactCondition):
        return None if _holds_of_nothing(condition) else (condition,)
    if isinstance(condition, AllCondition):
        bounded = [found for item in condition.items if (found := _required(item)) is not None]
        return min(bounded, key=_commonness) if bounded else None
    if isinstance(condition, AnyCondition):
        parts = [_required(item) for item in condition.items]
        if any(part is None for part in parts):
            return None
        return [each for part in parts for each in part or ()]
    return None


def _holds_of_nothing(condition: FactCondition) -> bool:
    """Whether it may hold of a fact that was never added."""
    wanted = {"absent": True, "known": False, "not_checked": False}.get(condition.operator)
    return wanted is not None and bool(condition.operand) is wanted


def _commonness(conditions: Sequence[FactCondition]) -> tuple[int, int]:
    """Sorts last what holds of many sound files, such as their kind and format, and what is slow to ask."""
    common = max((_COMMON.get(each.name.rpartition(".")[2].rpartition("_")[2], 0) for each in conditions), default=0)
    return (common, sum(1 if _keys(each) else 2 for each in conditions))
