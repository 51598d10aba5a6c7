import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from diagnose.engine.ranking import WeighedEvidence, posterior

PRESENT = WeighedEvidence(weight=4, seen=True, sensitivity=0.8)
ABSENT = WeighedEvidence(weight=4, seen=False, sensitivity=0.8)
UNOBSERVED = WeighedEvidence(weight=4, seen=None, sensitivity=0.8)

clues = st.builds(
    WeighedEvidence,
    weight=st.floats(0, 1e6),
    seen=st.sampled_from([True, False, None]),
    sensitivity=st.floats(0, 1),
)
causes = st.lists(st.tuples(st.floats(0, 1), st.lists(clues, max_size=6)), max_size=6)


@pytest.mark.parametrize(
    ("clue", "expected"),
    [
        (PRESENT, 4 / 5),
        (ABSENT, 0.25 / 1.25),  # (1 - 0.8) / (1 - 0.8 / 4)
        (UNOBSERVED, 1 / 2),
        (WeighedEvidence(weight=4, seen=False, sensitivity=0), 1 / 2),
        (WeighedEvidence(weight=0.25, seen=True), 0.25 / 1.25),
        (WeighedEvidence(weight=0.25, seen=False, sensitivity=0.1), 1 / 2),
        (WeighedEvidence(weight=1, seen=True), 1 / 2),
        (WeighedEvidence(weight=1, seen=False, sensitivity=1), 1 / 2),
        (WeighedEvidence(weight=1e9, seen=True), 100 / 101),
        (WeighedEvidence(weight=math.inf, seen=False, sensitivity=0.5), 0.5 / 1.5),
        (WeighedEvidence(weight=0, seen=True), 0.01 / 1.01),
        (WeighedEvidence(weight=50, seen=False, sensitivity=1), 0.01 / 1.01),
    ],
)
def test_one_clue_moves_even_odds_by_its_likelihood_ratio_within_bounds(clue: WeighedEvidence, expected: float) -> None:
    assert posterior([0.5], [[clue]], 0.5) == pytest.approx([expected, 1 - expected])


def test_clues_multiply_and_priors_need_not_sum_to_one() -> None:
    assert posterior([3, 2], [[PRESENT, PRESENT], [ABSENT]], 1.5) == pytest.approx([48 / 50, 0.5 / 50, 1.5 / 50])


def test_other_wins_when_the_evidence_speaks_against_every_named_cause() -> None:
    against = WeighedEvidence(weight=0.02, seen=True)
    probabilities = posterior([0.6, 0.35], [[against], [against, ABSENT]], 0.05)
    assert max(probabilities) == probabilities[-1] > 0.7


def test_hundreds_of_clues_neither_underflow_nor_overflow() -> None:
    against = [WeighedEvidence(weight=0, seen=True)] * 900
    speaking_for = [WeighedEvidence(weight=1e9, seen=True)] * 900
    assert posterior([0.5, 0.5], [against, against], 0) == pytest.approx([0.5, 0.5, 0])
    assert posterior([0.5, 0.5], [speaking_for, speaking_for], 0.1) == pytest.approx([0.5, 0.5, 0])


@pytest.mark.parametrize("priors", [[], [0, 0]])
def test_without_any_prior_the_cause_is_another_one(priors: list[float]) -> None:
    assert posterior(priors, [[PRESENT] for _ in priors], 0)[-1] == 1


@given(causes, st.floats(0, 1))
def test_probabilities_sum_to_one(weighed: list[tuple[float, list[WeighedEvidence]]], other: float) -> None:
    probabilities = posterior([prior for prior, _ in weighed], [evidence for _, evidence in weighed], other)
    assert len(probabilities) == len(weighed) + 1
    assert math.isclose(sum(probabilities), 1)
    assert all(0 <= probability <= 1 for probability in probabilities)


@given(st.floats(0.01, 1), st.lists(clues, max_size=4), st.floats(0, 200), st.floats(0, 200), st.floats(0, 1))
def test_what_was_seen_speaks_the_more_for_a_cause_the_larger_its_weight(
    prior: float, others: list[WeighedEvidence], one: float, two: float, sensitivity: float
) -> None:
    smaller, larger = sorted([one, two])

    def probability(weight: float, seen: bool) -> float:
        return posterior([prior, 0.3], [[*others, WeighedEvidence(weight, seen, sensitivity)], []], 0.1)[0]

    assert probability(smaller, True) <= probability(larger, True) + 1e-12
    assert probability(smaller, False) >= probability(larger, False) - 1e-12


@given(st.floats(1.05, 90), st.floats(0.05, 0.95))
def test_present_absent_and_unobserved_are_three_different_answers(weight: float, sensitivity: float) -> None:
    absent, unobserved, present = (
        posterior([0.5], [[WeighedEvidence(weight, seen, sensitivity)]], 0.5)[0] for seen in (False, None, True)
    )
    assert absent < unobserved < present


@pytest.mark.parametrize(
    ("priors", "evidence", "other"),
    [
        ([0.5], [], 0.1),
        ([-0.1], [[]], 0.1),
        ([math.nan], [[]], 0.1),
        ([0.5], [[]], math.inf),
        ([0.5], [[WeighedEvidence(weight=-1, seen=True)]], 0.1),
        ([0.5], [[WeighedEvidence(weight=math.nan, seen=None)]], 0.1),
        ([0.5], [[WeighedEvidence(weight=2, seen=False, sensitivity=1.1)]], 0.1),
    ],
)
def test_numbers_that_are_no_odds_are_refused(
    priors: list[float], evidence: list[list[WeighedEvidence]], other: float
) -> None:
    with pytest.raises(ValueError, match=r"prior|likelihood|evidence for"):
        posterior(priors, evidence, other)
