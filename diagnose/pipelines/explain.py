"""explain: a log in, its diagnoses out."""

from __future__ import annotations

from collections.abc import Callable
from typing import BinaryIO

from diagnose.collectors import log
from diagnose.collectors.log.containers import DamagedLogError, parts
from diagnose.diagnosis import Diagnosis, NotChecked, Report, Summary, summary_of
from diagnose.engine.judge import Judge
from diagnose.evidence import Evidence, Subject
from diagnose.pipelines.rulebook import Rulebook

UNRECOGNISED = "general/unrecognised"


def explain(
    stream: BinaryIO,
    name: str,
    book: Rulebook,
    language: str = "en",
    on_progress: Callable[[int], None] | None = None,
    probe: bool = False,
) -> Report:
    """What the log read from `stream` says went wrong: plain, compressed, or each log of an archive.

    With `probe` this host is looked at, too: files that the log names, decoders, encodings, memory, disk.
    Raises OSError if the log cannot be read. A container that breaks off is told in the report, beside what was read.
    """
    judge = Judge(book.rules, language)
    report = Report(Subject("log", name), Summary())
    scanned = 0
    try:
        for part in parts(stream, name):
            scanned += 1
            evidence = log.collect(part.stream, book.patterns, Subject("log", part.name), on_progress)
            diagnoses = judge.diagnoses(evidence)
            if probe:
                from diagnose.pipelines import probe as looking

                report.not_checked += looking.probe(evidence, diagnoses, name)
                diagnoses = judge.diagnoses(evidence)
            report.diagnoses += [_enriched(diagnosis, evidence, book, language) for diagnosis in diagnoses]
    except DamagedLogError as error:
        report.not_checked.append(NotChecked(name, str(error)))
    report.diagnoses.sort(key=lambda diagnosis: -diagnosis.severity.rank)
    report.summary = summary_of(report.diagnoses, scanned, len(report.not_checked))
    return report


def suggested_rule(stream: BinaryIO, name: str, book: Rulebook) -> str | None:
    """A skeleton of a rule for the lines that no rule knows, or None where all are known. Raises OSError."""
    from diagnose.pipelines.unrecognised import skeleton

    for part in parts(stream, name):
        evidence = log.collect(part.stream, book.patterns, Subject("log", part.name))
        text = skeleton(evidence, book.rules)
        if text is not None:
            return text
    return None


def _enriched(diagnosis: Diagnosis, evidence: Evidence, book: Rulebook, language: str) -> Diagnosis:
    if diagnosis.rule != UNRECOGNISED:
        return diagnosis
    from diagnose.pipelines.unrecognised import enriched

    return enriched(diagnosis, evidence, book.rules, language)
