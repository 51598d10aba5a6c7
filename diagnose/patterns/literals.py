"""Literals that a pattern cannot match without: what is looked for at full speed, before a line is matched at all.

For each pattern a set of strings is derived such that every match holds at least one of them (the idea of RE2's
prefilters: Russ Cox, "Regular Expression Matching with a Trigram Index"). Of the sets that a pattern offers, the one
whose shortest member is the longest is taken.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import product
from re import _constants as sre  # type: ignore[attr-defined]
from re import _parser as sre_parser  # type: ignore[attr-defined]
from typing import Any

from diagnose.patterns.common import COMMON

MAX_ALTERNATIVES = 24
MAX_CLASS = 4
LONG_ENOUGH = 14
"""Beyond this length a literal is no rarer in practice; fewer alternatives count more."""

RARE_LENGTH = 5
_REPEATS = (sre.MAX_REPEAT, sre.MIN_REPEAT)
Strings = frozenset[bytes]
_EMPTY: Strings = frozenset({b""})


def required_literals(expression: str) -> list[bytes]:
    """Strings in lower case, one of which is in every match; [] where there are none of use (at least 3 bytes)."""
    best = max(_offers(sre_parser.parse(expression.encode())), key=_quality, default=frozenset())
    return sorted(best) if best and min(map(len, best)) >= 3 else []


def are_rare(literals: Sequence[bytes]) -> bool:
    """Whether few lines of any log hold one of these literals, so that looking for them costs next to nothing."""
    return bool(literals) and not any(_is_common(literal) for literal in literals)


def _is_common(literal: bytes) -> bool:
    if len(literal) == RARE_LENGTH - 1 and min(literal) > 0x7F:
        return False
    word = literal.strip(b" \t:;,.=-_/'\"()[]{}<>*#|")
    shortest = RARE_LENGTH - 2 if len(literal) > RARE_LENGTH else RARE_LENGTH - 1
    return len(literal) < RARE_LENGTH or len(word) < shortest or word.decode("utf-8", "replace") in COMMON


def _quality(strings: Strings) -> tuple[bool, int, int]:
    rare = not any(_is_common(literal) for literal in strings)
    return rare, min(LONG_ENOUGH, min(map(len, strings))), -len(strings)


def _offers(tree: Any) -> Iterator[Strings]:
    """The sets that a sequence offers: each run of exact parts, and what its inexact parts require inside."""
    run = _EMPTY
    for operator, argument in tree:
        exact = _exact(operator, argument)
        longer = _joined(run, exact) if exact is not None else None
        if longer is not None:
            run = longer
            continue
        if run != _EMPTY:
            yield run
        run = exact if exact is not None else _EMPTY
        if exact is None:
            yield from _inner(operator, argument)
    if run != _EMPTY:
        yield run


def _joined(left: Strings, right: Strings) -> Strings | None:
    if len(left) * len(right) > MAX_ALTERNATIVES:
        return None
    return frozenset(a + b for a, b in product(left, right))


def _exact(operator: Any, argument: Any) -> Strings | None:
    """All strings that this part can match, or None where they are many."""
    if operator is sre.LITERAL:
        return frozenset({bytes((argument,)).lower()})
    if operator is sre.AT:
        return _EMPTY
    if operator is sre.IN:
        return _class(argument)
    if operator is sre.SUBPATTERN and not argument[1] and not argument[2]:
        return _sequence(argument[3])
    if operator is sre.BRANCH:
        branches = [_sequence(branch) for branch in argument[1]]
        return _union([b for b in branches if b is not None]) if None not in branches else None
    if operator in _REPEATS:
        low, high, body = argument
        inner = _sequence(body) if high <= 2 else None
        if inner is None:
            return None
        powers = [_power(inner, count) for count in range(low, high + 1)]
        return _union([p for p in powers if p is not None]) if None not in powers else None
    return None


def _class(items: Any) -> Strings | None:
    if len(items) > MAX_CLASS or any(operator is not sre.LITERAL for operator, _ in items):
        return None
    return frozenset(bytes((code,)).lower() for _, code in items)


def _sequence(tree: Any) -> Strings | None:
    strings: Strings | None = _EMPTY
    for operator, argument in tree:
        exact = _exact(operator, argument)
        strings = _joined(strings, exact) if strings is not None and exact is not None else None
        if strings is None:
            return None
    return strings


def _power(strings: Strings, count: int) -> Strings | None:
    result: Strings | None = _EMPTY
    for _ in range(count):
        result = _joined(result, strings) if result is not None else None
    return result


def _union(sets: Sequence[Strings]) -> Strings | None:
    joined = frozenset().union(*sets)
    return joined if len(joined) <= MAX_ALTERNATIVES else None


def _inner(operator: Any, argument: Any) -> Iterator[Strings]:
    """What a part that matches many strings requires: its sequence, all its branches together, its repeated body."""
    if operator is sre.SUBPATTERN and not argument[1] and not argument[2]:
        yield from _offers(argument[3])
    elif operator is sre.BRANCH:
        best = [max(_offers(branch), key=_quality, default=None) for branch in argument[1]]
        if None not in best:
            union = _union([strings for strings in best if strings is not None])
            if union is not None:
                yield union
    elif operator in _REPEATS and argument[0] >= 1:
        yield from _offers(argument[2])
        yield from _repetitions(argument[0], argument[2])


def _repetitions(least: int, body: Any) -> Iterator[Strings]:
    """What a repeat of an exact body requires: as many in a row as there must be, or as can be listed."""
    inner = _sequence(body)
    longest = 0 if inner is None else max(map(len, inner))
    if inner and longest:
        for count in range(2, min(least, 1 + LONG_ENOUGH // longest) + 1):
            row = _power(inner, count)
            if row is None:
                return
            yield row
