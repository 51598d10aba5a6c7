"""Named comparisons that conditions use: `fact|operator: operand`."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

MAX_TEXT = 4096
"""Characters of a value that a text comparison looks at."""


def _text(value: Any) -> str:
    return str(value)[:MAX_TEXT].casefold()


def _texts(value: Any) -> list[str]:
    return [_text(item) for item in value] if isinstance(value, list) else [_text(value)]


def _number(value: Any) -> float:
    """A number from a number or from text such as `0x1fff`, `1,024` or `12.5`. Raises ValueError."""
    if isinstance(value, str):
        text = value.strip().replace(",", "").replace("_", "")
        return float(int(text, 16)) if text.lower().startswith("0x") else float(text)
    return float(value)


def version(value: Any) -> tuple[int, ...]:
    """The leading numeric parts of a version, trailing zeros dropped. Raises ValueError if there are none.

    >>> version("v29.1.0-rc1")
    (29, 1)
    """
    found = re.match(r"\D{0,8}(\d{1,9}(?:\.\d{1,9}){0,5})", str(value))
    if found is None:
        raise ValueError(f"{value!r} is no version")
    parts = [int(part) for part in found.group(1).split(".")]
    while len(parts) > 1 and parts[-1] == 0:
        parts.pop()
    return tuple(parts)


def _equal(value: Any, operand: Any) -> bool:
    if isinstance(value, bool) or isinstance(operand, bool):
        return value is operand
    if isinstance(value, str) and isinstance(operand, (int, float)):
        return _number(value) == operand
    if isinstance(value, str) or isinstance(operand, str):
        return _text(value) == _text(operand)
    return bool(value == operand)


def _has(value: Any, operand: Any) -> bool:
    return any(_text(operand) == item for item in _texts(value))


def _multiple_of(value: Any, operand: Any) -> bool:
    number = _number(value)
    return number > 0 and number % _number(operand) == 0


OPERATORS: dict[str, Callable[[Any, Any], bool]] = {
    "is": _equal,
    "ne": lambda value, operand: not _equal(value, operand),
    "in": lambda value, operand: any(_equal(value, item) for item in operand),
    "has": _has,
    "startswith": lambda value, operand: any(item.startswith(_text(operand)) for item in _texts(value)),
    "endswith": lambda value, operand: any(item.endswith(_text(operand)) for item in _texts(value)),
    "contains": lambda value, operand: any(_text(operand) in item for item in _texts(value)),
    "matches": lambda value, operand: re.search(operand, str(value)[:MAX_TEXT], re.IGNORECASE) is not None,
    "lt": lambda value, operand: _number(value) < _number(operand),
    "lte": lambda value, operand: _number(value) <= _number(operand),
    "gt": lambda value, operand: _number(value) > _number(operand),
    "gte": lambda value, operand: _number(value) >= _number(operand),
    "multiple_of": _multiple_of,
    "version_lt": lambda value, operand: version(value) < version(operand),
    "version_gte": lambda value, operand: version(value) >= version(operand),
    "version_is": lambda value, operand: version(value)[: len(version(operand))] == version(operand),
}

STATES = ("known", "absent", "not_checked")
"""Operators that ask for the state of a fact; their operand is true or false."""

NUMERIC = frozenset({"lt", "lte", "gt", "gte", "multiple_of"})
VERSIONS = frozenset({"version_lt", "version_gte", "version_is"})
TEXTUAL = frozenset({"startswith", "endswith", "contains", "matches"})


def compare(operator: str, value: Any, operand: Any) -> bool | None:
    """The comparison's outcome, or None where it has no sense for these values (a number wanted, a word found)."""
    try:
        return OPERATORS[operator](value, operand)
    except (ValueError, TypeError, OverflowError):
        return None
