"""Measures plans against the best that is possible, and the time that planning takes: the figures in docs/ordering.md.

    python benchmarks/ordering.py [problems]

The optimum is computed by dynamic programming over sets of steps: what is left of each cause after some steps depends
on which were done, and not on their order.
"""

from __future__ import annotations

import random
import sys
import time
from collections.abc import Callable, Sequence
from functools import cache

from diagnose.engine.expected_cost import Action, Check, Repair, shares
from diagnose.engine.precedence import Steps, compile_steps, members
from diagnose.engine.ranking import expected_cost, plan
from diagnose.engine.repair_order import order_repairs

Problem = tuple[list[float], list[Action], float]


def main() -> None:
    count = int(sys.argv[1]) if len(sys.argv) > 1 else 1000
    print(f"{'excess over the optimum, in %':42}{'mean':>8}{'worst':>8}{'exact':>8}")
    for name, problem in FAMILIES.items():
        rng = random.Random(name)
        problems = [problem(rng) for _ in range(count)]
        optima = [optimum(*each) for each in problems]
        for method, cost in METHODS.items():
            if method == "plan" or not any(isinstance(action, Check) for action in problems[0][1]):
                report(
                    f"{name}: {method}", [cost(*each) / best - 1 for each, best in zip(problems, optima, strict=True)]
                )
    print(f"\n{'planning, in ms':42}{'mean':>8}{'worst':>8}")
    for causes, repairs, checks in ((4, 4, 3), (6, 6, 4), (12, 8, 7), (12, 10, 5), (12, 15, 0)):
        seconds = [timed(random_problem(random.Random(seed), causes, repairs, checks)) for seed in range(50)]
        mean = sum(seconds) / len(seconds)
        print(f"{f'{causes} causes, {repairs} repairs, {checks} checks':42}{mean * 1e3:8.2f}{max(seconds) * 1e3:8.2f}")


def report(name: str, excess: Sequence[float]) -> None:
    exact = sum(value < 1e-9 for value in excess) / len(excess)
    print(f"{name:42}{100 * sum(excess) / len(excess):8.3f}{100 * max(excess):8.2f}{100 * exact:7.1f}%")


def timed(problem: Problem) -> float:
    start = time.perf_counter()
    plan(*problem)
    return time.perf_counter() - start


def optimum(weights: list[float], actions: list[Action], escalation: float) -> float:
    """The expected minutes of the best policy, which may do anything at any time that precedence permits."""
    steps = compile_steps(actions, len(weights))

    @cache
    def best(done: int, left: tuple[float, ...]) -> float:
        persisting = sum(left)
        cheapest = persisting * escalation
        for index in range(len(steps.actions)):
            if done >> index & 1 or steps.before[index] & ~done:
                continue
            after = done | 1 << index
            minutes = persisting * steps.costs[index] + best(after, lower(steps, index, left))
            for cause, chance in steps.tells[index]:
                shown = tuple(weight * chance * (other == cause) for other, weight in enumerate(left))
                minutes += best(after, shown) if shown[cause] > 0 else 0
            cheapest = min(cheapest, minutes)
        return cheapest

    return best(0, tuple(shares(weights)))


def lower(steps: Steps, index: int, left: tuple[float, ...]) -> tuple[float, ...]:
    lowered = list(left)
    for cause, chance in steps.fixes[index] or steps.tells[index]:
        lowered[cause] *= 1 - chance
    return tuple(lowered)


def planned(weights: list[float], actions: list[Action], escalation: float) -> float:
    return plan(weights, actions, escalation).expected_minutes


def greedy(weights: list[float], actions: list[Action], escalation: float) -> float:
    return order_repairs(compile_steps(actions, len(weights)), shares(weights), escalation).minutes


