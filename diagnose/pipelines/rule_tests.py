"""rules test: every rule against its own examples, with the whole rule set in force."""

from __future__ import annotations

from collections.abc import Iterable
from io import BytesIO

from msgspec import Struct

from diagnose.collectors import log
from diagnose.diagnosis import Diagnosis
from diagnose.engine.judge import Judge
from diagnose.engine.rule import Example, Rule
from diagnose.engine.target import Target, with_targets
from diagnose.evidence import Evidence, Fact, Subject
from diagnose.patterns import PatternSet
from diagnose.pipelines.rulebook import Rulebook


class Miss(Struct, frozen=True):
    """An example that did not do what it says."""

    rule: str
    file: str
    line: int
    wanted: str
    got: str


class RuleScore(Struct, frozen=True):
    """How a rule's examples went: positive ones that were raised rightly, negative ones that were not raised."""

    rule: str
    positives: int
    positives_right: int
    negatives: int
    negatives_right: int
    misses: list[Miss]


def run_examples(book: Rulebook, wanted: Iterable[str] = ()) -> list[RuleScore]:
    """The score of each rule (of those whose ids begin with one of `wanted`, if any are named)."""
    judge = Judge(book.rules)
    prefixes = tuple(wanted)
    return [
        _score(rule, judge, book.patterns) for rule in book.rules.rules if not prefixes or rule.id.startswith(prefixes)
    ]


def run_target_examples(book: Rulebook, targets: Iterable[Target], wanted: Iterable[str] = ()) -> list[RuleScore]:
    """The score of each limit of these targets, with all rules and the limits of its own target in force."""
    prefixes = tuple(wanted)
    scores = []
    for target in targets:
        judge = Judge(with_targets(book.rules, [target]))
        rules = [limit.rule for limit in target.limits if not prefixes or limit.rule.id.startswith(prefixes)]
        scores += [_score(rule, judge, book.patterns) for rule in rules]
    return scores


def _score(rule: Rule, judge: Judge, patterns: PatternSet) -> RuleScore:
    misses: list[Miss] = []
    right = {True: 0, False: 0}
    for example in rule.examples:
        complaint = _complaint(rule, example, judge.diagnoses(evidence_of(example, patterns)))
        if complaint is None:
            right[example.raised] += 1
        else:
            misses.append(Miss(rule.id, rule.file, example.line, *complaint))
    positives = sum(example.raised for example in rule.examples)
    return RuleScore(rule.id, positives, right[True], len(rule.examples) - positives, right[False], misses)


def evidence_of(example: Example, patterns: PatternSet) -> Evidence:
    """The evidence that an example's log or facts stand for."""
    if example.log:
        return log.collect(BytesIO(example.log.encode("utf-8")), patterns, Subject("log", "example"))
    evidence = Evidence(Subject("file", "example"))
    evidence.looked_for(frozenset(example.facts))
    for name, value in example.facts.items():
        values = value if isinstance(value, list) else [value]
        for item in values:
            if item is not None:
                evidence.add(Fact(name, item, where="example"))
    return evidence


def _complaint(rule: Rule, example: Example, diagnoses: list[Diagnosis]) -> tuple[str, str] | None:
    """What was wanted and what came instead, or None if the example is fulfilled."""
    told = ", ".join(f"{d.rule} ({d.causes[0].id})" for d in diagnoses) or "nothing"
    mine = next((d for d in diagnoses if d.rule == rule.id), None)
    if not example.raised:
        return None if mine is None else ("not raised", told)
    if mine is None or (diagnoses[0].rule != rule.id and not rule.target):
        return "raised, and first", told
    if example.cause and mine.causes[0].id != example.cause:
        ranked = ", ".join(f"{cause.id} {cause.probability:.2f}" for cause in mine.causes[:3])
        return f"cause {example.cause}", ranked
    steps = [step.id for step in mine.checklist]
    if example.first_step and steps[:1] != [example.first_step]:
        return f"first step {example.first_step}", ", ".join(steps[:3]) or "no step"
    return None
