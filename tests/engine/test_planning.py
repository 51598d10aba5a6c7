import itertools
import math
import random
from collections.abc import Callable, Iterable, Sequence

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from diagnose.engine.precedence import MOST_STEPS
from diagnose.engine.ranking import Check, Plan, Repair, expected_cost, plan

Action = Repair | Check
Order = Sequence[Repair]


def cost_of_prefixes(weights: Sequence[float], order: Order, escalation: float) -> list[float]:
    """The expected cost of escalating after 0, 1, ... steps: each cause's path summed up by itself."""
    total = sum(weights)
    costs = []
    for length in range(len(order) + 1):
        minutes = 0.0
        for cause, weight in enumerate(weights):
            persisting = weight / total
            for repair in order[:length]:
                minutes += persisting * (repair.minutes + repair.risk_minutes)
                persisting *= 1 - repair.fixes.get(cause, 0)
            minutes += persisting * escalation
        costs.append(minutes)
    return costs


def cheapest(
    weights: Sequence[float], repairs: Order, escalation: float, permitted: Callable[[Order], bool] | None = None
) -> float:
    """By all permutations and all prefixes."""
    orders = filter(permitted, itertools.permutations(repairs)) if permitted else itertools.permutations(repairs)
    return min(min(cost_of_prefixes(weights, order, escalation)) for order in orders)


def random_weights(rng: random.Random, count: int = 5) -> list[float]:
    return [rng.random() ** 2 + 0.01 for _ in range(count)]


def random_minutes(rng: random.Random) -> float:
    return rng.choice([1, 2, 5, 10, 20, 30, 60]) * rng.uniform(0.5, 1.5)


def random_repairs(rng: random.Random, shared: bool, chained: float = 0, destructive: float = 0) -> list[Repair]:
    return [
        Repair(
            id=f"repair-{index}",
            fixes={
                cause: rng.uniform(0.3, 1) for cause in (rng.sample(range(5), rng.randint(1, 3)) if shared else [index])
            },
            minutes=random_minutes(rng),
            risk_minutes=rng.choice([0, 0, 5, 60]),
            after=tuple(f"repair-{earlier}" for earlier in range(index) if rng.random() < chained),
            destructive=rng.random() < destructive,
        )
        for index in range(5)
    ]


def follows_after(actions: Iterable[Action], order: Sequence[str]) -> bool:
    done: set[str] = set()
    after = {action.id: action.after for action in actions}
    for step in order:
        if not done.issuperset(after[step]):
            return False
        done.add(step)
    return True


def destroys_last(actions: Iterable[Action], order: Sequence[str]) -> bool:
    """No destructive repair stands before a harmless one of the same cause that could be done without destroying."""
    by_id = {action.id: action for action in actions}

    def destroys(action: Action) -> bool:
        own = isinstance(action, Repair) and action.destructive
        return own or any(destroys(by_id[earlier]) for earlier in action.after)

    steps = [by_id[step] for step in order]
    return not any(
        isinstance(first, Repair)
        and isinstance(second, Repair)
        and first.destructive
        and not destroys(second)
        and any(chance * second.fixes.get(cause, 0) > 0 for cause, chance in first.fixes.items())
        for first, second in itertools.combinations(steps, 2)
    )


def test_the_cost_of_a_sequence_counts_each_step_as_often_as_all_before_it_failed() -> None:
    repairs = [Repair("a", {0: 0.5}, 10, risk_minutes=2), Repair("b", {0: 1.0, 1: 0.9}, 20)]
    after_a = 0.3 + 0.4
    after_b = 0.4 * 0.1
    assert expected_cost([6, 4], repairs, 60) == pytest.approx(12 + after_a * 20 + after_b * 60)
    assert expected_cost([6, 4], [], 60) == 60
    assert expected_cost([0, 0], repairs, 60) == 12 + 20 + 60


