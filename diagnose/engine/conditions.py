"""Conditions from nodes: names of facts, operators and captures are checked here, and patterns numbered."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from msgspec import Struct

from diagnose.engine.form import Node, data, kind, pairs, place
from diagnose.engine.operators import NUMERIC, OPERATORS, STATES, TEXTUAL, VERSIONS
from diagnose.engine.problems import Problem, nearest
from diagnose.engine.rule import (
    AllCondition,
    AnyCondition,
    CaptureCondition,
    Condition,
    FactCondition,
    FactReference,
    LogCondition,
    NotCondition,
    Operand,
)
from diagnose.evidence import FactSpec
from diagnose.patterns.linear import complaint, complaint_of_line_pattern


class Scope(Struct, frozen=True):
    """What conditions of one rule may name beside facts. Captures are there only once `match` holds."""

    captures: set[str]
    in_match: bool = False


class ConditionBuilder:
    """Builds conditions and numbers their patterns; equal patterns of different rules share a number."""

    def __init__(self, facts: Mapping[str, FactSpec], problems: list[Problem]) -> None:
        self.facts = facts
        self.problems = problems
        self.patterns: list[str] = []
        self._numbers: dict[str, int] = {}

    def condition(self, node: Node, scope: Scope) -> Condition:
        """The condition of a mapping; several keys are all wanted. Keys of no condition are skipped."""
        built = [
            self._one(name, value, scope)
            for name, _, value in pairs(node)
            if name in ("log", "fact", "capture", "all", "any", "not")
        ]
        if not built:
            self._complain(node, "there is no condition here: log, fact, capture, all, any or not")
            return AllCondition([])
        return built[0] if len(built) == 1 else AllCondition(built)

    def _one(self, key: str, value: Node, scope: Scope) -> Condition:
        if key == "log":
            return LogCondition(self.patterns_of(value))
        if key == "not":
            return NotCondition(self.condition(value, scope))
        if key in ("all", "any"):
            items = [self.condition(child, scope) for child in value.value]
            return AllCondition(items) if key == "all" else AnyCondition(items)
        compared = [self._comparison(key, name, node, operand, scope) for name, node, operand in pairs(value)]
        return compared[0] if len(compared) == 1 else AllCondition(compared)

    def patterns_of(self, node: Node) -> list[int]:
        """The numbers of one pattern or of a list of them."""
        nodes = [node] if isinstance(node.value, str) else node.value
        return [self._pattern(child) for child in nodes]

    def _pattern(self, node: Node) -> int:
        expression = str(node.value)
        number = self._numbers.get(expression)
        if number is None:
            wrong = complaint_of_line_pattern(expression)
            if wrong:
                self._complain(node, f"the pattern {wrong}")
            number = self._numbers[expression] = len(self.patterns)
            self.patterns.append(expression)
        return number

    def _comparison(self, key: str, name: str, node: Node, operand: Node, scope: Scope) -> Condition:
        subject, _, operator = name.partition("|")
        operator = operator or "is"
        if operator not in OPERATORS and operator not in STATES:
            near = nearest(operator, [*OPERATORS, *STATES])
            self._complain(node, f"there is no comparison |{operator}{near}")
        value = self._operand(operand)
        if key == "capture":
            if scope.in_match:
                self._complain(node, "captures are there only once `match` holds: put this into a clue or a `when`")
            elif subject not in scope.captures:
                near = nearest(subject, scope.captures)
                self._complain(node, f"no pattern of this rule's `match` has a group {subject!r}{near}")
            return CaptureCondition(subject, operator, value)
        spec = self.facts.get(subject)
        if spec is None:
            self._complain(node, f"no collector declares the fact {subject!r}{nearest(subject, self.facts)}")
        else:
            self._check_types(spec, operator, value, operand)
        return FactCondition(subject, operator, value)

    def _operand(self, node: Node) -> Operand:
        value: Any = data(node)
        if isinstance(value, dict):
            name = value["fact"]
            if name not in self.facts:
                self._complain(node, f"no collector declares the fact {name!r}{nearest(name, self.facts)}")
            return FactReference(name)
        result: Operand = value
        return result

    def _check_types(self, spec: FactSpec, operator: str, value: Operand, node: Node) -> None:
        wanted = _wanted_type(spec, operator)
        if isinstance(value, FactReference) or wanted is None:
            if operator == "matches" and isinstance(value, str):
                wrong = complaint(value)
                if wrong:
                    self._complain(node, f"the pattern {wrong}")
            return
        values = value if isinstance(value, list) else [value]
        if operator == "in" and not isinstance(value, list):
            self._complain(node, "|in wants a list")
        elif not all(isinstance(item, wanted) and isinstance(item, bool) == (wanted is bool) for item in values):
            names = {bool: "true or false", str: "text"}
            shown = names.get(wanted, "a number") if isinstance(wanted, type) else "a number"
            self._complain(node, f"{spec.name} is of type {spec.type}; |{operator} wants {shown}, found {kind(node)}")

    def _complain(self, node: Node, message: str) -> None:
        self.problems.append(Problem(place(node), message))


def _wanted_type(spec: FactSpec, operator: str) -> Any:
    """The Python type that the operand of this comparison must have, or None where any will do."""
    if operator in STATES:
        return bool
    if operator == "matches" or operator in VERSIONS:
        return None
    if operator in NUMERIC:
        return (int, float)
    if operator in TEXTUAL or operator == "has":
        return str
    return {"bool": bool, "int": (int, float), "float": (int, float), "strs": str}.get(spec.type)
