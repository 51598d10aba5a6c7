"""Facts as numbers: which of several values holds at a line, sizes with units, and adding what was derived."""

from __future__ import annotations

import math
import re

from diagnose.derivations.facts import FACTS
from diagnose.evidence import Evidence, Fact, Value

MIB = 1 << 20
GIB = 1 << 30

_SIZE = re.compile(r"(\d+(?:\.\d+)?) ?([KMGT]?)(i?)B", re.IGNORECASE)
_EXPONENT = {"": 0, "k": 1, "m": 2, "g": 3, "t": 4}


def fact_at(evidence: Evidence, name: str, line: int = 0) -> Fact | None:
    """The fact of this name that holds at a line: the last one stated up to it, else the first one of the log.

    A log that loads two models, or tries again with other settings, states the same things several times.
    """
    facts = evidence.known(name)
    before = [fact for fact in facts if line_of(fact) <= line]
    return before[-1] if before else (facts[0] if facts else None)


def number_at(evidence: Evidence, name: str, line: int = 0) -> float | None:
    """The number that this fact states at a line, or None."""
    return figure(fact_at(evidence, name, line))


def count_at(evidence: Evidence, name: str, line: int = 0) -> int | None:
    """The positive whole number that this fact states at a line, or None."""
    value = number_at(evidence, name, line)
    return int(value) if value is not None and value >= 1 else None


def text_at(evidence: Evidence, name: str, line: int = 0) -> str:
    """The text that this fact states at a line, or an empty one."""
    fact = fact_at(evidence, name, line)
    return str(fact.value) if fact is not None else ""


def numbers(evidence: Evidence, name: str) -> list[float]:
    """All numbers that facts of this name state."""
    found = (figure(fact) for fact in evidence.known(name))
    return [value for value in found if value is not None]


def figure(fact: Fact | None) -> float | None:
    """The finite number that a fact states, or None."""
    value = fact.value if fact is not None else None
    if isinstance(value, (int, float)) and not isinstance(value, bool) and math.isfinite(value):
        return value
    return None


def line_of(fact: Fact) -> int:
    """The line where a fact stands, 0 where it is no line."""
    word, _, number = fact.where.partition(" ")
    return int(number) if word == "line" and number.isdigit() else 0


def size_bytes(text: str) -> int | None:
    """Bytes of a size with its unit (`4.58 GiB`, `807.32 MiB`, `28.37 GB`), or None. GB is 10^9, GiB 2^30."""
    found = _SIZE.search(text)
    if found is None:
        return None
    number, prefix, binary = found.groups()
    unit: int = (1024 if binary else 1000) ** _EXPONENT[prefix.lower()]
    return round(float(number) * unit)


def mib(size: float) -> str:
    """A size as programs print it: MiB with two decimals."""
    return f"{size / MIB:.2f} MiB"


def add(evidence: Evidence, name: str, value: Value, source: Fact | None = None, text: str = "") -> None:
    """Adds a derived fact, each value once; `text` shows how it was computed, `source` where its figures stand."""
    if all(fact.value != value for fact in evidence.known(name)):
        evidence.add(FACTS.known(name, value, source.where if source is not None else "", text))