def test_repairs_of_independent_faults_are_planned_optimally() -> None:
    rng = random.Random(1)
    for _ in range(300):
        weights, repairs, escalation = random_weights(rng), random_repairs(rng, shared=False), rng.choice([60, 240])
        planned = plan(weights, repairs, escalation)
        assert planned.expected_minutes == pytest.approx(cheapest(weights, repairs, escalation), rel=1e-9)


@pytest.mark.parametrize(
    ("shared", "chained", "destructive"),
    [(False, 0.3, 0.0), (True, 0.0, 0.0), (True, 0.25, 0.0), (True, 0.0, 0.3), (True, 0.2, 0.2)],
)
def test_chained_repairs_and_those_that_share_causes_cost_at_most_0_02_percent_more_than_the_optimum(
    shared: bool, chained: float, destructive: float
) -> None:
    rng = random.Random(2)
    excess = []
    for _ in range(300):
        weights, repairs = random_weights(rng), random_repairs(rng, shared, chained, destructive)

        def permitted(order: Order, repairs: Order = repairs) -> bool:
            ids = [repair.id for repair in order]
            return follows_after(repairs, ids) and destroys_last(repairs, ids)

        optimum = cheapest(weights, repairs, 240, permitted)
        excess.append(plan(weights, repairs, 240).expected_minutes / optimum - 1)
    assert min(excess) > -1e-9
    assert sum(excess) / len(excess) < 0.0002


def test_without_checks_the_plan_costs_what_its_order_costs_and_escalates_at_its_end() -> None:
    rng = random.Random(3)
    for _ in range(200):
        weights, repairs = random_weights(rng), random_repairs(rng, True, 0.2, 0.2)
        planned = plan(weights, repairs, 120)
        by_id = {repair.id: repair for repair in repairs}
        ordered = [by_id[step] for step in planned.order]
        assert planned.expected_minutes == pytest.approx(expected_cost(weights, ordered, 120), rel=1e-9)
        assert planned.escalate_after == len(planned.order)
        assert cost_of_prefixes(weights, ordered, 120)[-1] == min(cost_of_prefixes(weights, ordered, 120))


chances = st.sampled_from([0.0, 0.3, 0.9, 1.0])
costs = st.sampled_from([0.0, 1.0, 5.0, 30.0])


@st.composite
def problems(draw: st.DrawFn) -> tuple[list[float], list[Action], float]:
    causes = draw(st.integers(1, 5))
    effects = st.dictionaries(st.integers(0, causes - 1), chances, max_size=3)
    actions: list[Action] = []
    for index in range(draw(st.integers(0, 8))):
        name = f"step-{index}"
        after = tuple(draw(st.sets(st.sampled_from([action.id for action in actions]), max_size=2))) if actions else ()
        if draw(st.booleans()):
            actions.append(Check(name, draw(effects), draw(costs), after))
        else:
            actions.append(Repair(name, draw(effects), draw(costs), draw(costs), after, draw(st.booleans())))
    weights = draw(st.lists(st.sampled_from([0.0, 0.1, 1.0, 7.0]), min_size=causes, max_size=causes))
    return weights, actions, draw(st.sampled_from([0.0, 20.0, 240.0]))


@settings(max_examples=400, deadline=None)
@given(problems(), st.randoms(use_true_random=False))
def test_any_plan_keeps_precedence_names_each_step_once_and_is_stable(
    problem: tuple[list[float], list[Action], float], rng: random.Random
) -> None:
    weights, actions, escalation = problem
    planned = plan(weights, actions, escalation)
    assert sorted([*planned.order, *planned.dropped]) == sorted(action.id for action in actions)
    assert follows_after(actions, planned.order)
    assert destroys_last(actions, planned.order)
    assert 0 <= planned.escalate_after <= sum(isinstance(a, Repair) and a.id in planned.order for a in actions)
    rng.shuffle(actions)
    assert plan([weight * 3 for weight in weights], actions, escalation).order == planned.order


