"""Whether a condition holds on evidence: yes, no, or unknown (Kleene's three-valued logic)."""

from __future__ import annotations

from typing import Any

from msgspec import Struct, field

from diagnose.engine.lines import Lines
from diagnose.engine.operators import STATES, compare
from diagnose.engine.rule import (
    AllCondition,
    CaptureCondition,
    Condition,
    FactCondition,
    FactReference,
    LogCondition,
    NotCondition,
    Operand,
)
from diagnose.evidence import Evidence, Fact, Hit, State


class View(Struct):
    """The evidence as one rule sees it: facts, its incident's lines (None without a log), its patterns' captures."""

    evidence: Evidence
    lines: Lines | None
    captures: dict[str, str] = field(default_factory=dict)


class Outcome(Struct, frozen=True):
    """`holds` is None where it is unknown. `seen` are the hits and facts that made it hold (or were not checked)."""

    holds: bool | None
    seen: tuple[Hit | Fact, ...] = ()


def evaluate(condition: Condition, view: View) -> Outcome:
    """The outcome of a condition. Every kind of condition has its function below."""
    if isinstance(condition, LogCondition):
        return _log(condition, view)
    if isinstance(condition, FactCondition):
        return _fact(condition, view)
    if isinstance(condition, CaptureCondition):
        return _capture(condition, view)
    if isinstance(condition, NotCondition):
        outcome = evaluate(condition.item, view)
        return Outcome(None if outcome.holds is None else not outcome.holds, () if outcome.holds else outcome.seen)
    outcomes = [evaluate(item, view) for item in condition.items]
    return _all(outcomes) if isinstance(condition, AllCondition) else _any(outcomes)


def _log(condition: LogCondition, view: View) -> Outcome:
    if view.lines is None:
        return Outcome(None)
    found = [hit for pattern in condition.patterns for hit in view.lines.hits(pattern)]
    return Outcome(bool(found), tuple(found))


def _fact(condition: FactCondition, view: View) -> Outcome:
    state = view.evidence.state(condition.name)
    if condition.operator in STATES:
        wanted = {"known": State.KNOWN, "absent": State.ABSENT, "not_checked": State.NOT_CHECKED}
        asked = wanted[condition.operator]
        if condition.operator == "absent" and state in (State.NOT_CHECKED, State.UNOBSERVED):
            return Outcome(None, _unchecked(condition.name, view))
        return Outcome((state is asked) is bool(condition.operand), tuple(view.evidence.known(condition.name)))
    if state in (State.NOT_CHECKED, State.UNOBSERVED):
        return Outcome(None, _unchecked(condition.name, view))
    if state is State.ABSENT:
        return Outcome(False)
    operand = _operand(condition.operand, view)
    if operand is None:
        return Outcome(None)
    facts = view.evidence.known(condition.name)
    compared = [(compare(condition.operator, fact.value, operand), fact) for fact in facts]
    holding = tuple(fact for holds, fact in compared if holds)
    if holding:
        return Outcome(True, holding)
    return Outcome(None if all(holds is None for holds, _ in compared) else False)


def _unchecked(name: str, view: View) -> tuple[Fact, ...]:
    return tuple(fact for fact in view.evidence.facts if fact.name == name and fact.not_checked)


def _capture(condition: CaptureCondition, view: View) -> Outcome:
    value = view.captures.get(condition.name)
    if value is None:
        return Outcome(None)
    operand = _operand(condition.operand, view)
    if condition.operator == "known":
        return Outcome(bool(operand))
    if condition.operator in STATES:
        return Outcome(not operand)
    return Outcome(None if operand is None else compare(condition.operator, value, operand))


def _operand(operand: Operand, view: View) -> Any:
    """The operand itself, or the known value of the fact that it refers to."""
    return view.evidence.value(operand.name) if isinstance(operand, FactReference) else operand


def _all(outcomes: list[Outcome]) -> Outcome:
    seen = tuple(item for outcome in outcomes for item in outcome.seen)
    if any(outcome.holds is False for outcome in outcomes):
        return Outcome(False)
    return Outcome(None if any(outcome.holds is None for outcome in outcomes) else True, seen)


def _any(outcomes: list[Outcome]) -> Outcome:
    holding = [outcome for outcome in outcomes if outcome.holds]
    if holding:
        return Outcome(True, tuple(item for outcome in holding for item in outcome.seen))
    unknown = [outcome for outcome in outcomes if outcome.holds is None]
    if unknown:
        return Outcome(None, tuple(item for outcome in unknown for item in outcome.seen))
    return Outcome(False)
