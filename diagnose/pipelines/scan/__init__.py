"""scan: folders in; per file what will fail, why and where; grouped by fault. In memory that does not grow."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from diagnose.diagnosis import Diagnosis, NotChecked
from diagnose.evidence import Subject
from diagnose.pipelines.scan.errors import ScanError
from diagnose.pipelines.scan.ignore import ignored, unused
from diagnose.pipelines.scan.ledger import Ledger
from diagnose.pipelines.scan.progress import Progress
from diagnose.pipelines.scan.request import ScanRequest, Sink
from diagnose.pipelines.scan.run import ScanRun
from diagnose.pipelines.scan.sample import parse_sample
from diagnose.pipelines.scan.selection import Selection
from diagnose.pipelines.scan.stamp import stamp_of
from diagnose.pipelines.scan.verdict import Verdict, diagnosis_of
from diagnose.pipelines.targets import identity
from diagnose.reports.scan_report import Sampled, ScanReport

if TYPE_CHECKING:
    from diagnose.engine.rule import RuleSet

__all__ = ["Progress", "ScanError", "ScanReport", "ScanRequest", "Sink", "scan", "scan_whole"]


def scan(
    request: ScanRequest,
    rules: RuleSet,
    sink: Sink | None = None,
    on_progress: Callable[[Progress], None] | None = None,
) -> ScanReport:
    """Scans what is asked for; every result goes to the sink as it comes, and the report holds only examples.

    Ctrl-C gives a partial report that says so. Raises ScanError where what is asked cannot be done.
    """
    sample = parse_sample(request.sample, request.seed) if request.sample is not None else None
    selection = Selection(request.include, request.exclude, request.ignore_files, sample)
    ledger = None
    if request.state is not None:
        aimed = identity(request.own_rules, request.targets)
        ledger = Ledger(request.state, stamp_of(request.own_rules, request.language, aimed))
    run = ScanRun(request, rules, selection, ledger, sink or _Nowhere(), on_progress)
    try:
        run.run()
    finally:
        if ledger is not None:
            ledger.close()
    return _report(request, run, selection, ledger)


def scan_whole(
    request: ScanRequest, rules: RuleSet, on_progress: Callable[[Progress], None] | None = None
) -> ScanReport:
    """`scan` with every diagnosis in the report, the most important first: as much memory as there are findings."""
    sink = _Memory()
    report = scan(request, rules, sink, on_progress)
    report.diagnoses = sorted(sink.diagnoses, key=lambda d: (-d.severity.rank, d.rule, d.subject.path))
    report.not_checked = sorted(sink.not_checked, key=lambda item: (item.what, item.reason))
    return report


def _report(request: ScanRequest, run: ScanRun, selection: Selection, ledger: Ledger | None) -> ScanReport:
    names = [*request.paths, *([request.files_from] if request.files_from is not None else [])]
    tally, summary = run.tally, run.tally.summary
    sampled = None
    if selection.sample is not None:
        sampled = Sampled(summary.scanned + summary.not_checked, selection.offered, selection.sample.seed)
    return ScanReport(
        subject=Subject("file", ", ".join(names)),
        summary=summary,
        diagnoses=tally.examples(),
        groups=tally.groups(),
        not_checked=tally.not_checked(),
        interrupted=run.interrupted,
        ignored=ignored(selection.entries),
        unused_ignores=[] if run.interrupted else unused(selection.entries),
        sampled=sampled,
        remarks=[f"the ledger could not be written: {ledger.failure}"] if ledger is not None and ledger.failure else [],
    )


class _Nowhere:
    """A sink for a caller who wants only the report."""

    def add(self, path: str, verdicts: Sequence[Verdict]) -> None:
        pass

    def add_not_checked(self, item: NotChecked) -> None:
        pass

    def flush(self) -> None:
        pass


class _Memory(_Nowhere):
    """A sink that keeps everything."""

    def __init__(self) -> None:
        self.diagnoses: list[Diagnosis] = []
        self.not_checked: list[NotChecked] = []

    def add(self, path: str, verdicts: Sequence[Verdict]) -> None:
        self.diagnoses.extend(diagnosis_of(verdict, path) for verdict in verdicts)

    def add_not_checked(self, item: NotChecked) -> None:
        self.not_checked.append(item)
