"""The screen says exactly where the judge raises nothing, by whichever condition a rule is entered."""

from __future__ import annotations

from pathlib import Path

import pytest

from diagnose.diagnosis import Diagnosis
from diagnose.engine.judge import Judge
from diagnose.engine.load import load
from diagnose.engine.screening import Screen
from diagnose.evidence import Evidence, Fact, FactSpec, Subject, Value
from diagnose.pipelines.files import collect_path
from diagnose.pipelines.rule_tests import evidence_of
from diagnose.pipelines.rulebook import Rulebook

FIXTURES = Path(__file__).resolve().parents[2] / "fixtures"
FACTS = [
    FactSpec("box.format", "str", "a word"),
    FactSpec("box.parts", "strs", "words"),
    FactSpec("box.open", "bool", "a truth"),
    FactSpec("box.size", "int", "a number"),
]
RULE = """rules:
- id: text/box
  layer: text
  severity: error
  title: {{en: Box}}
  match: {match}
  causes:
  - {{id: only, title: {{en: Only}}, prior: 0.9}}
  steps:
  - {{id: mend, repair: {{en: Mend}}, fixes: {{only: 0.9}}, minutes: 5}}
  sources: [s]
  examples: [{{log: x}}]
"""
EVIDENCE: list[dict[str, Value | None]] = [
    {},
    {"box.format": "crate"},
    {"box.format": "CRATE", "box.open": False},
    {"box.format": "sack", "box.parts": ["lid", "Hinge"], "box.open": True},
    {"box.parts": ["crate"], "box.size": 12},
    {"box.open": None, "box.size": 3},
    {"box.size": None, "box.format": None},
    {"box.size": 5, "box.format": "sack"},
]


def evidence(facts: dict[str, Value | None]) -> Evidence:
    made = Evidence(Subject("file", "x"))
    made.looked_for(frozenset({"box.parts", "box.size"}))
    for name, value in facts.items():
        made.add(Fact(name, value, not_checked="" if value is not None else "no time"))
    return made


@pytest.mark.parametrize(
    "match",
    [
        "{fact: {box.format: crate}}",
        "{fact: {box.format|in: [crate, sack]}}",
        "{fact: {box.parts|has: hinge}}",
        "{fact: {box.open: false}}",
        "{fact: {box.open|known: true}}",
        "{fact: {box.size|not_checked: true}}",
        "{fact: {box.size|gt: 4}}",
        "{fact: {box.format|ne: crate}}",
        "{all: [{fact: {box.size|known: true}}, {not: {fact: {box.format: crate}}}]}",
        "{all: [{fact: {box.format|known: true}}, {fact: {box.parts|absent: true}}]}",
        "{any: [{fact: {box.open: true}}, {all: [{fact: {box.size|lt: 4}}, {fact: {box.open|absent: false}}]}]}",
        "{any: [{fact: {box.open: true}}, {log: never printed}]}",
    ],
)
def test_screen_and_judge_agree_for_every_kind_of_condition(tmp_path: Path, match: str) -> None:
    path = tmp_path / "box.yaml"
    path.write_text(RULE.format(match=match), encoding="utf-8")
    rules = load([path], FACTS)[0]
    screen, judge = Screen(rules), Judge(rules)
    judged = [judge.diagnoses(evidence(facts)) for facts in EVIDENCE]
    assert [screened(screen, evidence(facts)) for facts in EVIDENCE] == judged
    assert len(set(map(len, judged))) == 2, "these cases do not try the condition"


def screened(screen: Screen, seen: Evidence) -> list[Diagnosis]:
    """What the judge concludes from the rules that the screen leaves."""
    rules = screen.raised_by(seen)
    return Judge(rules).diagnoses(seen) if rules is not None else []


def test_screen_and_judge_agree_on_all_examples_of_the_shipped_rules(book: Rulebook) -> None:
    screen, judge = Screen(book.rules), Judge(book.rules)
    examples = [example for rule in book.rules.rules for example in rule.examples if not example.log]
    assert len(examples) > 100
    differing = []
    for example in examples:
        seen = evidence_of(example, book.patterns)
        if screened(screen, seen) != judge.diagnoses(seen):
            differing.append((example.line, example.facts))
    assert differing == []


def test_screen_and_judge_agree_on_files(book: Rulebook) -> None:
    screen, judge = Screen(book.rules), Judge(book.rules)
    found = {}
    for path in sorted((FIXTURES / "dataset").rglob("*.*")):
        seen = collect_path(str(path))
        found[path.name] = screened(screen, seen)
        assert found[path.name] == judge.diagnoses(seen)
    assert found["cut.jpg"] and not found["ok-0.jpg"]


def test_screen_names_no_rule_for_sound_files(book: Rulebook) -> None:
    screen = Screen(book.rules)
    passed = {
        path.name
        for path in (FIXTURES / "dataset" / "train").iterdir()
        if screen.raised_by(collect_path(str(path))) is None
    }
    assert {"ok-0.jpg", "ok-6.png", "ok-7.webp"} <= passed
    assert not passed & {"cut.jpg", "hole.jpg", "page.jpg", "empty.jpg", "is-a-png.jpg"}
