"""What the process that decoded a file showed: facts of its end, when the decoder did not come back."""

from __future__ import annotations

from diagnose.evidence import Fact, FactSpec, Vocabulary

FACTS = Vocabulary(
    "process",
    FactSpec("decoder.crashed", "str", "how the process that decoded the file ended, such as a signal"),
    FactSpec("decoder.timed_out_seconds", "float", "time after which decoding was given up", "seconds"),
)


def crashed(how: str) -> Fact:
    """The decoder took its process down."""
    return FACTS.known("decoder.crashed", how)


def timed_out(seconds: float) -> Fact:
    """The decoder did not come back in this time."""
    return FACTS.known("decoder.timed_out_seconds", seconds)
