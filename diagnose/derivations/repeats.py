"""Text that repeats itself: a speech model that is fed its own last words says them again."""

from __future__ import annotations

from itertools import groupby

from diagnose.derivations.stated import add
from diagnose.evidence import Evidence, Fact

LONG_ENOUGH = 4
"""Letters below which a repeated segment (`No.`, `Ha`) is speech and not a loop."""


def derive(evidence: Evidence) -> None:
    """Adds derived.transcript_repeats: the longest run of segments of one text that stand one after the other."""
    segments = evidence.known("log.transcript_segment")
    runs = [list(run) for text, run in groupby(segments, key=_text) if len(text) >= LONG_ENOUGH]
    longest = max(runs, key=len, default=[])
    if len(longest) > 1:
        add(evidence, "derived.transcript_repeats", len(longest), longest[0], _text(longest[0])[:60])


def _text(fact: Fact) -> str:
    """The words of a segment (`00:10.000 --> 00:12.000]  Thanks.`), without times, case and outer marks."""
    return str(fact.value).partition("]")[2].strip(" .,!?-").casefold()
