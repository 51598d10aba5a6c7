"""The ordered checklist: repairs by expected cost, and checks where what they tell saves more than they cost.

A check shows one of the causes that it can tell, or nothing. It is inserted by one-step look-ahead, where its minutes
plus the expected cost after each outcome are less than the expected cost now (Breese and Heckerman, "Decision-theoretic
troubleshooting: a framework for repair and experiment", UAI 1996).
"""

from __future__ import annotations

from collections.abc import Sequence
from heapq import heapify, heappop, heappush

from msgspec import Struct

from diagnose.engine.expected_cost import Action, Repair, require_minutes, shares
from diagnose.engine.precedence import Steps, compile_steps, members
from diagnose.engine.repair_order import Ordering, apply, improve, order_repairs


class Plan(Struct, frozen=True):
    """Which steps to do in which order, what that costs, and what is not worth its minutes.

    `expected_minutes` is for one who, once a check shows a cause, does only the steps that help against it, and who
    escalates when that is cheaper. `escalate_after` counts the repairs in `order` after which escalating is cheaper
    if the fault is still there and no check has shown its cause; repairs behind it pay only for a cause that was
    shown. `dropped` holds all other ids: repairs dearer than escalating, and checks that tell too little.
    """

    order: list[str]
    expected_minutes: float
    escalate_after: int
    dropped: list[str]


def plan(weights: Sequence[float], actions: Sequence[Action], escalation_minutes: float) -> Plan:
    """The steps to do, in order, for causes with these weights (normalised or not).

    The same steps give the same plan, in whichever order they are passed. Raises ValueError for weights, costs or
    probabilities that are none, and for what `compile_steps` refuses.
    """
    require_minutes("escalation", escalation_minutes)
    steps = compile_steps(actions, len(weights))
    planner = _Planner(steps, shares(weights), escalation_minutes)
    line = planner.insert_checks(planner.base.kept)
    return planner.finish(planner.look_at_the_leading_cause(line))


class _Walk(Struct):
    """What following a line of steps costs, the line's end when no check shows anything, and what any outcome needs."""

    minutes: float
    walked: int
    rest: Ordering
    needed: int


