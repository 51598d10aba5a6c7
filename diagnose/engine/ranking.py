"""Ranking: how likely each cause is given the evidence, and the steps in the order that is expected to cost least.

The method, its assumptions and its measured quality are in docs/ordering.md.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

from msgspec import Struct

from diagnose.engine.expected_cost import Check, Repair, expected_cost
from diagnose.engine.planning import Plan, plan

__all__ = ["Check", "Plan", "Repair", "WeighedEvidence", "expected_cost", "plan", "posterior"]

SMALLEST_FACTOR, LARGEST_FACTOR = 0.01, 100.0
"""No single piece of evidence moves a cause's odds further than this: one odd line cannot kill a cause."""


class WeighedEvidence(Struct, frozen=True):
    """One piece of evidence for or against one cause.

    `weight` is the likelihood ratio P(seen | cause) / P(seen | other causes). `seen` is True for observed present,
    False for observed absent, None for not observed or not checked. `sensitivity` is P(present | cause); 0 stands for
    not known, and then absence says nothing.
    """

    weight: float
    seen: bool | None
    sensitivity: float = 0.0


def posterior(
    priors: Sequence[float], evidence: Sequence[Sequence[WeighedEvidence]], other_prior: float
) -> list[float]:
    """The probability of each cause given its evidence, and last that of `other`, for which no evidence speaks.

    The priors need not sum to 1; the result does. If no cause has a prior, `other` is certain. Raises ValueError for a
    prior, weight or sensitivity that is none, and if there is not one list of evidence for each prior.
    """
    if len(priors) != len(evidence):
        raise ValueError(f"{len(priors)} causes, but evidence for {len(evidence)}")
    odds = [_log(prior) for prior in [*priors, other_prior]]
    for index, items in enumerate(evidence):
        odds[index] += math.fsum(math.log(_factor(item)) for item in items)
    best = max(odds)
    if best == -math.inf:
        return [*(0.0 for _ in priors), 1.0]
    unscaled = [math.exp(value - best) for value in odds]
    total = math.fsum(unscaled)
    return [value / total for value in unscaled]


def _log(prior: float) -> float:
    if not (math.isfinite(prior) and prior >= 0):
        raise ValueError(f"{prior} is not a prior probability")
    return math.log(prior) if prior > 0 else -math.inf


def _factor(item: WeighedEvidence) -> float:
    if not (item.weight >= 0 and 0 <= item.sensitivity <= 1):
        raise ValueError(f"weight {item.weight} with sensitivity {item.sensitivity} is not a likelihood ratio")
    if item.seen is None:
        return 1.0
    ratio = item.weight if item.seen else _absence(item)
    return min(max(ratio, SMALLEST_FACTOR), LARGEST_FACTOR)


def _absence(item: WeighedEvidence) -> float:
    """P(absent | cause) / P(absent | other causes), where P(present | other causes) is sensitivity / weight.

    That what would speak against a cause is absent says nothing for it: most of the time it is absent anyway.
    """
    if item.weight <= 1 or item.sensitivity == 0:
        return 1.0
    return (1.0 - item.sensitivity) / (1.0 - item.sensitivity / item.weight)
