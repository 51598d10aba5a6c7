"""Hits of patterns in lines: verified, numbered, counted, and kept in bounded number."""

from __future__ import annotations

import re

from diagnose.collectors.log.windows import WindowKeeper
from diagnose.evidence import Evidence, Hit, Repetition
from diagnose.patterns import MAX_LINE_BYTES, PatternSet
from diagnose.patterns.matches import hit_of

HITS_KEPT = 64
"""Hits that are kept of each pattern, from the first on; the last one is kept as well, and all are counted."""

_LINE_END = re.compile(rb"[\r\n]")


class HitScan:
    """The state of one pass: the line ends behind us, and which hits were seen."""

    def __init__(self, patterns: PatternSet, evidence: Evidence) -> None:
        self.patterns = patterns
        self.evidence = evidence
        self.windows = WindowKeeper(evidence)
        self.line = 0
        self.unfinished = False
        self.last_hits: dict[int, Hit] = {}

    def block(self, block: bytes) -> None:
        """Records the hits of one block, which ends at a line end, at the end of the log, or within a long line."""
        skip_to: dict[int, int] = {}
        has_returns = b"\r" in block
        counted_to, line = 0, self.line
        surrounded: list[int] = []

        def on_candidate(pattern: int, end: int) -> None:
            nonlocal counted_to, line
            last = end - 1  # where the match's last byte stands, be it the line end itself
            if last <= skip_to.get(pattern, -1):
                return
            start = block.rfind(b"\n", 0, last) + 1
            stop = block.find(b"\n", last)
            stop = len(block) if stop == -1 else stop
            skip_to[pattern] = stop
            if has_returns:
                found = self._verify_parts(pattern, block[start:stop])
            elif stop - start > MAX_LINE_BYTES:
                window = max(start, end - MAX_LINE_BYTES // 2)
                skip_to[pattern] = min(stop, window + MAX_LINE_BYTES)
                found = self.patterns.verify(pattern, block[window : window + MAX_LINE_BYTES])
            else:
                found = self.patterns.verify(pattern, block[start:stop])
            if found is not None:
                if start > counted_to:
                    line += block.count(b"\n", counted_to, start)
                    counted_to = start
                if self._record(pattern, line + 1, found) and pattern in self.patterns.triggers:
                    surrounded.append(start)

        self.patterns.scan(block, on_candidate)
        self.windows.block(block, self.line + 1, sorted(surrounded))
        self.line += block.count(b"\n")
        self.unfinished = not block.endswith(b"\n")

    def _verify_parts(self, pattern: int, line: bytes) -> re.Match[bytes] | None:
        """A progress bar overwrites its line with carriage returns: each state is a line of its own."""
        for part in _LINE_END.split(line[:MAX_LINE_BYTES]):
            found = self.patterns.verify(pattern, part)
            if found is not None:
                return found
        return None

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
        self.windows.finish()
        self.evidence.hits.extend(self.last_hits.values())
        self.evidence.hits.sort(key=lambda hit: (hit.line, hit.end))
