import random

import pytest

from diagnose.engine.expected_cost import Action, Repair
from diagnose.engine.precedence import Steps, compile_steps
from diagnose.engine.repair_order import Ordering, improve, order_repairs


def names(steps: Steps, indices: list[int]) -> list[str]:
    return [steps.actions[index].id for index in indices]


def test_efficiency_is_renewed_after_each_step_for_what_it_has_already_ruled_out() -> None:
    steps = compile_steps(
        [
            Repair("restart", {0: 0.9}, minutes=1),
            Repair("reinstall", {0: 0.9}, minutes=2),
            Repair("replug", {1: 0.9}, minutes=3),
        ],
        causes=2,
    )
    assert names(steps, order_repairs(steps, [0.6, 0.4], 240).kept) == ["restart", "replug", "reinstall"]


def test_what_must_precede_a_step_is_done_in_falling_efficiency() -> None:
    actions: list[Action] = [
        Repair("reload", {0: 0.1}, minutes=1),
        Repair("restart", {1: 0.9}, minutes=1),
        Repair("wipe", {0: 1.0, 1: 1.0}, minutes=1, destructive=True),
    ]
    steps = compile_steps(actions, causes=2)
    assert names(steps, order_repairs(steps, [0.9, 0.1], 240).kept) == ["reload", "restart", "wipe"]
    assert names(steps, order_repairs(steps, [0.2, 0.8], 240).kept) == ["restart", "reload", "wipe"]


def test_steps_that_are_done_are_neither_repeated_nor_paid_for_again() -> None:
    steps = compile_steps(
        [Repair("open", {}, minutes=50), Repair("reseat", {0: 1.0}, minutes=1, after=("open",))], causes=1
    )
    opened = 1 << names(steps, [0, 1]).index("open")
    ordering = order_repairs(steps, [1.0], 240, opened)
    assert (names(steps, ordering.kept), ordering.minutes) == (["reseat"], 1)


@pytest.mark.parametrize("seed", range(5))
def test_moving_single_steps_mends_even_a_reversed_order(seed: int) -> None:
    rng = random.Random(seed)
    steps = compile_steps([Repair(f"step-{i}", {i: 0.9}, rng.uniform(1, 30)) for i in range(9)], causes=9)
    weights = [rng.uniform(0.05, 0.2) for _ in range(9)]
    best = order_repairs(steps, weights, 240)
    assert not best.cut
    mended = improve(steps, Ordering(best.kept[::-1], [], 1e9), weights, 240)
    assert mended == best
