"""The two ways to find candidates of all patterns in a block: Hyperscan, and plain Python where it has no wheel."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from typing import Any, Protocol

_NAMED_GROUP = re.compile(r"\(\?P<\w+>")


class Backend(Protocol):
    name: str

    def scan(self, block: bytes, on_candidate: Callable[[int, int], None]) -> None: ...

    def database(self) -> bytes | None: ...


def create_backend(expressions: Sequence[str], database: bytes | None, which: str) -> Backend:
    """The backend called `which` (hyperscan, python), or with `auto` the fastest that can be had here."""
    if which in ("auto", "hyperscan"):
        try:
            return HyperscanBackend(expressions, database)
        except ImportError:
            if which == "hyperscan":
                raise
    return PythonBackend(expressions)


class HyperscanBackend:
    """All expressions in one automaton. Reports every end of every match, in order.

    Line ends are only in the block, so a candidate may span two lines: verification against one line refuses it.
    """

    name = "hyperscan"

    def __init__(self, expressions: Sequence[str], database: bytes | None = None) -> None:
        import hyperscan

        self._hyperscan = hyperscan
        self._database: Any = None
        if not expressions:
            return
        if database is not None:
            try:
                self._database = hyperscan.loadb(database, hyperscan.HS_MODE_BLOCK)
            except Exception:  # a database of another processor or release is no error: it is made anew
                self._database = None
        if self._database is None:
            self._database = self._compile(expressions)
        self._database.scratch = hyperscan.Scratch(self._database)

    def _compile(self, expressions: Sequence[str]) -> Any:
        hs = self._hyperscan
        database = hs.Database(mode=hs.HS_MODE_BLOCK)
        database.compile(
            expressions=[_NAMED_GROUP.sub("(", expression).encode("utf-8") for expression in expressions],
            ids=list(range(len(expressions))),
            elements=len(expressions),
            flags=[hs.HS_FLAG_CASELESS | hs.HS_FLAG_MULTILINE] * len(expressions),
        )
        return database

    def scan(self, block: bytes, on_candidate: Callable[[int, int], None]) -> None:
        if self._database is None:
            return

        def on_match(pattern: int, _start: int, end: int, _flags: int, _context: object) -> None:
            on_candidate(pattern, end)

        self._database.scan(block, match_event_handler=on_match)

    def database(self) -> bytes | None:
        if self._database is None:
            return None
        dumped: bytes = self._hyperscan.dumpb(self._database)
        return dumped


class PythonBackend:
    """A literal that each pattern needs is looked up in the block; the lines that hold it are candidates."""

    name = "python"

    def __init__(self, expressions: Sequence[str]) -> None:
        from diagnose.patterns.linear import required_literal

        self._literals = [required_literal(expression).encode("ascii") for expression in expressions]

    def scan(self, block: bytes, on_candidate: Callable[[int, int], None]) -> None:
        lowered = block.lower()
        candidates: list[tuple[int, int]] = []
        for pattern, literal in enumerate(self._literals):
            candidates.extend((end, pattern) for end in _line_ends(lowered, literal))
        for end, pattern in sorted(candidates):
            on_candidate(pattern, end)

    def database(self) -> bytes | None:
        return None


def _line_ends(lowered: bytes, literal: bytes) -> list[int]:
    """The ends of the lines that hold `literal` (of every line that holds anything, if it is empty)."""
    ends: list[int] = []
    at = lowered.find(literal)
    while at != -1:
        end = lowered.find(b"\n", at)
        if end == -1:
            end = len(lowered)
        if end > at:
            ends.append(end)
        at = lowered.find(literal, end + 1) if end < len(lowered) else -1
    return ends
