"""Which rules the evidence on a file raises: a quick and exact answer for the many files that are sound.

The judge tries each rule that names one of the evidence's facts, which for a sound picture is dozens. The screen
keeps for each rule a few of its conditions of which one must hold, found by name and value in one pass over the facts.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from msgspec import Struct
from msgspec.structs import replace

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


class _Entries(Struct):
    """The rules (by index) that a fact of one name may raise: by its value, by being there, or by a comparison."""

    by_value: dict[object, list[int]]
    anyhow: list[int]
    compared: list[tuple[FactCondition, int]]


class Screen:
    """Made once for a rule set; good for evidence without lines of a log."""

    def __init__(self, rules: RuleSet) -> None:
        self._rules = rules
        self._entries: dict[str, _Entries] = {}
        by_rule: dict[int, list[str]] = {}
        for name, indices in rules.by_fact.items():
            for index in indices:
                by_rule.setdefault(index, []).append(name)
        for index, names in by_rule.items():
            self._enter(index, rules.rules[index], names)

    def raised_by(self, evidence: Evidence) -> RuleSet | None:
        """The rule set narrowed to the rules that this evidence raises, for the judge; None if it raises none."""
        view = View(evidence, None)
        candidates: set[int] = set()
        for fact in evidence.facts:
            entries = self._entries.get(fact.name)
            if entries is not None:
                candidates.update(_candidates(fact, entries, view))
        rules = self._rules.rules
        raised = [index for index in sorted(candidates) if evaluate(rules[index].match, view).holds]
        return replace(self._rules, by_fact={evidence.facts[0].name: raised}) if raised else None

    def _enter(self, index: int, rule: Rule, names: Iterable[str]) -> None:
        required = _required(rule.match)
        if required is None:
            for name in names:
                self._of(name).anyhow.append(index)
            return
        for condition in required:
            entries, keys = self._of(condition.name), _keys(condition)
            for key in keys:
                entries.by_value.setdefault(key, []).append(index)
            if condition.operator in ("known", "absent"):
                entries.anyhow.append(index)
            elif not keys:
                entries.compared.append((condition, index))

    def _of(self, name: str) -> _Entries:
        return self._entries.setdefault(name, _Entries({}, [], []))


def _candidates(fact: Fact, entries: _Entries, view: View) -> list[int]:
    found = list(entries.anyhow)
    if entries.by_value:
        for value in fact.value if isinstance(fact.value, list) else (fact.value,):
            found += entries.by_value.get(value if isinstance(value, bool) else _folded(value), ())
    for condition, index in entries.compared:
        if evaluate(condition, view).holds:
            found.append(index)
    return found


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
