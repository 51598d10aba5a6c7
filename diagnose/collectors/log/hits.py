"""Hits of patterns in lines: verified, numbered, counted, and kept in bounded number."""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import partial

from diagnose.collectors.log.ahead import Candidates
from diagnose.collectors.log.windows import WindowKeeper
from diagnose.evidence import Evidence, Hit, Repetition, Window
from diagnose.patterns import MAX_LINE_BYTES, OnCandidate, PatternSet
from diagnose.patterns.matches import hit_of

HITS_KEPT = 64
"""Hits that are kept of each pattern, from the first on; the last one is kept as well, and all are counted."""

WINDOWS_TRIED = 4
"""How often a pattern is matched within one line of more than MAX_LINE_BYTES."""

_LINE_END = re.compile(rb"[\r\n]")


class HitScan:
    """The state of one pass: the line ends behind us, and which hits were seen."""

    def __init__(self, patterns: PatternSet, evidence: Evidence) -> None:
        self.patterns = patterns
        self.evidence = evidence
        self.windows = WindowKeeper()
        self.line = 0
        self.unfinished = False
        self.last_hits: dict[int, Hit] = {}

    def block(self, block: bytes, candidates: Candidates | None = None) -> None:
        """Records the hits of one block, which ends at a line end, at the end of the log, or within a long line.

        `candidates` are what was found for it before; without them it is searched now.
        """
        surrounded: list[int] = []

        def on_found(pattern: int, lines_before: int, start: int, found: re.Match[bytes]) -> None:
            if self._record(pattern, self.line + lines_before + 1, found) and pattern in self.patterns.triggers:
                surrounded.append(start)

        propose = self.patterns.scan if candidates is None else partial(_propose_again, candidates)
        find_matches(self.patterns, propose, block, on_found)
        for window in self.windows.block(block, self.line + 1, sorted(surrounded)):
            self._window(window)
        self.line += block.count(b"\n")
        self.unfinished = not block.endswith(b"\n")

    def _window(self, window: Window) -> None:
        """Keeps a window, and looks in it for what is looked for in kept text alone."""

        def on_found(pattern: int, lines_before: int, _start: int, found: re.Match[bytes]) -> None:
            self._record(pattern, window.first_line + lines_before, found)

        self.evidence.windows.append(window)
        find_matches(self.patterns, self.patterns.scan_kept, window.text, on_found)

    def _record(self, pattern: int, line: int, found: re.Match[bytes]) -> bool:
        """Counts the hit; whether it is kept."""
        seen = self.evidence.repetitions.get(pattern)
        if seen is None:
            seen = self.evidence.repetitions[pattern] = Repetition(0, line, line)
        seen.count += 1
        seen.last_line = line
        if seen.count <= HITS_KEPT:
            self.evidence.hits.append(hit_of(pattern, line, found))
            return True
        self.last_hits[pattern] = hit_of(pattern, line, found)
        return False

    def finish(self) -> None:
        self.line += self.unfinished
        self.evidence.hits.extend(self.last_hits.values())
        self.evidence.hits.sort(key=lambda hit: (hit.line, hit.end))


Propose = Callable[[bytes, OnCandidate], None]
OnFound = Callable[[int, int, int, "re.Match[bytes]"], None]


def _propose_again(candidates: Candidates, _text: bytes, on_candidate: OnCandidate) -> None:
    for pattern, end in candidates:
        on_candidate(pattern, end)


def find_matches(patterns: PatternSet, propose: Propose, block: bytes, on_found: OnFound) -> None:
    """Calls `on_found(pattern, lines before, offset of the line, match)` for each pattern and line of the block.

    `propose` names candidates (`PatternSet.scan`); a candidate is matched within its line alone.
    """
    skip_to: dict[int, int] = {}
    tried: dict[tuple[int, int], int] = {}
    has_returns = b"\r" in block
    counted_to, lines = 0, 0

    def on_candidate(pattern: int, end: int) -> None:
        nonlocal counted_to, lines
        last = end - 1  # where the candidate's last byte stands, be it the line end itself
        if last <= skip_to.get(pattern, -1):
            return
        start = block.rfind(b"\n", 0, last) + 1
        stop = block.find(b"\n", last)
        skip_to[pattern] = stop = len(block) if stop == -1 else stop
        if has_returns:
            found = _verify_parts(patterns, pattern, block[start:stop])
        elif stop - start > MAX_LINE_BYTES:
            window = max(start, end - MAX_LINE_BYTES // 2)
            found = patterns.verify(pattern, block[window : window + MAX_LINE_BYTES])
            tried[pattern, start] = tried.get((pattern, start), 0) + 1
            if found is None and tried[pattern, start] < WINDOWS_TRIED:
                skip_to[pattern] = min(stop, window + MAX_LINE_BYTES)
        else:
            found = patterns.verify(pattern, block[start:stop])
        if found is not None:
            if start > counted_to:
                lines += block.count(b"\n", counted_to, start)
                counted_to = start
            on_found(pattern, lines, start, found)

    propose(block.replace(b"\r", b"\n") if has_returns else block, on_candidate)


def _verify_parts(patterns: PatternSet, pattern: int, line: bytes) -> re.Match[bytes] | None:
    """A progress bar overwrites its line with carriage returns: each state is a line of its own."""
    for part in _LINE_END.split(line[:MAX_LINE_BYTES]):
        found = patterns.verify(pattern, part)
        if found is not None:
            return found
    return None
