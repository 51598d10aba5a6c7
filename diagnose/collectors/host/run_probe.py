"""The child process in which probes run: `python -m diagnose.collectors.host.run_probe NAME=MODULE:FUNCTION ...`

It writes a line of JSON when it is ready and one after each probe, so that whoever started it knows which probe was
running when it hung or died.
"""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Sequence
from typing import BinaryIO

import msgspec
from msgspec import Struct

from diagnose.collectors.host.outcomes import describe
from diagnose.collectors.host.probe import resolve
from diagnose.evidence import Fact


class Answer(Struct, frozen=True, omit_defaults=True):
    """A line of the child. The first one, which says that it is ready, has no name. `error` is why a probe raised."""

    name: str = ""
    facts: list[Fact] = []
    error: str = ""
    seconds: float = 0.0


def main(arguments: Sequence[str]) -> None:
    answers = apart_from_native_noise()
    send(answers, Answer())
    for argument in arguments:
        name, _, look = argument.partition("=")
        send(answers, run(name, look))


def apart_from_native_noise() -> BinaryIO:
    """The stream of answers. Native decoders print to descriptor 1 as they like: that goes to standard error."""
    answers = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)
    return answers


def send(answers: BinaryIO, answer: Answer) -> None:
    answers.write(msgspec.json.encode(answer) + b"\n")
    answers.flush()


def run(name: str, look: str) -> Answer:
    """Runs one probe. Whatever it raises is its answer."""
    start = time.perf_counter()
    facts: list[Fact] = []
    error = ""
    try:
        facts = resolve(look)(name)
    except Exception as raised:
        error = describe(raised)
    return Answer(name, facts, error, time.perf_counter() - start)


if __name__ == "__main__":
    main(sys.argv[1:])
