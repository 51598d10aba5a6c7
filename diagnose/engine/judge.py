"""The engine: evidence in, diagnoses out, the most important first. It judges and never looks."""

from __future__ import annotations

import sys
from collections.abc import Iterable

from msgspec import Struct

from diagnose.derivations import derive
from diagnose.diagnosis import Diagnosis
from diagnose.engine.conclude import conclude
from diagnose.engine.evaluate import Outcome, View, evaluate
from diagnose.engine.incidents import Incident, incidents
from diagnose.engine.lines import Lines
from diagnose.engine.rule import Rule, RuleSet
from diagnose.evidence import Evidence, Fact, Hit, Value

DEEPER_CAUSE = "log.deeper_cause"
"""The fact (rules/context/structure.yaml) of a line after which a deeper cause follows."""


class Raised(Struct, frozen=True, eq=False):
    """A rule that matched: in which incident, on which evidence, and where in the log (0, 0 where there is none)."""

    rule: Rule
    view: View
    outcome: Outcome
    incident: Incident | None
    line: int
    column: int


class Judge:
    """Applies one rule set in one language. Made once, used for any number of subjects."""

    def __init__(self, rules: RuleSet, language: str = "en") -> None:
        self.rules = rules
        self.language = language

    def diagnoses(self, evidence: Evidence) -> list[Diagnosis]:
        """What the rules conclude from the evidence on one subject."""
        state_facts(self.rules, evidence)
        derive(evidence)
        raised = [*self._raised_by_hits(evidence), *self._raised_by_facts(evidence)]
        kept = _root_causes(raised)
        deeper = [_line(fact) for fact in evidence.known(DEEPER_CAUSE)]
        ordered = sorted(kept, key=lambda one: _importance(one, deeper))
        concluded = [conclude(r.rule, r.view, r.outcome, kept[r], self.language) for r in ordered]
        return _merged(concluded)

    def _raised_by_hits(self, evidence: Evidence) -> Iterable[Raised]:
        for incident in incidents(self.rules, evidence):
            candidates = {
                index
                for pattern in incident.lines.patterns()
                if any(incident.holds(hit) for hit in incident.lines.hits(pattern))
                for index in self.rules.by_pattern.get(pattern, ())
            }
            for rule in self._in_order(candidates):
                raised = _raise(rule, View(evidence, incident.lines), incident)
                if raised is not None:
                    yield raised

    def _raised_by_facts(self, evidence: Evidence) -> Iterable[Raised]:
        candidates = {index for name in evidence.names() for index in self.rules.by_fact.get(name, ())}
        lines = Lines(self.rules, evidence, 1, sys.maxsize) if evidence.subject.kind == "log" else None
        judged = {index for hit in evidence.hits for index in self.rules.by_pattern.get(hit.pattern, ())}
        for rule in self._in_order(candidates - judged):
            raised = _raise(rule, View(evidence, lines), None)
            if raised is not None:
                yield raised

    def _in_order(self, candidates: Iterable[int]) -> list[Rule]:
        return [self.rules.rules[index] for index in sorted(candidates)]


def state_facts(rules: RuleSet, evidence: Evidence) -> None:
    """Adds the facts that the log's lines state, by the rule set's extractions; each value once."""
    if not evidence.hits:
        return
    by_pattern: dict[int, list[Hit]] = {}
    for hit in evidence.hits:
        by_pattern.setdefault(hit.pattern, []).append(hit)
    for extraction in rules.extractions:
        seen: set[object] = {str(fact.value) for fact in evidence.known(extraction.fact.name)}
        for pattern in extraction.patterns:
            for hit in by_pattern.get(pattern, ()):
                value = _typed(hit.captures.get("value", ""), extraction.fact.type)
                if value is not None and str(value) not in seen:
                    seen.add(str(value))
                    evidence.add(Fact(extraction.fact.name, value, f"line {hit.line}", hit.text))


def _typed(text: str, kind: str) -> Value | None:
    try:
        if kind == "int":
            return int(text.replace(",", ""), 16 if text.lower().startswith("0x") else 10)
        if kind == "float":
            return float(text)
    except ValueError:
        return None
    if kind == "bool":
        return text.lower() in ("true", "yes", "on", "1", "enabled")
    if kind == "strs":
        return [part.strip(" '\"[]") for part in text.split(",") if part.strip(" '\"[]")]
    return text or None


def _raise(rule: Rule, view: View, incident: Incident | None) -> Raised | None:
    outcome = evaluate(rule.match, view)
    if not outcome.holds:
        return None
    hits = [item for item in outcome.seen if isinstance(item, Hit)]
    inside = [hit for hit in hits if incident is None or incident.holds(hit)]
    if hits and not inside:
        return None
    for hit in inside or hits:
        for name, value in hit.captures.items():
            view.captures.setdefault(name, value)
    lines = [hit.line for hit in inside] or [_line(item) for item in outcome.seen if isinstance(item, Fact)]
    line = min(lines, default=0)
    column = max((hit.start for hit in inside if hit.line == line), default=0)
    return Raised(rule, view, outcome, incident, line, column)


def _line(fact: Fact) -> int:
    """The line where a fact stands, 0 where it is no line."""
    word, _, number = fact.where.partition(" ")
    return int(number) if word == "line" and number.isdigit() else 0


def _root_causes(raised: list[Raised]) -> dict[Raised, list[str]]:
    """The raised rules that no other one explains, each with the ids of those that follow from it.

    A generic rule yields to any other rule of its incident. Rules that explain each other are both kept.
    """
    kept: dict[Raised, list[str]] = {}
    for one in raised:
        neighbours = [other for other in raised if other is not one and other.incident is one.incident]
        if not any(_explains(other, one) and not _explains(one, other) for other in neighbours):
            followers = [other.rule.id for other in neighbours if _follows(other, one)]
            kept[one] = list(dict.fromkeys(followers))
    return kept


def _follows(other: Raised, one: Raised) -> bool:
    """Whether `other` is a consequence worth telling: not the same line, read without understanding."""
    return _explains(one, other) and not (other.rule.generic and other.line == one.line)


def _explains(one: Raised, other: Raised) -> bool:
    if one.rule.id == other.rule.id:
        return False
    if other.rule.generic and not one.rule.generic and one.rule.severity.rank >= other.rule.severity.rank:
        return True
    return any(
        other.rule.id.startswith(target[:-1]) if target.endswith("*") else other.rule.id == target
        for target in one.rule.explains
    )


def _importance(raised: Raised, deeper: list[int]) -> tuple[int, bool, bool, int, int, int, int, str]:
    """Severity, limits of targets after the rest; then the earliest incident; in it what follows most `Caused by`, else
    the earliest line; in a line the rightmost hit, where the deepest part of a wrapped error stands."""
    rule, incident = raised.rule, raised.incident
    first = incident.first_line if incident is not None else raised.line
    depth = sum(first <= line <= raised.line for line in deeper)
    return (-rule.severity.rank, rule.generic, bool(rule.target), first, -depth, raised.line, -raised.column, rule.id)


def _merged(diagnoses: list[Diagnosis]) -> list[Diagnosis]:
    """The same rule with the same likeliest cause in several incidents is told once, with the first one's evidence."""
    seen: dict[tuple[str, str], Diagnosis] = {}
    for diagnosis in diagnoses:
        seen.setdefault((diagnosis.rule, diagnosis.causes[0].id), diagnosis)
    return list(seen.values())
