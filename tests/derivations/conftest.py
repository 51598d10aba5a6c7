"""Evidence as a log states it."""

from __future__ import annotations

from collections.abc import Callable
from io import BytesIO

import pytest

from diagnose.collectors import log
from diagnose.derivations import derive
from diagnose.engine.judge import state_facts
from diagnose.evidence import Evidence, Fact, Subject, Value
from diagnose.pipelines.rulebook import Rulebook

FromFacts = Callable[..., Evidence]
FromLog = Callable[[str], Evidence]


@pytest.fixture
def from_facts() -> FromFacts:
    """What follows from facts, given as name and value, each on a line of its own in this order."""

    def build(*facts: tuple[str, Value]) -> Evidence:
        evidence = Evidence(Subject("log", "x.log"))
        for line, (name, value) in enumerate(facts, 1):
            evidence.add(Fact(name, value, f"line {line}"))
        derive(evidence)
        return evidence

    return build


@pytest.fixture
def from_log(book: Rulebook) -> FromLog:
    """What follows from the text of a log, read with the shipped rules."""

    def build(text: str) -> Evidence:
        evidence = log.collect(BytesIO(text.encode()), book.patterns, Subject("log", "x.log"))
        state_facts(book.rules, evidence)
        derive(evidence)
        return evidence

    return build