def test_checks_lower_the_expected_cost_of_a_plan_that_reaches_the_leading_cause() -> None:
    rng = random.Random(5)
    compared = 0
    for _ in range(300):
        weights, repairs = [*random_weights(rng), 0.2], random_repairs(rng, True, 0.2, 0.2)
        checks = [
            Check(
                id=f"check-{index}",
                tells={cause: rng.choice([0.6, 0.9, 1]) for cause in rng.sample(range(5), rng.randint(1, 3))},
                minutes=rng.choice([0.5, 2, 10, 30]),
                after=tuple(repair.id for repair in repairs[:2] if rng.random() < 0.2),
            )
            for index in range(3)
        ]
        bare, checked = plan(weights, repairs, 240), plan(weights, [*repairs, *checks], 240)
        leading = weights.index(max(weights))
        if any(repair.id in bare.order and leading in repair.fixes for repair in repairs):
            compared += 1
            lowered = checked.expected_minutes < bare.expected_minutes - 1e-6
            assert lowered == any(check.id in checked.order for check in checks)
            assert lowered or checked == Plan(bare.order, bare.expected_minutes, bare.escalate_after, checked.dropped)
    assert compared > 100


def cost_with_check(weights: Sequence[float], order: Order, at: int, check: Check, escalation: float) -> float:
    """Repairs up to `at`, the check, then the cheapest of all ways to go on, for each outcome by itself."""
    total = sum(weights)
    done, remaining = order[:at], order[at:]
    left = [weight / total * math.prod(1 - r.fixes.get(cause, 0) for r in done) for cause, weight in enumerate(weights)]
    minutes = cost_of_prefixes(weights, done, escalation)[-1] - sum(left) * escalation + sum(left) * check.minutes
    for cause, chance in check.tells.items():
        certain = [float(other == cause) for other in range(len(weights))]
        minutes += left[cause] * chance * cheapest(certain, remaining, escalation)
    silent = [weight * (1 - check.tells.get(cause, 0)) for cause, weight in enumerate(left)]
    return minutes + sum(silent) * cheapest(silent, remaining, escalation)


def test_a_check_stands_where_it_saves_most_and_nowhere_if_it_saves_nothing() -> None:
    rng = random.Random(4)
    inserted = 0
    for _ in range(60):
        weights = [*random_weights(rng), 0.2]
        repairs = random_repairs(rng, shared=False)
        told = rng.sample(range(5), rng.randint(1, 3))
        check = Check("check", {cause: rng.choice([0.6, 0.9, 1]) for cause in told}, rng.choice([1, 3, 10, 30]))
        bare = plan(weights, repairs, 240)
        order = [next(repair for repair in repairs if repair.id == step) for step in bare.order]
        order += [repair for repair in repairs if repair not in order]
        places = [cost_with_check(weights, order, at, check, 240) for at in range(len(bare.order) + 1)]
        planned = plan(weights, [*repairs, check], 240)
        assert planned.expected_minutes == pytest.approx(min(bare.expected_minutes, *places), rel=1e-9)
        assert ("check" in planned.order) == (min(places) < bare.expected_minutes - 1e-6)
        if "check" in planned.order:
            inserted += 1
            assert planned.order.index("check") == places.index(min(places))
    assert 10 < inserted < 50


def test_ties_go_to_the_lower_risk_then_to_fewer_minutes_then_to_the_id() -> None:
    repairs = [
        Repair("risky", {0: 0.5}, minutes=5, risk_minutes=5),
        Repair("b", {1: 0.5}, minutes=10),
        Repair("a", {2: 0.5}, minutes=10),
        Repair("half", {3: 0.25}, minutes=5),
    ]
    assert plan([1, 1, 1, 1], repairs, 240).order == ["half", "a", "b", "risky"]


def test_efficiencies_that_differ_by_rounding_alone_are_a_tie() -> None:
    short, long = Repair("short", {0: 0.5}, minutes=1), Repair("long", {1: 0.5}, minutes=9)
    assert 0.03 * 9 / 9 > 0.03
    assert plan([0.03, 0.03 * 9, 0.7], [long, short], 240).order == ["short", "long"]


