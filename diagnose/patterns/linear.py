"""The subset of regular expressions whose matching takes linear time."""

from __future__ import annotations

import re
from re import _constants as sre  # type: ignore[attr-defined]
from re import _parser as sre_parser  # type: ignore[attr-defined]
from typing import Any

MAX_UNBOUNDED_REPEATS = 3
_FORBIDDEN = {
    sre.GROUPREF: "a back-reference",
    sre.GROUPREF_EXISTS: "a conditional group",
    sre.ASSERT: "a look-around",
    sre.ASSERT_NOT: "a look-around",
    sre.ATOMIC_GROUP: "an atomic group",
    sre.POSSESSIVE_REPEAT: "a possessive repeat",
}
_REPEATS = (sre.MAX_REPEAT, sre.MIN_REPEAT)


def complaint(expression: str) -> str | None:
    """Why the expression is not of the subset, in words for a rule author, or None if it is.

    Outside the subset: back-references, look-around, a repeat inside a repeat (unless one is of a fixed number),
    more than three unbounded repeats, and what can match nothing.
    """
    try:
        tree = sre_parser.parse(expression)
        re.compile(expression)
    except re.error as error:
        return f"is not a regular expression: {error}"
    except (OverflowError, RecursionError):
        return "is too large or nested too deeply"
    except UnicodeEncodeError:
        return "holds a character that UTF-8 cannot carry"
    if tree.getwidth()[0] == 0:
        return "can match nothing at all"
    walk = _Walk()
    walk.visit(tree, inside_repeat=False)
    if walk.complaint is None and walk.unbounded > MAX_UNBOUNDED_REPEATS:
        return f"has {walk.unbounded} unbounded repeats; more than {MAX_UNBOUNDED_REPEATS} can take very long"
    return walk.complaint


def complaint_of_line_pattern(expression: str) -> str | None:
    """As `complaint`, for what is matched against the bytes of a line.

    There, too, no character of several bytes stands in a class or before a repeat, and an escape is one byte.
    """
    wrong = complaint(expression)
    if wrong:
        return wrong
    try:
        re.compile(expression.encode("utf-8"))
    except re.error as error:
        return f"is not a regular expression for bytes: {error}; write the character itself"
    if character := _torn_character(expression):
        return (
            f"has {character!r}, which is several bytes, in a class or before a repeat; "
            f"a line is matched byte by byte: write (?:{character}|...)"
        )
    return None


def _torn_character(expression: str) -> str | None:
    """The first character beyond ASCII of which a class or a repeat would take a single byte."""
    inside_class, skip = False, False
    for at, character in enumerate(expression):
        if skip:
            skip = False
        elif character == "\\":
            skip = True
        elif character == "[" and not inside_class:
            inside_class = True
        elif character == "]" and inside_class and expression[at - 1] not in "[^":
            inside_class = False
        elif character > "\x7f" and (inside_class or expression[at + 1 : at + 2] in ("*", "+", "?", "{")):
            return character
    return None


class _Walk:
    def __init__(self) -> None:
        self.complaint: str | None = None
        self.unbounded = 0

    def visit(self, tree: Any, inside_repeat: bool) -> None:
        for operator, argument in tree:
            if operator in _FORBIDDEN:
                self.complaint = f"holds {_FORBIDDEN[operator]}, which has no linear-time matching"
            elif operator in _REPEATS:
                low, high, body = argument
                unbounded = high == sre.MAXREPEAT
                varies = high > 1 and low != high
                self.unbounded += unbounded
                if varies and inside_repeat:
                    self.complaint = "holds a repeat inside a repeat, which can take exponential time"
                self.visit(body, inside_repeat or varies)
            else:
                for part in _parts(operator, argument):
                    self.visit(part, inside_repeat)


def _parts(operator: Any, argument: Any) -> list[Any]:
    if operator is sre.SUBPATTERN:
        return [argument[3]]
    if operator is sre.BRANCH:
        return list(argument[1])
    return []


def group_names(expression: str) -> list[str]:
    """The names of the capturing groups."""
    return list(re.compile(expression).groupindex)
