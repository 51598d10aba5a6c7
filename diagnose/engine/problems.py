"""What is wrong with a rule file, said to its author: file, line, caret, and the nearest right name."""

from __future__ import annotations

import difflib
from collections.abc import Iterable
from pathlib import Path

from msgspec import Struct


class Place(Struct, frozen=True):
    """A place in a rule file; line and column count from 1."""

    file: str
    line: int
    column: int


class Problem(Struct, frozen=True):
    """One complaint. `serious` is false for what a rule works without (a missing translation)."""

    place: Place
    message: str
    serious: bool = True

    def render(self) -> str:
        """`file:line:column: message`, the line of the file, and a caret below the place."""
        head = f"{self.place.file}:{self.place.line}:{self.place.column}: {self.message}"
        try:
            lines = Path(self.place.file).read_text(encoding="utf-8", errors="replace").splitlines()
            line = lines[self.place.line - 1]
        except (OSError, IndexError):
            return head
        start = max(0, self.place.column - 60)
        shown = line[start : start + 110].replace("\t", " ")
        gutter = f"{self.place.line:>5} | "
        return f"{head}\n{gutter}{shown}\n{' ' * (len(gutter) - 2)}| {' ' * (self.place.column - 1 - start)}^"


class RuleError(Exception):
    """Rule files that cannot be used. `problems` says what is wrong with them, all at once."""

    def __init__(self, problems: Iterable[Problem]) -> None:
        self.problems = list(problems)
        super().__init__("\n".join(problem.render() for problem in self.problems))


def nearest(name: str, names: Iterable[str]) -> str:
    """`; did you mean 'x'?` for the nearest of `names`, or "" where none is near."""
    found = difflib.get_close_matches(name, list(names), n=1, cutoff=0.6)
    return f"; did you mean {found[0]!r}?" if found else ""
