"""Logs: one pass over any number of bytes, in bounded memory, for all patterns at once.

What the patterns mean is not known here. They come from the rules by way of the pipeline.
"""

from __future__ import annotations

from collections.abc import Callable

from diagnose.collectors.log.ahead import searched
from diagnose.collectors.log.blocks import ByteStream, read_blocks
from diagnose.collectors.log.facts import FACTS
from diagnose.collectors.log.hits import HITS_KEPT, HitScan
from diagnose.evidence import Evidence, Subject
from diagnose.patterns import PatternSet

__all__ = ["FACTS", "HITS_KEPT", "ByteStream", "HitScan", "collect", "read_blocks"]


def collect(
    stream: ByteStream, patterns: PatternSet, subject: Subject, on_progress: Callable[[int], None] | None = None
) -> Evidence:
    """The hits of `patterns` in the lines of `stream`, read to its end.

    `on_progress` is called with the number of bytes read so far. Raises OSError if the stream cannot be read.
    """
    evidence = Evidence(subject)
    scan = HitScan(patterns, evidence)
    size = 0
    for block, size, candidates in searched(read_blocks(stream, evidence), patterns):
        scan.block(block, candidates)
        if on_progress is not None:
            on_progress(size)
    scan.finish()
    evidence.add(FACTS.known("log.size_bytes", size))
    evidence.add(FACTS.known("log.lines", scan.line))
    evidence.looked_for(FACTS.names)
    return evidence
