"""What a sequence of repairs is expected to cost, and the steps it is made of.

The expected cost of repair (ECR) of Heckerman, Breese and Rommelse, "Decision-theoretic troubleshooting",
CACM 38(3), 1995: each step costs its minutes as often as all steps before it failed, and escalating (asking a
maintainer, replacing the device) costs its minutes as often as every step failed.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

from msgspec import Struct


class Repair(Struct, frozen=True):
    """A step that changes something.

    `fixes` maps the index of a cause to the probability that the step removes it. `risk_minutes` is the loss that the
    step may do, times its probability, in minutes. The steps named in `after` must have been done before. A
    `destructive` step waits for every harmless step that can fix one of the same causes.
    """

    id: str
    fixes: Mapping[int, float]
    minutes: float
    risk_minutes: float = 0.0
    after: tuple[str, ...] = ()
    destructive: bool = False


class Check(Struct, frozen=True):
    """A step that only learns. `tells` maps the index of a cause to the probability that the check shows this cause
    when it is the cause; a check never shows a cause that is not there."""

    id: str
    tells: Mapping[int, float]
    minutes: float
    after: tuple[str, ...] = ()


Action = Repair | Check


def expected_cost(weights: Sequence[float], ordered_repairs: Sequence[Repair], escalation_minutes: float) -> float:
    """The expected minutes until the fault is gone, for one who does all these repairs in order and then escalates.

    `weights` are the causes' probabilities, normalised or not. Raises ValueError for a number that is no cost, weight
    or probability, and for a cause without weight.
    """
    left = shares(weights)
    require_minutes("escalation", escalation_minutes)
    minutes, persisting = 0.0, 1.0
    for repair in ordered_repairs:
        require_action(repair, len(weights))
        minutes += persisting * (repair.minutes + repair.risk_minutes)
        for cause, chance in repair.fixes.items():
            left[cause] *= 1.0 - chance
        persisting = math.fsum(left)
    return minutes + persisting * escalation_minutes


def shares(weights: Sequence[float]) -> list[float]:
    """The weights as probabilities. If no cause has any weight, all of it goes to one more that no step can reach."""
    if not all(math.isfinite(weight) and weight >= 0 for weight in weights):
        raise ValueError(f"a cause's weight must be a finite number of at least 0: {list(weights)}")
    largest = max(weights, default=0.0)
    if largest == 0:
        return [*(0.0 for _ in weights), 1.0]
    # Dividing by the largest first keeps the sum of huge or of subnormal weights in range.
    scaled = [weight / largest for weight in weights]
    total = math.fsum(scaled)
    return [weight / total for weight in scaled]


def require_action(action: Action, causes: int) -> None:
    """Raises ValueError unless the action's minutes, probabilities and causes are possible ones."""
    require_minutes(action.id, action.minutes)
    if isinstance(action, Repair):
        require_minutes(action.id, action.risk_minutes)
    for cause, chance in (action.fixes if isinstance(action, Repair) else action.tells).items():
        if not 0 <= cause < causes:
            raise ValueError(f"step {action.id}: there is no cause {cause}, only 0 to {causes - 1}")
        if not 0 <= chance <= 1:
            raise ValueError(f"step {action.id}: {chance} for cause {cause} is not a probability")


def require_minutes(owner: str, minutes: float) -> None:
    """Raises ValueError unless `minutes` is a finite cost."""
    if not (math.isfinite(minutes) and minutes >= 0):
        raise ValueError(f"step {owner}: {minutes} minutes is not a cost")