def test_a_step_that_only_opens_the_way_counts_with_what_it_opens() -> None:
    actions = [
        Repair("back-up", {}, minutes=2),
        Repair("reflash", {0: 0.9}, minutes=3, after=("back-up",)),
        Repair("replug", {1: 0.9}, minutes=4),
    ]
    assert plan([0.9, 0.1], actions, 240).order == ["back-up", "reflash", "replug"]
    assert plan([0.1, 0.9], actions, 240).order == ["replug", "back-up", "reflash"]


def test_opening_the_way_for_two_steps_is_paid_once_and_weighed_against_both() -> None:
    actions = [
        Repair("open-the-case", {}, minutes=30),
        Repair("reseat-card", {0: 1.0}, minutes=1, after=("open-the-case",)),
        Repair("reseat-memory", {1: 1.0}, minutes=1, after=("open-the-case",)),
        Repair("swap-the-cable", {2: 1.0}, minutes=25),
    ]
    planned = plan([0.3, 0.3, 0.4], actions, 240)
    assert planned.order == ["open-the-case", "reseat-card", "reseat-memory", "swap-the-cable"]
    assert planned.expected_minutes == pytest.approx(30 + 1 + 0.7 * 1 + 0.4 * 25)


def test_a_destructive_step_waits_for_the_harmless_one_even_if_it_is_far_more_efficient() -> None:
    wipe = Repair("wipe", {0: 1.0, 1: 0.5}, minutes=1, destructive=True)
    harmless = Repair("reload", {0: 0.2}, minutes=30)
    unrelated = Repair("replug", {2: 0.5}, minutes=5)
    assert plan([0.8, 0.1, 0.1], [wipe, harmless, unrelated], 240).order == ["reload", "wipe", "replug"]


def test_a_harmless_step_that_needs_the_destructive_one_comes_after_it() -> None:
    wipe = Repair("wipe", {0: 0.5}, minutes=1, destructive=True)
    restore = Repair("restore", {0: 0.9}, minutes=1, after=("wipe",))
    assert plan([1], [wipe, restore], 240).order == ["wipe", "restore"]


def test_repairs_dearer_than_escalating_are_dropped_and_named() -> None:
    repairs = [Repair("cheap", {0: 0.9}, minutes=5), Repair("dear", {1: 0.9}, minutes=50)]
    planned = plan([0.5, 0.5], repairs, 40)
    assert planned == Plan(order=["cheap"], expected_minutes=5 + 0.55 * 40, escalate_after=1, dropped=["dear"])


def test_a_repair_too_dear_on_suspicion_is_kept_for_when_a_check_shows_its_cause() -> None:
    actions: list[Action] = [Repair("rebuild", {0: 1.0}, minutes=30), Check("look", {0: 1.0}, minutes=1)]
    planned = plan([0.3, 0.7], actions, 60)
    assert planned.order == ["look", "rebuild"]
    assert planned.escalate_after == 0
    assert planned.expected_minutes == pytest.approx(1 + 0.3 * 30 + 0.7 * 60)


def test_a_repair_that_no_outcome_of_a_check_makes_worth_its_minutes_is_dropped() -> None:
    actions: list[Action] = [
        Repair("rebuild", {0: 1.0}, minutes=30),
        Repair("rewrite", {1: 1.0}, minutes=600),
        Check("look", {0: 1.0, 1: 1.0}, minutes=1),
    ]
    assert plan([0.3, 0.7], actions, 240).dropped == ["rewrite"]


def test_each_of_two_dear_repairs_gets_its_own_check() -> None:
    actions: list[Action] = [
        Repair("rebuild", {0: 1.0}, minutes=90),
        Repair("reflash", {1: 1.0}, minutes=80),
        Check("look-at-the-build", {0: 0.9}, minutes=2),
        Check("look-at-the-flash", {1: 0.9}, minutes=2),
    ]
    planned = plan([0.3, 0.3, 0.4], actions, 100)
    assert planned.order[:2] == ["look-at-the-build", "look-at-the-flash"] and len(planned.order) == 4
    shown = 0.3 * 0.9 * 90 + 0.3 * 0.9 * 80
    assert planned.expected_minutes == pytest.approx(2 + (1 - 0.3 * 0.9) * 2 + shown + (1 - 0.6 * 0.9) * 100)


