"""explain: a log in, its diagnoses out."""

from __future__ import annotations

from collections.abc import Callable
from typing import BinaryIO

from diagnose.collectors import log
from diagnose.diagnosis import Report, summary_of
from diagnose.engine.judge import Judge
from diagnose.evidence import Subject
from diagnose.pipelines.rulebook import Rulebook


def explain(
    stream: BinaryIO,
    name: str,
    book: Rulebook,
    language: str = "en",
    on_progress: Callable[[int], None] | None = None,
) -> Report:
    """What the log read from `stream` says went wrong. Raises OSError if it cannot be read."""
    subject = Subject("log", name)
    evidence = log.collect(stream, book.patterns, subject, on_progress)
    diagnoses = Judge(book.rules, language).diagnoses(evidence)
    return Report(subject, summary_of(diagnoses, scanned=1), diagnoses)
