"""A rule as the engine uses it: checked, with its texts in every language and its patterns by number."""

from __future__ import annotations

from collections.abc import Sequence

from msgspec import Struct

from diagnose.diagnosis import Layer, Risk, Severity
from diagnose.evidence import FactSpec, Value
from diagnose.patterns.search import Search, search_for

Text = dict[str, str]
"""A text by language: {"en": ..., "zh": ...}."""


class FactReference(Struct, frozen=True, tag="fact"):
    """Stands where a value could stand: the known value of another fact."""

    name: str


Operand = FactReference | bool | int | float | str | list[int | float | str] | None


class LogCondition(Struct, frozen=True, tag="log"):
    """One of these patterns is found in a line."""

    patterns: list[int]


class FactCondition(Struct, frozen=True, tag="fact"):
    """A fact compares with an operand. `operator` is a name of `diagnose.engine.operators`."""

    name: str
    operator: str
    operand: Operand


class CaptureCondition(Struct, frozen=True, tag="capture"):
    """A named group of this rule's patterns compares with an operand."""

    name: str
    operator: str
    operand: Operand


class AllCondition(Struct, frozen=True, tag="all"):
    items: list[Condition]


class AnyCondition(Struct, frozen=True, tag="any"):
    items: list[Condition]


class NotCondition(Struct, frozen=True, tag="not"):
    item: Condition


Condition = LogCondition | FactCondition | CaptureCondition | AllCondition | AnyCondition | NotCondition


class Clue(Struct, frozen=True):
    """What speaks for (weight > 1) or against (weight < 1) a cause, as a likelihood ratio.

    `sensitivity` is the share of this cause's cases in which the clue is there: what its absence says.
    """

    condition: Condition
    weight: float
    sensitivity: float


class RuleCause(Struct, frozen=True):
    id: str
    title: Text
    prior: float
    clues: list[Clue]
    detail: Text | None = None
    layer: Layer | None = None


class RuleStep(Struct, frozen=True):
    """A check (`tells` causes apart) or a repair (`fixes` them), with probabilities by cause id."""

    id: str
    kind: str
    title: Text
    detail: Text | None
    commands: list[str]
    minutes: float
    risk: Risk
    verify: str
    tells: dict[str, Text]
    fixes: dict[str, float]
    after: list[str]
    when: Condition | None = None


class Example(Struct, frozen=True):
    """An input on which the rule is raised with this likeliest cause and first step, or (`raised` false) is not."""

    raised: bool
    line: int
    log: str = ""
    facts: dict[str, Value | None] = {}
    cause: str = ""
    first_step: str = ""


class Rule(Struct, frozen=True):
    id: str
    layer: Layer
    severity: Severity
    title: Text
    match: Condition
    causes: list[RuleCause]
    steps: list[RuleStep]
    other: float
    generic: bool
    explains: list[str]
    sources: list[str]
    examples: list[Example]
    file: str
    line: int
    summary: Text | None = None
    target: str = ""
    """The target whose limit this is (`diagnose.engine.target`); empty for a plain rule."""


class Extraction(Struct, frozen=True):
    """A fact that lines of a log state: the pattern's group `value` is the fact's value."""

    fact: FactSpec
    patterns: list[int]


class RuleSet(Struct, frozen=True):
    """All rules and extractions, the patterns that both refer to by index, and which files they came from.

    `by_pattern` and `by_fact` hold, for each pattern and fact that can raise rules, the indices of these rules.
    `literals` are each pattern's (`diagnose.patterns.literals`). A whole log is searched for `scan`: what raises rules,
    and what states facts in rare words. What states facts in words of any log is in `kept`: it is looked for where a
    log begins, and around incidents.
    """

    rules: Sequence[Rule]
    extractions: list[Extraction]
    patterns: Sequence[str]
    files: list[str]
    by_pattern: dict[int, list[int]]
    by_fact: dict[str, list[int]]
    literals: Sequence[list[bytes]]
    scan: Search
    kept: Search


def rule_set(rules: Sequence[Rule], extractions: list[Extraction], patterns: list[str], files: list[str]) -> RuleSet:
    """The rule set of these rules, with its indices."""
    from diagnose.patterns.literals import are_rare, required_literals

    literals = [required_literals(pattern) for pattern in patterns]
    by_pattern: dict[int, list[int]] = {}
    by_fact: dict[str, list[int]] = {}
    for index, rule in enumerate(rules):
        raising = raising_conditions(rule.match, literals)
        for condition in raising:
            if isinstance(condition, LogCondition):
                for pattern in condition.patterns:
                    by_pattern.setdefault(pattern, []).append(index)
            else:
                by_fact.setdefault(condition.name, []).append(index)
    by_pattern = {pattern: list(dict.fromkeys(indices)) for pattern, indices in by_pattern.items()}
    by_fact = {name: list(dict.fromkeys(indices)) for name, indices in by_fact.items()}
    stated = {pattern for extraction in extractions for pattern in extraction.patterns}
    scanned = {*by_pattern, *(pattern for pattern in stated if are_rare(literals[pattern]))}
    scan, kept = search_for(scanned, literals), search_for(stated - scanned, literals)
    return RuleSet(rules, extractions, patterns, files, by_pattern, by_fact, literals, scan, kept)


def raising_conditions(condition: Condition, literals: Sequence[Sequence[bytes]]) -> list[LogCondition | FactCondition]:
    """The conditions that are looked at first: one of them holds wherever the whole condition does.

    Of `all`, that is the item which is cheapest to look for: lines with rare words, then facts, then other lines. What
    stands below `not` raises nothing.
    """
    if isinstance(condition, (LogCondition, FactCondition)):
        return [condition]
    if isinstance(condition, AnyCondition):
        return [one for item in condition.items for one in raising_conditions(item, literals)]
    if isinstance(condition, AllCondition):
        offers = [found for item in condition.items if (found := raising_conditions(item, literals))]
        return min(offers, key=lambda found: max(_cost(one, literals) for one in found), default=[])
    return []


def _cost(condition: LogCondition | FactCondition, literals: Sequence[Sequence[bytes]]) -> int:
    from diagnose.patterns.literals import are_rare

    if isinstance(condition, FactCondition):
        return 1
    return 0 if all(are_rare(literals[pattern]) for pattern in condition.patterns) else 2
