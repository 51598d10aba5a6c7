"""The hits of patterns in a stretch of a log: those that the pass found, and on demand those in the kept text."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from functools import cached_property

from diagnose.engine.rule import RuleSet
from diagnose.evidence import Evidence, Hit, Window
from diagnose.patterns import MAX_LINE_BYTES, compile_line_pattern
from diagnose.patterns.matches import hit_of

HITS_WANTED = 16
"""A clue needs one line; a few more are kept to be shown."""


class Lines:
    """The lines from `first` to `last` of a log as conditions see them."""

    def __init__(self, rules: RuleSet, evidence: Evidence, first: int, last: int) -> None:
        self._rules = rules
        self._evidence = evidence
        self._first, self._last = first, last
        self._found: dict[int, list[Hit]] = {}
        for hit in evidence.hits:
            if first <= hit.line <= last:
                self._found.setdefault(hit.pattern, []).append(hit)
        self._scanned = self._found.keys() | rules.by_pattern.keys()

    def patterns(self) -> Iterable[int]:
        """The patterns that the pass found here."""
        return list(self._found)

    def hits(self, pattern: int) -> Sequence[Hit]:
        """The hits of a pattern in these lines."""
        if pattern not in self._found:
            self._found[pattern] = [] if pattern in self._scanned else self._search(pattern)
        return self._found[pattern]

    def _search(self, pattern: int) -> list[Hit]:
        """Looks the pattern's literals up in the text that was kept, and matches the lines that hold one."""
        hits: list[Hit] = []
        compiled: re.Pattern[bytes] | None = None
        for text in self._texts:
            for start, stop in text.candidates(self._rules.literals[pattern]):
                compiled = compiled or compile_line_pattern(self._rules.patterns[pattern])
                line = text.content[start : min(stop, start + MAX_LINE_BYTES)]
                found = next((f for part in line.split(b"\r") if (f := compiled.search(part))), None)
                if found is not None:
                    hits.append(hit_of(pattern, text.line_of(start), found))
                    if len(hits) >= HITS_WANTED:
                        return hits
        return hits

    @cached_property
    def _texts(self) -> list[_Text]:
        return [
            text for window in self._evidence.windows if (text := _Text.of(window, self._first, self._last)) is not None
        ]


class _Text:
    """The part of a window that lies within some lines."""

    def __init__(self, content: bytes, first_line: int) -> None:
        self.content = content
        self._lowered = content.lower()
        self._first_line = first_line

    @staticmethod
    def of(window: Window, first: int, last: int) -> _Text | None:
        lines = window.text.count(b"\n") + 1
        if window.first_line > last or window.first_line + lines <= first:
            return None
        start = _offset(window.text, first - window.first_line)
        stop = _offset(window.text, last + 1 - window.first_line)
        return _Text(window.text[start:stop], max(first, window.first_line))

    def candidates(self, literals: Sequence[bytes]) -> list[tuple[int, int]]:
        """Start and stop of each line that holds one of the literals; of every line, if there are none."""
        spans: dict[int, int] = {}
        for literal in literals or (b"",):
            at = self._lowered.find(literal)
            while at != -1:
                stop = self._lowered.find(b"\n", at)
                stop = len(self._lowered) if stop == -1 else stop
                spans[self._lowered.rfind(b"\n", 0, at) + 1] = stop
                at = self._lowered.find(literal, stop + 1) if stop < len(self._lowered) else -1
        return sorted(spans.items())

    def line_of(self, offset: int) -> int:
        return self._first_line + self.content.count(b"\n", 0, offset)


def _offset(text: bytes, lines: int) -> int:
    """Where the line begins that so many lines precede."""
    at = 0
    for _ in range(max(0, lines)):
        at = text.find(b"\n", at) + 1
        if at == 0:
            return len(text)
    return at