def test_a_check_that_saves_nothing_is_dropped() -> None:
    actions: list[Action] = [Repair("retry", {0: 0.9}, minutes=1), Check("study", {0: 1.0}, minutes=20)]
    planned = plan([0.9, 0.1], actions, 240)
    assert (planned.order, planned.dropped) == (["retry"], ["study"])


def test_a_check_for_the_leading_cause_is_kept_if_nothing_else_reaches_it() -> None:
    retry, study = Repair("retry", {1: 0.9}, minutes=1), Check("study", {0: 0.9}, minutes=20)
    assert plan([0.8, 0.2], [retry, study], 240).order == ["retry", "study"]
    assert plan([0.2, 0.8], [retry, study], 240).order == ["retry"]


def test_nothing_is_repaired_only_to_be_able_to_check() -> None:
    wipe = Repair("wipe", {1: 0.1}, minutes=90, destructive=True)
    assert plan([0.8, 0.2], [wipe, Check("study", {0: 0.9}, minutes=20, after=("wipe",))], 240).order == []


def test_a_check_that_a_repair_waits_for_comes_with_it() -> None:
    actions: list[Action] = [
        Check("find-the-port", {}, minutes=1),
        Repair("open-the-port", {0: 0.9}, minutes=2, after=("find-the-port",)),
    ]
    planned = plan([0.8, 0.2], actions, 240)
    assert planned.order == ["find-the-port", "open-the-port"]
    assert planned.expected_minutes == pytest.approx(3 + 0.28 * 240)


@pytest.mark.parametrize(("weights", "escalation"), [([], 60.0), ([0, 0], 60.0), ([1, 2], 0.0)])
def test_where_no_step_can_help_the_plan_is_to_escalate(weights: list[float], escalation: float) -> None:
    repairs = [Repair("retry", {cause: 0.9 for cause, _ in enumerate(weights)}, minutes=5)]
    assert plan(weights, [], escalation) == Plan([], escalation, 0, [])
    assert plan(weights, repairs, escalation) == Plan([], escalation, 0, ["retry"])


@pytest.mark.parametrize(
    ("actions", "message"),
    [
        ([Repair("a", {0: 1}, 1, after=("b",)), Repair("b", {0: 1}, 1, after=("a",))], "wait for each other: . before"),
        ([Check("a", {0: 1}, 1, after=("a",))], "wait for each other: a before a"),
        ([Repair("a", {0: 1}, 1, after=("nowhere",))], r"do not exist: a \(after nowhere\)"),
        ([Repair("a", {0: 1}, 1), Check("a", {0: 1}, 1)], "share an id: a"),
        ([Repair("a", {2: 1}, 1)], "step a: there is no cause 2"),
        ([Check("a", {-1: 1}, 1)], "step a: there is no cause -1"),
        ([Repair("a", {0: 1.5}, 1)], "step a: 1.5 for cause 0 is not a probability"),
        ([Check("a", {0: math.nan}, 1)], "step a: nan for cause 0"),
        ([Repair("a", {0: 1}, -1)], "step a: -1 minutes"),
        ([Repair("a", {0: 1}, 1, risk_minutes=math.inf)], "step a: inf minutes"),
        ([Check(str(index), {}, 1) for index in range(MOST_STEPS + 1)], "longest checklist"),
    ],
)
def test_steps_that_cannot_be_planned_are_refused_by_name(actions: list[Action], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        plan([0.5, 0.5], actions, 60)


@pytest.mark.parametrize("weights", [[math.nan], [-1.0], [math.inf]])
def test_weights_that_are_none_are_refused(weights: list[float]) -> None:
    with pytest.raises(ValueError, match="weight must be a finite number"):
        plan(weights, [], 60)
    with pytest.raises(ValueError, match="weight must be a finite number"):
        expected_cost(weights, [], 60)
