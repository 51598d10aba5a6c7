"""scan: folders in; per file what will fail, why and where; grouped by fault."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path

from msgspec import Struct

from diagnose.diagnosis import Diagnosis, Group, NotChecked, Report, Severity, Summary
from diagnose.engine.judge import Judge
from diagnose.evidence import Subject
from diagnose.pipelines.rulebook import Rulebook
from diagnose.pipelines.scan.pool import examine_all
from diagnose.pipelines.scan.walk import walk
from diagnose.pipelines.scan.worker import FileResult

EXAMPLES_KEPT = 5


class Progress(Struct):
    """What is known while a scan runs."""

    files: int = 0
    findings: int = 0


def scan(
    paths: Sequence[str],
    book: Rulebook,
    language: str = "en",
    own_rules: Sequence[Path] = (),
    jobs: int | None = None,
    on_progress: Callable[[Progress], None] | None = None,
) -> Report:
    """The report on all files at and below `paths`. Ctrl-C gives a partial report that says so."""
    summary = Summary()
    diagnoses: list[Diagnosis] = []
    not_checked: list[NotChecked] = []
    progress = Progress()
    results = examine_all(
        _files(walk(paths), not_checked), Judge(book.rules, language), own_rules, jobs or _default_jobs()
    )
    interrupted = False
    try:
        for result in results:
            _count(result, summary, diagnoses, not_checked)
            progress.files, progress.findings = summary.scanned, len(diagnoses)
            if on_progress is not None:
                on_progress(progress)
    except KeyboardInterrupt:
        interrupted = True
        results.close()  # type: ignore[attr-defined]
    summary.not_checked = len(not_checked)
    diagnoses.sort(key=lambda d: (-d.severity.rank, d.rule, d.subject.path))
    subject = Subject("file", paths[0] if len(paths) == 1 else ", ".join(paths))
    return Report(subject, summary, diagnoses, groups(diagnoses), not_checked, interrupted)


def _default_jobs() -> int:
    try:
        return max(1, len(os.sched_getaffinity(0)))
    except AttributeError:
        return max(1, os.cpu_count() or 1)


def _files(entries: Iterable[str | NotChecked], not_checked: list[NotChecked]) -> Iterator[str]:
    for entry in entries:
        if isinstance(entry, NotChecked):
            not_checked.append(entry)
        else:
            yield entry


def _count(result: FileResult, summary: Summary, diagnoses: list[Diagnosis], not_checked: list[NotChecked]) -> None:
    """A file counts once, by its worst diagnosis."""
    if result.not_checked:
        not_checked.append(NotChecked(result.path, result.not_checked))
        return
    summary.scanned += 1
    diagnoses.extend(result.diagnoses)
    worst = max((d.severity for d in result.diagnoses), key=lambda s: s.rank, default=None)
    summary.errors += worst is Severity.ERROR
    summary.warnings += worst is Severity.WARNING
    summary.notes += worst is Severity.NOTE


def groups(diagnoses: Iterable[Diagnosis]) -> list[Group]:
    """The diagnoses of each rule and likeliest cause together, the worst and most frequent first."""
    counts: dict[tuple[str, str], tuple[Severity, int, list[str]]] = {}
    for diagnosis in diagnoses:
        key = (diagnosis.rule, diagnosis.causes[0].id)
        severity, count, examples = counts.get(key, (diagnosis.severity, 0, []))
        if len(examples) < EXAMPLES_KEPT:
            examples.append(diagnosis.subject.path)
        counts[key] = (severity, count + 1, examples)
    found = [Group(*key, severity, count, examples) for key, (severity, count, examples) in counts.items()]
    return sorted(found, key=lambda group: (-group.severity.rank, -group.count, group.rule, group.cause))