class _Planner:
    def __init__(self, steps: Steps, weights: list[float], escalation: float) -> None:
        self.steps = steps
        self.weights = weights
        self.escalation = escalation
        self.tolerance = 1e-9 * (escalation + 1e-3)
        self.base = improve(steps, order_repairs(steps, weights, escalation), weights, escalation)
        self._relevant = [_mask_of_cause(steps, cause) for cause in range(len(weights))]
        self._shown: dict[tuple[int, int], Ordering] = {}

    def insert_checks(self, line: list[int]) -> list[int]:
        """The line with every check that pays, each where it pays most; the one that saves most comes first.

        What a check saves hardly grows by other checks, so that only the best of the earlier figures is renewed.
        """
        cost = self._walk(line).minutes
        queue = []
        for check in self._checks():
            minutes, longer = self._best_place(line, check)
            if cost - minutes > self.tolerance:
                queue.append((minutes - cost, check, 0, longer))
        heapify(queue)
        version = 0
        while queue:
            saved, check, made_for, longer = heappop(queue)
            if made_for == version:
                line, cost, version = longer, cost + saved, version + 1
                continue
            minutes, longer = self._best_place(line, check)
            if cost - minutes > self.tolerance:
                heappush(queue, (minutes - cost, check, version, longer))
        return line

    def look_at_the_leading_cause(self, line: list[int]) -> list[int]:
        """The line, with the cheapest check for the leading cause if no step would be left that reaches it.

        A check that has to wait for a repair is no way out: it would have things changed for its sake alone.
        """
        leading = max(range(len(self.weights)), key=self.weights.__getitem__, default=0)
        walk = self._walk(line)
        if any(self._reaches(index, leading) for index in [*line[: walk.walked], *members(walk.needed)]):
            return line
        repairs = _mask([index for index, effects in enumerate(self.steps.fixes) if effects])
        free = [check for check in self._checks() if not self.steps.before[check] & repairs]
        places = [self._best_place(line, check) for check in free if self._reaches(check, leading)]
        return min(places, key=_by_minutes, default=(0.0, line))[1]

    def finish(self, line: list[int]) -> Plan:
        """The plan: the line as far as it was walked, then what any outcome of the checks needs, in base order."""
        walk = self._walk(line)
        order = line[: walk.walked]
        done = _mask(order)
        tail = [i for i in self._everything() if walk.needed >> i & 1 and not done >> i & 1]
        unconditional = done | _mask(walk.rest.kept)
        repairs = [index for index in order + tail if isinstance(self.steps.actions[index], Repair)]
        last = max((at for at, index in enumerate(repairs, 1) if unconditional >> index & 1), default=0)
        left_out = [i for i in self._everything() if not (done | walk.needed) >> i & 1]
        return Plan(
            order=[self.steps.actions[index].id for index in order + tail],
            expected_minutes=walk.minutes,
            escalate_after=last,
            dropped=[self.steps.actions[index].id for index in left_out],
        )

    def _walk(self, line: list[int]) -> _Walk:
        """Follows the line up to its last check; what is left is ordered anew for what the checks ruled out."""
        steps = self.steps
        left, minutes, needed, done = list(self.weights), 0.0, 0, 0
        last = max((at for at, index in enumerate(line, 1) if steps.tells[index]), default=0)
        for index in line[:last]:
            minutes += sum(left) * steps.costs[index]
            done |= 1 << index
            for cause, chance in steps.tells[index]:
                if left[cause] > 0:
                    known = self._for_certain(cause, done)
                    minutes += left[cause] * chance * known.minutes
                    needed |= _mask(known.kept)
            apply(steps.fixes[index] or steps.tells[index], left)
        rest = order_repairs(steps, left, self.escalation, done) if last else self.base
        return _Walk(minutes + rest.minutes, last, rest, needed | _mask(rest.kept))

    def _for_certain(self, cause: int, done: int) -> Ordering:
        """The repairs to do once the cause is known."""
        key = (cause, done & self._relevant[cause])
        if key not in self._shown:
            certain = [0.0] * len(self.weights)
            certain[cause] = 1.0
            self._shown[key] = order_repairs(self.steps, certain, self.escalation, done)
        return self._shown[key]

    def _best_place(self, line: list[int], check: int) -> tuple[float, list[int]]:
        """The expected minutes with the check (and what must precede it) at its best place, and the line with it."""
        without = [index for index in line if index != check]
        place = line.index(check) if check in line else len(without)
        candidates = []
        for at in range(place + 1):
            missing = self.steps.before[check] & ~_mask(without[:at])
            behind = [index for index in without[at:] if not missing >> index & 1]
            longer = [*without[:at], *self._chain(missing), check, *behind]
            candidates.append((self._walk(longer).minutes, longer))
        return min(candidates, key=_by_minutes)

    def _chain(self, mask: int) -> list[int]:
        """The set of steps as a list in which each comes after what must precede it."""
        return sorted(members(mask), key=lambda index: ((self.steps.before[index] & mask).bit_count(), index))

    def _checks(self) -> list[int]:
        return [index for index, tells in enumerate(self.steps.tells) if tells]

    def _reaches(self, index: int, cause: int) -> bool:
        return any(cause == reached for reached, _ in self.steps.fixes[index] or self.steps.tells[index])

    def _everything(self) -> list[int]:
        """All steps: in base order, then those that cannot help, each after what must precede it."""
        ordered = [*self.base.kept, *self.base.cut]
        useless = ((1 << len(self.steps.actions)) - 1) & ~_mask(ordered)
        return ordered + self._chain(useless)


def _by_minutes(line: tuple[float, list[int]]) -> float:
    """Lines that differ by rounding alone cost the same."""
    return round(line[0], 9)


def _mask(indices: Sequence[int]) -> int:
    mask = 0
    for index in indices:
        mask |= 1 << index
    return mask


def _mask_of_cause(steps: Steps, cause: int) -> int:
    mask = 0
    for index, effects in enumerate(steps.fixes):
        if any(cause == fixed for fixed, _ in effects):
            mask |= 1 << index | steps.before[index]
    return mask
