"""The two ways to find literals in a block: Hyperscan, and plain Python where it has no wheel."""

from __future__ import annotations

import re
from _thread import get_ident
from collections.abc import Callable, Sequence
from typing import Any, Protocol

from diagnose.patterns.search import Search

_NAMED_GROUP = re.compile(r"\(\?P<\w+>")


class Backend(Protocol):
    name: str
    releases_interpreter: bool
    """Whether several threads search at once."""

    def scan(self, block: bytes, on_candidate: Callable[[int, int], None]) -> None: ...

    def database(self) -> bytes: ...


def create_backend(search: Search, expressions: Sequence[str], database: bytes, which: str) -> Backend:
    """The backend called `which` (hyperscan, python), or with `auto` the fastest that can be had here."""
    if which in ("auto", "hyperscan"):
        try:
            return HyperscanBackend(search, expressions, database)
        except ImportError:
            if which == "hyperscan":
                raise
    return PythonBackend(search)


class HyperscanBackend:
    """All literals in one automaton, and with them the whole expressions of patterns that have none."""

    name = "hyperscan"
    releases_interpreter = True

    def __init__(self, search: Search, expressions: Sequence[str], database: bytes = b"") -> None:
        import hyperscan

        self._hyperscan = hyperscan
        self._patterns = [*search.owners, *([pattern] for pattern in search.without)]
        self._database: Any = None
        if not self._patterns:
            return
        if database:
            try:
                self._database = hyperscan.loadb(database, hyperscan.HS_MODE_BLOCK)
            except Exception:  # a database of another processor or release is no error: it is made anew
                self._database = None
        if self._database is None:
            self._database = self._compile(search, expressions)
        self._scratches: dict[int, Any] = {}

    def _compile(self, search: Search, expressions: Sequence[str]) -> Any:
        hs = self._hyperscan
        written = ["".join(f"\\x{byte:02x}" for byte in literal) for literal in search.literals]
        written += [_NAMED_GROUP.sub("(", expressions[pattern]) for pattern in search.without]
        database = hs.Database(mode=hs.HS_MODE_BLOCK)
        database.compile(
            expressions=[expression.encode("utf-8") for expression in written],
            ids=list(range(len(written))),
            elements=len(written),
            flags=[hs.HS_FLAG_CASELESS | hs.HS_FLAG_MULTILINE] * len(written),
        )
        return database

    def scan(self, block: bytes, on_candidate: Callable[[int, int], None]) -> None:
        if self._database is None:
            return
        patterns = self._patterns

        def on_match(number: int, _start: int, end: int, _flags: int, _context: object) -> None:
            for pattern in patterns[number]:
                on_candidate(pattern, end)

        self._database.scan(block, match_event_handler=on_match, scratch=self._scratch())

    def _scratch(self) -> Any:
        """This thread's working memory."""
        thread = get_ident()
        scratch = self._scratches.get(thread)
        if scratch is None:
            scratch = self._scratches[thread] = self._hyperscan.Scratch(self._database)
        return scratch

    def database(self) -> bytes:
        if self._database is None:
            return b""
        dumped: bytes = self._hyperscan.dumpb(self._database)
        return dumped


class PythonBackend:
    """Each literal is looked up in the block; every line is a candidate of a pattern that has none."""

    name = "python"
    releases_interpreter = False

    def __init__(self, search: Search) -> None:
        self._owners = dict(zip(search.literals, search.owners, strict=True))
        if search.without:
            self._owners[b""] = search.without

    def scan(self, block: bytes, on_candidate: Callable[[int, int], None]) -> None:
        lowered = block.lower()
        candidates = {
            (end, pattern)
            for literal, patterns in self._owners.items()
            for end in _line_ends(lowered, literal)
            for pattern in patterns
        }
        for end, pattern in sorted(candidates):
            on_candidate(pattern, end)

    def database(self) -> bytes:
        return b""


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
