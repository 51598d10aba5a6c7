"""The order of repairs that is expected to cost least, and where escalating becomes cheaper than going on.

Greedy by efficiency (Kadane and Simon 1977; Heckerman, Breese and Rommelse 1995), then a bounded search that moves
single steps, since greedy is optimal only as long as each step addresses a fault of its own.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from itertools import chain

from msgspec import Struct

from diagnose.engine.precedence import Effects, Steps, members

ESCALATE = -1
"""Stands for escalating in an order: a step that always ends the search, so that whatever follows it costs nothing."""

_TIE = 1.0 + 1e-12
_MOVES = 32


class Ordering(Struct, frozen=True):
    """Repairs (and checks that some of them wait for) to do before escalating, those left out, and the cost.

    `minutes` is weighted: expected minutes times the sum of the weights that it was computed for.
    """

    kept: list[int]
    cut: list[int]
    minutes: float


def order_repairs(steps: Steps, weights: list[float], escalation: float, done: int = 0) -> Ordering:
    """The order by greedy efficiency of all repairs that can help and are not in `done`, cut at the cheapest prefix."""
    order = _greedy(steps, weights, done)
    return _cut(steps, order, weights, escalation)


def improve(steps: Steps, ordering: Ordering, weights: list[float], escalation: float) -> Ordering:
    """The ordering after moving single steps for as long as that lowers the expected cost (at most 32 moves)."""
    order = [*ordering.kept, ESCALATE, *ordering.cut]
    tolerance = 1e-12 * (ordering.minutes + escalation)
    for _ in range(_MOVES):
        saved, source, target = _best_move(steps, order, weights, escalation)
        if saved <= tolerance:
            break
        order.insert(target, order.pop(source))
    position = order.index(ESCALATE)
    return _cut(steps, order[:position] + order[position + 1 :], weights, escalation)


def gain(effects: Effects, weights: list[float]) -> float:
    """The weight that a step takes away."""
    return sum([weights[cause] * chance for cause, chance in effects])


def apply(effects: Effects, weights: list[float]) -> None:
    """Lowers the weights of the causes to what a step leaves of them."""
    for cause, chance in effects:
        weights[cause] *= 1.0 - chance


def _greedy(steps: Steps, weights: list[float], done: int) -> list[int]:
    left = list(weights)
    order: list[int] = []
    waiting = [index for index, effects in enumerate(steps.fixes) if effects and not done >> index & 1]
    while waiting:
        block = _most_efficient_block(steps, left, waiting, done)
        if not block:
            break
        for index in _inside(steps, left, block, done):
            apply(steps.fixes[index], left)
            order.append(index)
        done |= block
        waiting = [index for index in waiting if not done >> index & 1]
    return order


def _most_efficient_block(steps: Steps, weights: list[float], waiting: list[int], done: int) -> int:
    """The step, with what must precede it, of the largest gain per minute; the first of equals; 0 if none gains."""
    best, best_efficiency = 0, 0.0
    for index in waiting:
        missing = steps.before[index] & ~done
        if missing:
            block = missing | 1 << index
            won, cost = _joint(steps, weights, block)
        else:
            block = 1 << index
            won, cost = gain(steps.fixes[index], weights), steps.costs[index]
        efficiency = _ratio(won, cost)
        if efficiency > best_efficiency * _TIE:
            best, best_efficiency = block, efficiency
    return best


def _joint(steps: Steps, weights: list[float], block: int) -> tuple[float, float]:
    remains: dict[int, float] = {}
    cost = 0.0
    for index in members(block):
        cost += steps.costs[index]
        for cause, chance in steps.fixes[index]:
            remains[cause] = remains.get(cause, 1.0) * (1.0 - chance)
    return sum([weights[cause] * (1.0 - remaining) for cause, remaining in remains.items()]), cost


def _ratio(won: float, cost: float) -> float:
    if won <= 0:
        return 0.0
    return won / cost if cost > 0 else math.inf


def _inside(steps: Steps, weights: list[float], block: int, done: int) -> list[int]:
    """The members of a block, each time the most efficient of those whose predecessors are done."""
    if not block & (block - 1):
        return [block.bit_length() - 1]
    left = list(weights)
    order: list[int] = []
    while block:
        free = [index for index in members(block) if not steps.before[index] & ~done]
        chosen = max(free, key=lambda index: _ratio(gain(steps.fixes[index], left), steps.costs[index]))
        apply(steps.fixes[chosen], left)
        order.append(chosen)
        done |= 1 << chosen
        block ^= 1 << chosen
    return order


def _cut(steps: Steps, order: list[int], weights: list[float], escalation: float) -> Ordering:
    left = list(weights)
    persisting = sum(left)
    spent, length, cheapest = 0.0, 0, persisting * escalation
    for position, index in enumerate(order, 1):
        spent += persisting * steps.costs[index]
        apply(steps.fixes[index], left)
        persisting = sum(left)
        if (spent + persisting * escalation) * _TIE < cheapest:
            length, cheapest = position, spent + persisting * escalation
    return Ordering(order[:length], order[length:], cheapest)


def _best_move(steps: Steps, order: list[int], weights: list[float], escalation: float) -> tuple[float, int, int]:
    """(weighted minutes saved, from, to) of the single step, or of escalating, whose move saves most."""
    sequence = _Sequence(steps, order, weights, escalation)
    best = (0.0, 0, 0)
    for source in range(len(order)):
        for saved, target in chain(sequence.earlier(source), sequence.later(source)):
            if saved > best[0]:
                best = (saved, source, target)
    return best


class _Sequence:
    """An order that holds escalating as the step that removes every cause, with the weights left before each step.

    Exchanging the neighbours x, y changes the cost by cost(y) gain(x) - cost(x) gain(y) and nothing after them, so
    that a longer move is a chain of exchanges.
    """

    def __init__(self, steps: Steps, order: list[int], weights: list[float], escalation: float) -> None:
        self.order = order
        # ESCALATE is -1, the last place.
        self.costs = [*steps.costs, escalation]
        self.fixes = [*steps.fixes, tuple((cause, 1.0) for cause in range(len(weights)))]
        self.before = [*steps.before, 0]
        self.states = [list(weights)]
        for index in order:
            left = list(self.states[-1])
            apply(self.fixes[index], left)
            self.states.append(left)

    def earlier(self, source: int) -> Iterator[tuple[float, int]]:
        """(minutes saved, target) for each place before `source` that the step there may move to."""
        moved, saved = self.order[source], 0.0
        for target in range(source - 1, -1, -1):
            if self._must_precede(self.order[target], moved):
                return
            saved -= self._exchange(self.order[target], moved, self.states[target])
            yield saved, target

    def later(self, source: int) -> Iterator[tuple[float, int]]:
        """(minutes saved, target) for each place behind `source` that the step there may move to."""
        moved, saved, left = self.order[source], 0.0, list(self.states[source])
        for target in range(source + 1, len(self.order)):
            if self._must_precede(moved, self.order[target]):
                return
            saved -= self._exchange(moved, self.order[target], left)
            yield saved, target
            apply(self.fixes[self.order[target]], left)

    def _must_precede(self, first: int, second: int) -> bool:
        return first != ESCALATE and bool(self.before[second] >> first & 1)

    def _exchange(self, first: int, second: int, left: list[float]) -> float:
        """What it costs more to do `second` before `first`."""
        return self.costs[second] * gain(self.fixes[first], left) - self.costs[first] * gain(self.fixes[second], left)
