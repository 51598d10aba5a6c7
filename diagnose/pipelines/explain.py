"""explain: a log in, its diagnoses out."""

from __future__ import annotations

from collections.abc import Callable
from typing import BinaryIO

from diagnose.collectors import log
from diagnose.collectors.log.containers import DamagedLogError, parts
from diagnose.diagnosis import NotChecked, Report, Summary, summary_of
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
    """What the log read from `stream` says went wrong: plain, compressed, or each log of an archive.

    Raises OSError if it cannot be read. A container that breaks off is told in the report, beside what was read.
    """
    judge = Judge(book.rules, language)
    report = Report(Subject("log", name), Summary())
    scanned = 0
    try:
        for part in parts(stream, name):
            scanned += 1
            evidence = log.collect(part.stream, book.patterns, Subject("log", part.name), on_progress)
            report.diagnoses.extend(judge.diagnoses(evidence))
    except DamagedLogError as error:
        report.not_checked.append(NotChecked(name, str(error)))
    report.diagnoses.sort(key=lambda diagnosis: -diagnosis.severity.rank)
    report.summary = summary_of(report.diagnoses, scanned, len(report.not_checked))
    return report