def ranked_once(by: Callable[[list[float], Repair], float]) -> Callable[[list[float], list[Action], float], float]:
    """Repairs sorted once, each after what must precede it, and cut at the cheapest prefix."""

    def cost(weights: list[float], actions: list[Action], escalation: float) -> float:
        steps = compile_steps(actions, len(weights))
        order: list[Repair] = []
        done = 0
        for index in sorted(range(len(actions)), key=lambda i: -by(weights, as_repair(steps.actions[i]))):
            missing = (steps.before[index] | 1 << index) & ~done
            order += [
                as_repair(steps.actions[i]) for i in sorted(members(missing), key=lambda i: steps.before[i].bit_count())
            ]
            done |= missing
        return min(expected_cost(weights, order[:length], escalation) for length in range(len(order) + 1))

    return cost


def as_repair(action: Action) -> Repair:
    if isinstance(action, Check):
        raise TypeError(f"{action.id} is a check")
    return action


def probability(weights: list[float], repair: Repair) -> float:
    return sum(weights[cause] * chance for cause, chance in repair.fixes.items())


METHODS: dict[str, Callable[[list[float], list[Action], float], float]] = {
    "plan": planned,
    "greedy alone": greedy,
    "efficiency, ranked once": ranked_once(
        lambda w, repair: probability(w, repair) / (repair.minutes + repair.risk_minutes)
    ),
    "likeliest first": ranked_once(probability),
    "cheapest first": ranked_once(lambda _, repair: -(repair.minutes + repair.risk_minutes)),
}


def random_problem(
    rng: random.Random,
    causes: int = 5,
    repairs: int = 5,
    checks: int = 0,
    shared: bool = True,
    chained: float = 0,
    destructive: float = 0,
) -> Problem:
    """Skewed weights, the last of them of `other`, which no step reaches."""
    actions: list[Action] = []
    for index in range(repairs):
        fixed = rng.sample(range(causes), rng.randint(1, min(3, causes))) if shared else [index]
        actions.append(
            Repair(
                id=f"repair-{index}",
                fixes={cause: rng.uniform(0.3, 1) for cause in fixed},
                minutes=rng.choice([1, 2, 5, 10, 20, 30, 60]) * rng.uniform(0.5, 1.5),
                risk_minutes=rng.choice([0, 0, 5, 60]),
                after=tuple(f"repair-{earlier}" for earlier in range(index) if rng.random() < chained),
                destructive=rng.random() < destructive,
            )
        )
    for index in range(checks):
        told = rng.sample(range(causes), rng.randint(1, min(3, causes)))
        tells = {cause: rng.choice([0.6, 0.9, 0.9, 1]) for cause in told}
        actions.append(Check(id=f"check-{index}", tells=tells, minutes=rng.choice([0.5, 1, 2, 5, 10])))
    weights = [*(rng.random() ** 2 + 0.01 for _ in range(causes)), 0.1]
    return weights, actions, rng.choice([60, 120, 240, 480])


def opened(rng: random.Random) -> Problem:
    """Three of five repairs wait for one step that fixes nothing."""
    weights, actions, escalation = random_problem(rng)
    repairs = [as_repair(action) for action in actions]
    waiting: list[Action] = [
        Repair(r.id, r.fixes, r.minutes, r.risk_minutes, after=("open",) if index < 3 else ())
        for index, r in enumerate(repairs)
    ]
    return weights, [Repair("open", {}, rng.choice([5, 20, 60])), *waiting], escalation


FAMILIES: dict[str, Callable[[random.Random], Problem]] = {
    "independent": lambda rng: random_problem(rng, shared=False),
    "shared": lambda rng: random_problem(rng),
    "shared, 8 x 8": lambda rng: random_problem(rng, causes=8, repairs=8),
    "chained": lambda rng: random_problem(rng, chained=0.25),
    "one opener": opened,
    "destructive": lambda rng: random_problem(rng, destructive=0.3),
    "3 checks, independent": lambda rng: random_problem(rng, checks=3, shared=False),
    "3 checks, shared": lambda rng: random_problem(rng, checks=3),
}

if __name__ == "__main__":
    main()
