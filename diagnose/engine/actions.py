"""A rule's steps as the planner wants them: causes by index, risk as minutes."""

from __future__ import annotations

from collections.abc import Sequence

from diagnose.diagnosis import Risk
from diagnose.engine.ranking import Check, Repair
from diagnose.engine.rule import RuleCause, RuleStep

RISK_MINUTES = {
    Risk.NONE: 0.0,
    Risk.RESTART: 5.0,
    Risk.SLOW: 5.0,
    Risk.DESTROYS_CACHE: 20.0,
    Risk.DESTROYS_DATA: 90.0,
}
"""Expected loss of a step's risk, in minutes."""

DESTRUCTIVE = frozenset({Risk.DESTROYS_CACHE, Risk.DESTROYS_DATA})
CHECK_ACCURACY = 0.9
"""How surely a check shows the cause that it tells."""


def actions(steps: Sequence[RuleStep], causes: Sequence[RuleCause]) -> list[Check | Repair]:
    """The steps as checks and repairs; the cause `other` has the index behind the last one.

    An `after` that names a step which is not among them (it is not offered here) is left out.
    """
    numbers = {cause.id: index for index, cause in enumerate(causes)} | {"other": len(causes)}
    offered = {step.id for step in steps}
    return [_action(step, numbers, offered) for step in steps]


def _action(step: RuleStep, numbers: dict[str, int], offered: set[str]) -> Check | Repair:
    after = tuple(step_id for step_id in step.after if step_id in offered)
    if step.kind == "check":
        tells = {numbers[cause]: CHECK_ACCURACY for cause in step.tells}
        return Check(id=step.id, tells=tells, minutes=step.minutes, after=after)
    return Repair(
        id=step.id,
        fixes={numbers[cause]: chance for cause, chance in step.fixes.items()},
        minutes=step.minutes,
        risk_minutes=RISK_MINUTES[step.risk],
        after=after,
        destructive=step.risk in DESTRUCTIVE,
    )
