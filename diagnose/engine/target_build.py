"""Targets from nodes that already fit the form: names are checked against names, and limits become rules."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from msgspec.structs import replace

from diagnose.diagnosis import Layer, Risk, Severity
from diagnose.engine.conditions import Scope
from diagnose.engine.form import Node, children, data, entry, items, place, plain, required, string
from diagnose.engine.problems import Problem, nearest
from diagnose.engine.reading import Reading
from diagnose.engine.rule import Example, Rule, RuleCause, RuleStep, Text
from diagnose.engine.target import PREFIX, Limit, Target, raising_facts
from diagnose.evidence import FactSpec

CERTAIN = 0.98
"""How sure it is that the consumer behaves as its source says, once a file is of the kind."""

FIXES = 0.9
_SCOPE = Scope(set(), in_match=True)
_NAME = re.compile(r"[a-z0-9]+([-.][a-z0-9]+)*")

_SINCE = {"en": " From {} on.", "zh": "自 {} 起。"}
_UNTIL = {"en": " Before {}.", "zh": "{} 之前如此。"}


class TargetBuilder(Reading):
    """Collects remedies and targets of all files."""

    def __init__(self, declared: Iterable[FactSpec], problems: list[Problem]) -> None:
        super().__init__(declared, problems)
        self.targets: list[Target] = []
        self._remedies: dict[str, RuleStep] = {}
        self._names: set[str] = set()
        self._explained: list[Node] = []

    def add_remedies(self, root: Node) -> None:
        """A file's remedies. Those of all files must be known before any target is built."""
        for node in items(root, "remedies"):
            name = string(node, "id")
            if name in self._remedies:
                self.complain(required(node, "id"), f"another remedy is called {name!r}")
            self._remedies[name] = self._remedy(node)

    def add_targets(self, root: Node) -> None:
        for node in items(root, "targets"):
            self._add_target(node)

    def check_explains(self, rule_ids: Sequence[str]) -> None:
        """Has a look at each `explains`: it should name a plain rule."""
        ids = [*rule_ids, *(limit.rule.id for target in self.targets for limit in target.limits)]
        for node in self._explained:
            self.check_explained(node.value, node, ids)

    def _add_target(self, node: Node) -> None:
        name = string(node, "name")
        for each in (required(node, "name"), *items(node, "aliases")):
            self._check_name(each)
        title = self.text(required(node, "title"))
        self.unique(items(node, "limits"), "limit of this target")
        self.targets.append(
            Target(
                name=name,
                aliases=plain(node, "aliases", []),
                title=title,
                summary=self.text(required(node, "summary")),
                sources=plain(node, "sources", []),
                limits=[self._limit(child, name, title) for child in items(node, "limits")],
                file=place(node).file,
                line=place(node).line,
            )
        )

    def _check_name(self, node: Node) -> None:
        if not _NAME.fullmatch(node.value):
            self.complain(node, f"{node.value!r} is no name of small letters, digits, hyphens and dots")
        if node.value in self._names:
            self.complain(node, f"another target is called {node.value!r}")
        self._names.add(node.value)

    def _limit(self, node: Node, target: str, consumer: Text) -> Limit:
        limit_id, title = string(node, "id"), self.text(required(node, "title"))
        happens = self.text(required(node, "happens"))
        since, until = string(node, "since"), string(node, "until")
        sources, examples = plain(node, "sources", []), self._examples(node)
        match = self.conditions.condition(required(node, "match"), _SCOPE)
        self._explained += items(node, "explains")
        if not raising_facts(match):
            self.complain(required(node, "match"), "it says only what is not there; name a fact that such files have")
        rule = Rule(
            id=f"{PREFIX}/{target}/{limit_id}",
            layer=Layer(string(node, "layer") or "image"),
            severity=Severity(string(node, "severity")),
            title={language: _named(consumer, text, language) for language, text in title.items()},
            summary=None,
            match=match,
            causes=[RuleCause(limit_id, _dated(happens, since, until), CERTAIN, [])],
            steps=self._steps(node, limit_id),
            other=1 - CERTAIN,
            generic=False,
            explains=plain(node, "explains", []),
            sources=sources,
            examples=examples,
            file=place(node).file,
            line=place(node).line,
            target=target,
        )
        return Limit(limit_id, title, happens, since, until, sources, examples, rule)

    def _remedy(self, node: Node) -> RuleStep:
        commands = children(entry(node, "run"))
        for command in [*commands, *children(entry(node, "verify"))]:
            self.check_command(command, _SCOPE)
        return RuleStep(
            id=string(node, "id"),
            kind="repair",
            title=self.text(required(node, "title")),
            detail=self.optional_text(node, "detail"),
            commands=[command.value for command in commands],
            minutes=float(plain(node, "minutes", 1)),
            risk=Risk(string(node, "risk") or "none"),
            verify=string(node, "verify"),
            tells={},
            fixes={"": float(plain(node, "fixes", FIXES))},
            after=[],
            when=self.optional_condition(entry(node, "when"), _SCOPE),
        )

    def _steps(self, node: Node, limit_id: str) -> list[RuleStep]:
        """The remedies that a limit names, as steps that repair its one cause."""
        steps: list[RuleStep] = []
        for child in items(node, "do"):
            remedy = self._remedies.get(child.value)
            if remedy is None:
                self.complain(child, f"no remedy is called {child.value!r}{nearest(child.value, self._remedies)}")
            elif any(step.id == remedy.id for step in steps):
                self.complain(child, f"{child.value!r} stands here twice")
            else:
                steps.append(replace(remedy, fixes={limit_id: remedy.fixes[""]}))
        return steps

    def _examples(self, node: Node) -> list[Example]:
        examples = []
        for child in items(node, "examples"):
            self.check_facts(entry(child, "facts"))
            values = data(child)
            raised = values.get("raises") != "nothing"
            examples.append(Example(raised=raised, line=place(child).line, facts=values["facts"]))
        if {example.raised for example in examples} != {True, False}:
            wanted = "an example that has it, and one with `raises: nothing`"
            self.complain(required(node, "examples"), f"a limit needs {wanted}")
        return examples


def _named(consumer: Text, text: str, language: str) -> str:
    return f"{consumer.get(language) or consumer['en']} · {text}"


def _dated(happens: Text, since: str, until: str) -> Text:
    """What happens, and for which versions."""
    return {
        language: text
        + (_SINCE[language].format(since) if since else "")
        + (_UNTIL[language].format(until) if until else "")
        for language, text in happens.items()
    }
