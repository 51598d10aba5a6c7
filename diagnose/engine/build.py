"""Rules from nodes that already fit the form: checks what the form cannot, names against names and types."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Any

from diagnose.diagnosis import Layer, Risk, Severity
from diagnose.engine.actions import actions
from diagnose.engine.commands import FILE_PLACEHOLDER, placeholders, quoted_placeholders
from diagnose.engine.conditions import ConditionBuilder, Scope
from diagnose.engine.form import Node, data, entry, pairs, place
from diagnose.engine.precedence import compile_steps
from diagnose.engine.problems import Problem, nearest
from diagnose.engine.rule import (
    Clue,
    Condition,
    Example,
    Extraction,
    Rule,
    RuleCause,
    RuleSet,
    RuleStep,
    Text,
    rule_set,
)
from diagnose.engine.rule_form import LANGUAGES
from diagnose.evidence import FactSpec
from diagnose.patterns.linear import group_names

DEFAULT_OTHER = 0.1
"""Prior of the cause that no rule lists."""

CAPTURE_SENSITIVITY = 0.9
FACT_SENSITIVITY = 0.6
LOG_SENSITIVITY = 0.0
"""What the absence of a clue says by default. A line that is not in a log says nothing: logs are pasted in parts."""


class Builder:
    """Collects the rules of all files; `finish` returns them."""

    def __init__(self, declared: Iterable[FactSpec], problems: list[Problem]) -> None:
        self.problems = problems
        self.facts = {spec.name: spec for spec in declared}
        self.conditions = ConditionBuilder(self.facts, problems)
        self.rules: list[Rule] = []
        self.extractions: list[Extraction] = []
        self._explained: list[tuple[str, Node]] = []

    def add_extractions(self, root: Node) -> None:
        """The facts that a file's `facts` declare. They must be known before any rule is built."""
        for node in _items(root, "facts"):
            name, log = _string(node, "name"), _required(node, "log")
            if name in self.facts:
                self._complain(_required(node, "name"), f"the fact {name!r} is declared already")
                continue
            spec = FactSpec(name, _string(node, "type"), _string(node, "meaning"), _string(node, "unit"))
            patterns = self.conditions.patterns_of(log)
            for child in _children(log):
                if "value" not in _safe_group_names(child.value):
                    self._complain(child, "the pattern has no group (?P<value>...)")
            self.facts[name] = spec
            self.extractions.append(Extraction(spec, patterns))

    def add_rules(self, root: Node) -> None:
        for node in _items(root, "rules"):
            self._add_rule(node)

    def check_explains(self) -> None:
        """An `explains` that names no rule is worth a remark: the other may be in another folder."""
        ids = [rule.id for rule in self.rules]
        for target, node in self._explained:
            known = any(rule_id.startswith(target[:-1]) for rule_id in ids) if target.endswith("*") else target in ids
            if not known:
                remark = f"no rule is called {target!r}{nearest(target, ids)}"
                self.problems.append(Problem(place(node), remark, serious=False))

    def rule_set(self, files: list[str]) -> RuleSet:
        """All rules. There must be no serious problem."""
        return rule_set(self.rules, self.extractions, self.conditions.patterns, files)

    def _add_rule(self, node: Node) -> None:
        rule_id, id_node = _string(node, "id"), _required(node, "id")
        if any(rule.id == rule_id for rule in self.rules):
            self._complain(id_node, f"another rule is called {rule_id!r}")
        if not re.fullmatch(r"[a-z0-9-]+/[a-z0-9-]+", rule_id):
            self._complain(id_node, f"{rule_id!r} is no id of the form layer/what-is-wrong")
        scope = Scope(self._captures(_required(node, "match")))
        causes = [self._cause(child, scope) for child in _items(node, "causes")]
        cause_ids = self._unique(_items(node, "causes"), "cause")
        step_ids = self._unique(_items(node, "steps"), "step")
        steps = [self._step(child, scope, cause_ids, step_ids) for child in _items(node, "steps")]
        for child in _items(node, "explains"):
            self._explained.append((child.value, child))
        self._check_plan(_required(node, "steps"), steps, causes)
        self.rules.append(
            Rule(
                id=rule_id,
                layer=Layer(_string(node, "layer")),
                severity=Severity(_string(node, "severity")),
                title=self._text(_required(node, "title")),
                summary=self._optional_text(node, "summary"),
                match=self.conditions.condition(_required(node, "match"), Scope(scope.captures, in_match=True)),
                causes=causes,
                steps=steps,
                other=_value(node, "other", DEFAULT_OTHER),
                generic=_value(node, "generic", False),
                explains=_value(node, "explains", []),
                sources=_value(node, "sources", []),
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
            self._complain(node, str(error))

    def _captures(self, match: Node) -> set[str]:
        """The named groups of all patterns below `match`."""
        names: set[str] = set()
        for key, _, value in pairs(match):
            if key == "log":
                for child in _children(value):
                    names.update(_safe_group_names(child.value))
            elif key in ("all", "any"):
                for child in _children(value):
                    names |= self._captures(child)
        return names

    def _cause(self, node: Node, scope: Scope) -> RuleCause:
        layer = entry(node, "layer")
        clues = [self._clue(child, scope, speaks_for=True) for child in _items(node, "for")]
        clues += [self._clue(child, scope, speaks_for=False) for child in _items(node, "against")]
        return RuleCause(
            id=_string(node, "id"),
            title=self._text(_required(node, "title")),
            detail=self._optional_text(node, "detail"),
            layer=Layer(layer.value) if layer is not None else None,
            prior=float(_value(node, "prior", 0)),
            clues=clues,
        )

    def _clue(self, node: Node, scope: Scope, speaks_for: bool) -> Clue:
        condition = self.conditions.condition(node, scope)
        weight = float(_value(node, "weight", 1))
        keys = {name for name, _, _ in pairs(node)}
        default = LOG_SENSITIVITY
        if keys & {"capture"}:
            default = CAPTURE_SENSITIVITY
        elif keys & {"fact"}:
            default = FACT_SENSITIVITY
        sensitivity = float(_value(node, "sensitivity", default))
        return Clue(condition, weight if speaks_for else 1 / weight, sensitivity)

    def _step(self, node: Node, scope: Scope, causes: set[str], steps: set[str]) -> RuleStep:
        kind = "check" if entry(node, "check") is not None else "repair"
        told, fixed = entry(node, "tells"), entry(node, "fixes")
        for mapping in (told, fixed):
            for name, key, _ in pairs(mapping) if mapping is not None else []:
                if name not in causes and name != "other":
                    self._complain(key, f"this rule has no cause {name!r}{nearest(name, causes)}")
        if kind == "repair" and fixed is None:
            self._complain(node, "a repair says which causes it `fixes`")
        for child in _children(entry(node, "after")):
            if child.value not in steps:
                self._complain(child, f"this rule has no step {child.value!r}{nearest(child.value, steps)}")
        commands = [*_children(entry(node, "run")), *_children(entry(node, "verify"))]
        for command in commands:
            self._check_command(command, scope)
        when = entry(node, "when")
        return RuleStep(
            id=_string(node, "id"),
            kind=kind,
            title=self._text(_required(node, kind)),
            detail=self._optional_text(node, "detail"),
            commands=[child.value for child in _children(entry(node, "run"))],
            minutes=float(_value(node, "minutes", 1)),
            risk=Risk(_string(node, "risk") or "none"),
            verify=_string(node, "verify"),
            tells={name: self._loose_text(value) for name, _, value in (pairs(told) if told is not None else [])},
            fixes={name: float(data(value)) for name, _, value in (pairs(fixed) if fixed is not None else [])},
            after=[child.value for child in _children(entry(node, "after"))],
            when=self._optional_condition(when, scope),
        )

    def _check_command(self, node: Node, scope: Scope) -> None:
        """Placeholders must be known, and stand outside quotes: the values bring their own."""
        names = {*scope.captures, *self.facts, FILE_PLACEHOLDER}
        for name in placeholders(node.value):
            if name not in names:
                self._complain(node, f"{{{name}}} is neither a capture of `match` nor a fact{nearest(name, names)}")
        for quoted in quoted_placeholders(node.value):
            self._complain(node, f"a placeholder stands inside quotes in {quoted}; it is quoted when it is filled")

    def _examples(self, node: Node, causes: set[str], steps: set[str]) -> list[Example]:
        examples = []
        for child in _items(node, "examples"):
            values = data(child)
            cause, step, stated = values.get("cause", ""), values.get("first_step", ""), entry(child, "facts")
            if cause and cause not in causes and cause != "other":
                self._complain(_required(child, "cause"), f"this rule has no cause {cause!r}{nearest(cause, causes)}")
            if step and step not in steps:
                self._complain(_required(child, "first_step"), f"this rule has no step {step!r}{nearest(step, steps)}")
            for name, key, _ in pairs(stated) if stated is not None else []:
                if name not in self.facts:
                    self._complain(key, f"no collector declares the fact {name!r}{nearest(name, self.facts)}")
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

    def _unique(self, nodes: list[Node], what: str) -> set[str]:
        seen: set[str] = set()
        for node in nodes:
            name = _string(node, "id")
            if name in seen:
                self._complain(_required(node, "id"), f"another {what} of this rule is called {name!r}")
            seen.add(name)
        return seen

    def _text(self, node: Node) -> Text:
        texts = {name: " ".join(str(data(value)).split()) for name, _, value in pairs(node)}
        missing = [language for language in LANGUAGES if not texts.get(language)]
        if missing:
            self.problems.append(Problem(place(node), f"lacks the text in {', '.join(missing)}", serious=False))
        return texts

    def _loose_text(self, node: Node) -> Text:
        return {"en": str(data(node))} if entry_free(node) else self._text(node)

    def _optional_text(self, node: Node, key: str) -> Text | None:
        value = entry(node, key)
        return self._text(value) if value is not None else None

    def _optional_condition(self, node: Node | None, scope: Scope) -> Condition | None:
        return self.conditions.condition(node, scope) if node is not None else None

    def _complain(self, node: Node, message: str) -> None:
        self.problems.append(Problem(place(node), message))


def entry_free(node: Node) -> bool:
    """Whether a node is a plain value rather than a mapping or list."""
    return isinstance(node.value, str)


def _items(node: Node, key: str) -> list[Node]:
    return _children(entry(node, key))


def _children(node: Node | None) -> list[Node]:
    """The items of a list, or a single node as a list of one."""
    if node is None:
        return []
    return [node] if isinstance(node.value, str) else list(node.value)


def _required(node: Node, key: str) -> Node:
    found = entry(node, key)
    assert found is not None, key
    return found


def _string(node: Node, key: str) -> str:
    found = entry(node, key)
    return str(found.value) if found is not None else ""


def _value(node: Node, key: str, default: Any) -> Any:
    found = entry(node, key)
    return data(found) if found is not None else default


def _safe_group_names(expression: str) -> list[str]:
    try:
        return group_names(expression)
    except re.error:
        return []
