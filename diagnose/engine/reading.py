"""What all builders share that make rules and targets of nodes: texts, commands and names, with complaints."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from diagnose.engine.commands import FILE_PLACEHOLDER, placeholders, quoted_placeholders
from diagnose.engine.conditions import ConditionBuilder, Scope
from diagnose.engine.form import Node, data, entry, pairs, place, required, string
from diagnose.engine.problems import Problem, nearest
from diagnose.engine.rule import Condition, Text
from diagnose.engine.rule_form import LANGUAGES
from diagnose.evidence import FactSpec


class Reading:
    """Reads parts of nodes that fit their form; what is wrong with them goes to `problems`."""

    def __init__(self, declared: Iterable[FactSpec], problems: list[Problem]) -> None:
        self.problems = problems
        self.facts = {spec.name: spec for spec in declared}
        self.conditions = ConditionBuilder(self.facts, problems)

    def text(self, node: Node) -> Text:
        """A text in its languages, each on one line."""
        texts = {name: " ".join(str(data(value)).split()) for name, _, value in pairs(node)}
        missing = [language for language in LANGUAGES if not texts.get(language)]
        if missing:
            self.problems.append(Problem(place(node), f"lacks the text in {', '.join(missing)}", serious=False))
        return texts

    def optional_text(self, node: Node, key: str) -> Text | None:
        value = entry(node, key)
        return self.text(value) if value is not None else None

    def loose_text(self, node: Node) -> Text:
        """A text that may stand without languages."""
        return {"en": str(data(node))} if isinstance(node.value, str) else self.text(node)

    def optional_condition(self, node: Node | None, scope: Scope) -> Condition | None:
        return self.conditions.condition(node, scope) if node is not None else None

    def unique(self, nodes: Sequence[Node], what: str) -> set[str]:
        """The ids of these nodes, each of which should be there once."""
        seen: set[str] = set()
        for node in nodes:
            name = string(node, "id")
            if name in seen:
                self.complain(required(node, "id"), f"another {what} is called {name!r}")
            seen.add(name)
        return seen

    def check_command(self, node: Node, scope: Scope) -> None:
        """Placeholders must be known, and stand outside quotes: the values bring their own."""
        names = {*scope.captures, *self.facts, FILE_PLACEHOLDER}
        for name in placeholders(node.value):
            if name not in names:
                self.complain(node, f"{{{name}}} is neither a capture of `match` nor a fact{nearest(name, names)}")
        for quoted in quoted_placeholders(node.value):
            self.complain(node, f"a placeholder stands inside quotes in {quoted}; it is quoted when it is filled")

    def check_facts(self, stated: Node | None) -> None:
        """Each key of a mapping of facts is one that a collector declares."""
        for name, key, _ in pairs(stated) if stated is not None else []:
            if name not in self.facts:
                self.complain(key, f"no collector declares the fact {name!r}{nearest(name, self.facts)}")

    def check_explained(self, target: str, node: Node, ids: Sequence[str]) -> None:
        """An `explains` that names no rule is worth a remark: the other may be in another folder."""
        known = any(rule_id.startswith(target[:-1]) for rule_id in ids) if target.endswith("*") else target in ids
        if not known:
            remark = f"no rule is called {target!r}{nearest(target, ids)}"
            self.problems.append(Problem(place(node), remark, serious=False))

    def complain(self, node: Node, message: str) -> None:
        self.problems.append(Problem(place(node), message))
