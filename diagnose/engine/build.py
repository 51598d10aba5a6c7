"""Rules from nodes that already fit the form: checks what the form cannot, names against names and types."""

from __future__ import annotations

import re
from collections.abc import Iterable

from diagnose.diagnosis import Layer, Risk, Severity
from diagnose.engine.actions import actions
from diagnose.engine.conditions import Scope
from diagnose.engine.form import Node, children, data, entry, items, pairs, place, plain, required, string
from diagnose.engine.precedence import compile_steps
from diagnose.engine.problems import Problem, nearest
from diagnose.engine.reading import Reading
from diagnose.engine.rule import (
    Clue,
    Example,
    Extraction,
    Rule,
    RuleCause,
    RuleSet,
    RuleStep,
    rule_set,
)
from diagnose.evidence import FactSpec
from diagnose.patterns.linear import group_names

DEFAULT_OTHER = 0.1
"""Prior of the cause that no rule lists."""

CAPTURE_SENSITIVITY = 0.9
FACT_SENSITIVITY = 0.6
LOG_SENSITIVITY = 0.0
"""What the absence of a clue says by default. A line that is not in a log says nothing: logs are pasted in parts."""


class Builder(Reading):
    """Collects the rules of all files; `rule_set` returns them."""

    def __init__(self, declared: Iterable[FactSpec], problems: list[Problem]) -> None:
        super().__init__(declared, problems)
        self.rules: list[Rule] = []
        self.extractions: list[Extraction] = []
        self._explained: list[tuple[str, Node]] = []

    def add_extractions(self, root: Node) -> None:
        """The facts that a file's `facts` declare. They must be known before any rule is built."""
        for node in items(root, "facts"):
            name, log = string(node, "name"), required(node, "log")
            if name in self.facts:
                self.complain(required(node, "name"), f"the fact {name!r} is declared already")
                continue
            spec = FactSpec(name, string(node, "type"), string(node, "meaning"), string(node, "unit"))
            patterns = self.conditions.patterns_of(log)
            for child in children(log):
                if "value" not in _safe_group_names(child.value):
                    self.complain(child, "the pattern has no group (?P<value>...)")
            self.facts[name] = spec
            self.extractions.append(Extraction(spec, patterns))

    def add_rules(self, root: Node) -> None:
        for node in items(root, "rules"):
            self._add_rule(node)

    def check_explains(self) -> None:
        """Has a look at each `explains`, once all rules are known."""
        ids = [rule.id for rule in self.rules]
        for target, node in self._explained:
            self.check_explained(target, node, ids)

    def rule_set(self, files: list[str]) -> RuleSet:
        """All rules. There must be no serious problem."""
        return rule_set(self.rules, self.extractions, self.conditions.patterns, files)

    def _add_rule(self, node: Node) -> None:
        rule_id, id_node = string(node, "id"), required(node, "id")
        if any(rule.id == rule_id for rule in self.rules):
            self.complain(id_node, f"another rule is called {rule_id!r}")
        if not re.fullmatch(r"[a-z0-9-]+/[a-z0-9-]+", rule_id):
            self.complain(id_node, f"{rule_id!r} is no id of the form layer/what-is-wrong")
        scope = Scope(self._captures(required(node, "match")))
        causes = [self._cause(child, scope) for child in items(node, "causes")]
        cause_ids = self.unique(items(node, "causes"), "cause of this rule")
        step_ids = self.unique(items(node, "steps"), "step of this rule")
        steps = [self._step(child, scope, cause_ids, step_ids) for child in items(node, "steps")]
        for child in items(node, "explains"):
            self._explained.append((child.value, child))
        self._check_plan(required(node, "steps"), steps, causes)
        self.rules.append(
            Rule(
                id=rule_id,
                layer=Layer(string(node, "layer")),
                severity=Severity(string(node, "severity")),
                title=self.text(required(node, "title")),
                summary=self.optional_text(node, "summary"),
                match=self.conditions.condition(required(node, "match"), Scope(scope.captures, in_match=True)),
                causes=causes,
                steps=steps,
                other=plain(node, "other", DEFAULT_OTHER),
                generic=plain(node, "generic", False),
                explains=plain(node, "explains", []),
                sources=plain(node, "sources", []),
                examples=self._examples(node, cause_ids, step_ids),
                file=place(node).file,
                line=place(node).line,
            )
        )

    def _check_plan(self, node: Node, steps: list[RuleStep], causes: list[RuleCause]) -> None:
        """Complains of steps that wait for each other, and whatever else the planner would refuse."""
        if self.problems and any(problem.serious for problem in self.problems):
            return
        try:
            compile_steps(actions(steps, causes), len(causes) + 1)
        except ValueError as error:
            self.complain(node, str(error))

    def _captures(self, match: Node) -> set[str]:
        """The named groups of all patterns below `match`."""
        names: set[str] = set()
        for key, _, value in pairs(match):
            if key == "log":
                for child in children(value):
                    names.update(_safe_group_names(child.value))
            elif key in ("all", "any"):
                for child in children(value):
                    names |= self._captures(child)
        return names

    def _cause(self, node: Node, scope: Scope) -> RuleCause:
        layer = entry(node, "layer")
        clues = [self._clue(child, scope, speaks_for=True) for child in items(node, "for")]
        clues += [self._clue(child, scope, speaks_for=False) for child in items(node, "against")]
        return RuleCause(
            id=string(node, "id"),
            title=self.text(required(node, "title")),
            detail=self.optional_text(node, "detail"),
            layer=Layer(layer.value) if layer is not None else None,
            prior=float(plain(node, "prior", 0)),
            clues=clues,
        )

    def _clue(self, node: Node, scope: Scope, speaks_for: bool) -> Clue:
        condition = self.conditions.condition(node, scope)
        weight = float(plain(node, "weight", 1))
        keys = {name for name, _, _ in pairs(node)}
        default = LOG_SENSITIVITY
        if keys & {"capture"}:
            default = CAPTURE_SENSITIVITY
        elif keys & {"fact"}:
            default = FACT_SENSITIVITY
        sensitivity = float(plain(node, "sensitivity", default))
        return Clue(condition, weight if speaks_for else 1 / weight, sensitivity)

    def _step(self, node: Node, scope: Scope, causes: set[str], steps: set[str]) -> RuleStep:
        kind = "check" if entry(node, "check") is not None else "repair"
        told, fixed = entry(node, "tells"), entry(node, "fixes")
        for mapping in (told, fixed):
            for name, key, _ in pairs(mapping) if mapping is not None else []:
                if name not in causes and name != "other":
                    self.complain(key, f"this rule has no cause {name!r}{nearest(name, causes)}")
        if kind == "repair" and fixed is None:
            self.complain(node, "a repair says which causes it `fixes`")
        for child in children(entry(node, "after")):
            if child.value not in steps:
                self.complain(child, f"this rule has no step {child.value!r}{nearest(child.value, steps)}")
        commands = [*children(entry(node, "run")), *children(entry(node, "verify"))]
        for command in commands:
            self.check_command(command, scope)
        when = entry(node, "when")
        return RuleStep(
            id=string(node, "id"),
            kind=kind,
            title=self.text(required(node, kind)),
            detail=self.optional_text(node, "detail"),
            commands=[child.value for child in children(entry(node, "run"))],
            minutes=float(plain(node, "minutes", 1)),
            risk=Risk(string(node, "risk") or "none"),
            verify=string(node, "verify"),
            tells={name: self.loose_text(value) for name, _, value in (pairs(told) if told is not None else [])},
            fixes={name: float(data(value)) for name, _, value in (pairs(fixed) if fixed is not None else [])},
            after=[child.value for child in children(entry(node, "after"))],
            when=self.optional_condition(when, scope),
        )

    def _examples(self, node: Node, causes: set[str], steps: set[str]) -> list[Example]:
        examples = []
        for child in items(node, "examples"):
            values = data(child)
            cause, step, stated = values.get("cause", ""), values.get("first_step", ""), entry(child, "facts")
            if cause and cause not in causes and cause != "other":
                self.complain(required(child, "cause"), f"this rule has no cause {cause!r}{nearest(cause, causes)}")
            if step and step not in steps:
                self.complain(required(child, "first_step"), f"this rule has no step {step!r}{nearest(step, steps)}")
            self.check_facts(stated)
            examples.append(
                Example(
                    raised=values.get("raises") != "nothing",
                    line=place(child).line,
                    log=values.get("log", ""),
                    facts=values.get("facts", {}),
                    cause=cause,
                    first_step=step,
                )
            )
        return examples


def _safe_group_names(expression: str) -> list[str]:
    try:
        return group_names(expression)
    except re.error:
        return []
