"""Evidence: what collectors saw, and the vocabulary in which they say it.

Collectors look and never judge. Each declares the facts that it can yield in a `Vocabulary` and yields them as an
`Evidence`. A fact is in one of four states (`Evidence.state`), and the engine treats each differently:

known        it was seen, with its value
absent       a collector looked for it and it is not there
not checked  a collector could not look, and says why
unobserved   nobody looked
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from enum import Enum

from msgspec import Struct

Value = bool | int | float | str | list[str]

FACT_TYPES = ("bool", "int", "float", "str", "strs", "version")
"""`strs` is a list of strings; `version` is a string that compares by its numeric parts."""


class Subject(Struct, frozen=True, omit_defaults=True):
    """What is looked at. `kind` is one of file, log, image (a container image), host, model."""

    kind: str
    path: str = ""


class FactSpec(Struct, frozen=True):
    """The declaration of one fact: its name, type (of `FACT_TYPES`), meaning in English, and unit."""

    name: str
    type: str
    meaning: str
    unit: str = ""


class Fact(Struct, frozen=True, omit_defaults=True):
    """One typed observation. `where` says where it was seen: `byte 48213`, `line 3`, `GET https://...`.

    `text` is what stood there. A fact that could not be had has `value` None and the reason in `not_checked`.
    """

    name: str
    value: Value | None = None
    where: str = ""
    text: str = ""
    not_checked: str = ""


class Hit(Struct, frozen=True):
    """A pattern found in a line of a log. `line` counts from 1; `start` and `end` are byte offsets in the line.

    Patterns that are looked for in a whole log come as hits; others can be looked for later in `Evidence.windows`.
    """

    pattern: int
    line: int
    text: str
    captures: dict[str, str]
    start: int = 0
    end: int = 0


class Window(Struct, frozen=True):
    """Lines of a log that were kept, as UTF-8; the first of them has the number `first_line`."""

    first_line: int
    text: bytes


class Repetition(Struct):
    """How often a pattern was found in the whole log; only the first hits and the last one are kept as `Hit`s."""

    count: int
    first_line: int
    last_line: int


class State(Enum):
    KNOWN = "known"
    ABSENT = "absent"
    NOT_CHECKED = "not checked"
    UNOBSERVED = "unobserved"


class UndeclaredFactError(LookupError):
    """A collector yielded a fact that its vocabulary does not declare: a defect of the collector."""


class Vocabulary:
    """The facts that one collector declares, and the only way to make them.

    >>> FACTS = Vocabulary("text", FactSpec("text.encoding", "str", "the encoding of the text"))
    >>> FACTS.known("text.encoding", "gbk", where="byte 0").value
    'gbk'
    """

    def __init__(self, collector: str, *specs: FactSpec) -> None:
        self.collector = collector
        self.specs = {spec.name: spec for spec in specs}
        self.names = frozenset(self.specs)
        for spec in specs:
            if spec.type not in FACT_TYPES:
                raise ValueError(f"{collector}: {spec.name} has the unknown type {spec.type!r}")

    def __iter__(self) -> Iterator[FactSpec]:
        return iter(self.specs.values())

    def known(self, name: str, value: Value, where: str = "", text: str = "") -> Fact:
        """A fact that was seen."""
        if name not in self.specs:
            self._require(name)
        return Fact(name, value, where, text)

    def not_checked(self, name: str, reason: str, where: str = "") -> Fact:
        """A fact that could not be had, and why."""
        self._require(name)
        return Fact(name, None, where, "", reason)

    def _require(self, name: str) -> None:
        if name not in self.specs:
            raise UndeclaredFactError(f"{self.collector} does not declare the fact {name!r}")


class Evidence:
    """A subject's facts, the hits in its lines, and which facts were looked for.

    Collectors call `add` for each fact and `looked_for` with their vocabulary's names (or a part of them) once they
    have really looked, so that a fact that was not added counts as absent rather than unobserved.
    """

    def __init__(self, subject: Subject) -> None:
        self.subject = subject
        self.facts: list[Fact] = []
        self.hits: list[Hit] = []
        self.windows: list[Window] = []
        self.repetitions: dict[int, Repetition] = {}
        self._by_name: dict[str, list[Fact]] = {}
        self._looked_for: list[frozenset[str]] = []

    def add(self, fact: Fact) -> None:
        self.facts.append(fact)
        self._by_name.setdefault(fact.name, []).append(fact)

    def extend(self, facts: Iterable[Fact]) -> None:
        append, by_name = self.facts.append, self._by_name
        for fact in facts:  # `add`, without a call for each of the dozens of facts of each file
            append(fact)
            same = by_name.get(fact.name)
            if same is None:
                by_name[fact.name] = [fact]
            else:
                same.append(fact)

    def looked_for(self, names: frozenset[str]) -> None:
        self._looked_for.append(names)

    def state(self, name: str) -> State:
        facts = self._by_name.get(name)
        if facts:
            known = any(not fact.not_checked for fact in facts)
            return State.KNOWN if known else State.NOT_CHECKED
        if any(name in names for names in self._looked_for):
            return State.ABSENT
        return State.UNOBSERVED

    def known(self, name: str) -> list[Fact]:
        """The facts of this name that were seen, in the order in which they were added."""
        return [fact for fact in self._by_name.get(name, ()) if not fact.not_checked]

    def value(self, name: str) -> Value | None:
        """The first known value of this name, or None."""
        for fact in self._by_name.get(name, ()):
            if not fact.not_checked:
                return fact.value
        return None

    def names(self) -> Iterable[str]:
        """The names of all facts that were added, known or not checked."""
        return self._by_name.keys()
