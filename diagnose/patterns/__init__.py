"""All patterns of all rules, found in one pass over a block of bytes.

A pattern is a regular expression of the linear subset (`diagnose.patterns.linear`), matched against the bytes of one
line, ASCII letters in either case. What is looked for in the pass are literals that the patterns cannot match without
(`diagnose.patterns.literals`), by Hyperscan or a slower backend without it; the lines that hold one are then matched
with the expression itself (`PatternSet.verify`). Both backends thus give the same results.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Sequence

from diagnose.patterns.backend import Backend, create_backend
from diagnose.patterns.search import Search, search_for

MAX_LINE_BYTES = 16384
"""A longer line is matched in a window of this size around the place that the backend proposes."""

OnCandidate = Callable[[int, int], None]


class PatternSet:
    """The compiled patterns, addressed by their index in `expressions`.

    `scan` says what a pass looks for (all, if not given), `triggers` around whose hits the text is kept for later
    questions (all, too), `kept` what is looked for in that text alone, being too costly elsewhere. `databases` are
    what `databases()` gave before.
    """

    def __init__(
        self,
        expressions: Sequence[str],
        scan: Search | None = None,
        triggers: Collection[int] | None = None,
        kept: Search | None = None,
        databases: Sequence[bytes] = (b"", b""),
        backend: str = "auto",
    ) -> None:
        self.expressions = expressions
        self.triggers = range(len(expressions)) if triggers is None else triggers
        self._compiled: dict[int, re.Pattern[bytes]] = {}
        if scan is None:
            from diagnose.patterns.literals import required_literals

            scan = search_for(range(len(expressions)), [required_literals(each) for each in expressions])
        self.backend: Backend = create_backend(scan, expressions, databases[0], backend)
        self._kept_backend = create_backend(kept or Search(), expressions, databases[1], backend)

    def databases(self) -> tuple[bytes, bytes]:
        """The compiled forms for a cache; empty where a backend has none."""
        return self.backend.database(), self._kept_backend.database()

    def scan(self, block: bytes, on_candidate: OnCandidate) -> None:
        """Calls `on_candidate(pattern, end)`: the line that holds byte `end - 1` of `block` may match the pattern.

        Lines come in ascending order; a pattern may be proposed several times for one line.
        """
        self.backend.scan(block, on_candidate)

    def scan_kept(self, text: bytes, on_candidate: OnCandidate) -> None:
        """As `scan`, for the patterns that are looked for in kept text alone."""
        self._kept_backend.scan(text, on_candidate)

    def verify(self, pattern: int, line: bytes) -> re.Match[bytes] | None:
        """The first match of the pattern in one line (without its line end)."""
        compiled = self._compiled.get(pattern)
        if compiled is None:
            compiled = self._compiled[pattern] = compile_line_pattern(self.expressions[pattern])
        return compiled.search(line)


def compile_line_pattern(expression: str) -> re.Pattern[bytes]:
    """The expression for bytes of UTF-8, ignoring the case of ASCII letters."""
    return re.compile(expression.encode("utf-8"), re.IGNORECASE)
