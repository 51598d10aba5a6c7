"""Which steps must precede which, and the steps compiled for the planner."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from msgspec import Struct

from diagnose.engine.expected_cost import Action, Check, Repair, require_action

Effects = tuple[tuple[int, float], ...]

MOST_STEPS = 64
"""Planning looks at checks times places times pairs of repairs: some milliseconds for 15 steps, a second for 64."""


class Steps(Struct, frozen=True):
    """Actions as parallel lists, in the order that settles ties. A set of steps is a bit mask over this order.

    `fixes` and `tells` leave out what is impossible. `before` holds, for each step, all that must precede it.
    """

    actions: list[Action]
    costs: list[float]
    fixes: list[Effects]
    tells: list[Effects]
    before: list[int]


def compile_steps(actions: Sequence[Action], causes: int) -> Steps:
    """The actions, sorted by risk, minutes and id, with what must precede each.

    Raises ValueError for an id that is used twice, an unknown id in `after`, steps that wait for each other, more than
    `MOST_STEPS` of them, and whatever `require_action` refuses.
    """
    if len(actions) > MOST_STEPS:
        raise ValueError(f"{len(actions)} steps are more than the {MOST_STEPS} of the longest checklist")
    for action in actions:
        require_action(action, causes)
    ordered = sorted(actions, key=lambda action: (_risk(action), action.minutes, action.id))
    return Steps(
        actions=ordered,
        costs=[action.minutes + _risk(action) for action in ordered],
        fixes=[_possible(action, Repair) for action in ordered],
        tells=[_possible(action, Check) for action in ordered],
        before=_before(ordered),
    )


def members(mask: int) -> Iterator[int]:
    """The indices in a set of steps, ascending."""
    while mask:
        lowest = mask & -mask
        yield lowest.bit_length() - 1
        mask ^= lowest


def _risk(action: Action) -> float:
    return action.risk_minutes if isinstance(action, Repair) else 0.0


def _possible(action: Action, kind: type[Repair] | type[Check]) -> Effects:
    if not isinstance(action, kind):
        return ()
    chances = action.fixes if isinstance(action, Repair) else action.tells
    return tuple((cause, chance) for cause, chance in sorted(chances.items()) if chance > 0)


def _before(actions: list[Action]) -> list[int]:
    asked = _asked_for(actions)
    chains = _closure(asked, actions)
    for index, action in enumerate(actions):
        if isinstance(action, Repair) and action.destructive:
            asked[index] |= _harmless_rivals(action, actions, chains)
    return _closure(asked, actions)


def _asked_for(actions: list[Action]) -> list[int]:
    index_of = {action.id: index for index, action in enumerate(actions)}
    if len(index_of) < len(actions):
        twice = sorted({action.id for index, action in enumerate(actions) if index_of[action.id] != index})
        raise ValueError(f"steps share an id: {', '.join(twice)}")
    unknown = sorted({f"{a.id} (after {other})" for a in actions for other in a.after if other not in index_of})
    if unknown:
        raise ValueError(f"steps wait for steps that do not exist: {', '.join(unknown)}")
    return [sum(1 << index_of[other] for other in set(action.after)) for action in actions]


def _harmless_rivals(destructive: Repair, actions: list[Action], chains: list[int]) -> int:
    """The harmless repairs of the same causes.

    One that can only follow a destructive step is not harmless: doing it means destroying. Leaving it out is also
    what makes it impossible that this rule and `after` contradict each other.
    """
    destroyers = sum(1 << i for i, action in enumerate(actions) if isinstance(action, Repair) and action.destructive)
    causes = {cause for cause, chance in destructive.fixes.items() if chance > 0}
    rivals = 0
    for index, action in enumerate(actions):
        if not isinstance(action, Repair) or (chains[index] | 1 << index) & destroyers:
            continue
        if any(chance > 0 and cause in causes for cause, chance in action.fixes.items()):
            rivals |= 1 << index
    return rivals


def _closure(asked: list[int], actions: list[Action]) -> list[int]:
    if not any(asked):
        return list(asked)
    from graphlib import CycleError, TopologicalSorter

    sorter = TopologicalSorter({index: list(members(mask)) for index, mask in enumerate(asked)})
    try:
        topological = list(sorter.static_order())
    except CycleError as error:
        waiting = " before ".join(actions[index].id for index in error.args[1])
        raise ValueError(f"steps wait for each other: {waiting}") from None
    closed = list(asked)
    for index in topological:
        for direct in members(asked[index]):
            closed[index] |= closed[direct]
    return closed
