"""What `decodedoctor scan` does once its options are known."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Sequence
from pathlib import Path

from diagnose.cli import output
from diagnose.cli.progress import ProgressLine
from diagnose.diagnosis import NotChecked
from diagnose.pipelines.scan import Progress, ScanError, ScanReport, ScanRequest, Sink, scan
from diagnose.pipelines.scan.verdict import Verdict
from diagnose.reports.scan_rows import Csv, JsonLines

Scanned = Callable[[Sink | None], ScanReport]


def run(request: ScanRequest, form: str, fail_on: str, quiet: bool, color: str) -> int:
    """Scans, prints the report in its form, and returns the exit status. Raises CommandError."""
    rules = output.open_rules(request.own_rules, request.targets)
    rows_on_terminal = form in ("jsonl", "csv") and sys.stdout.isatty()

    def scanned(sink: Sink | None) -> ScanReport:
        with ProgressLine(not quiet and not rows_on_terminal) as line:
            try:
                return scan(request, rules, sink, lambda progress: _show(line, progress))
            except ScanError as error:
                raise output.CommandError(str(error)) from None

    if form == "text":
        report = _text(scanned, request.language, color)
    elif form == "json":
        report = _json(scanned, len(rules.rules))
    else:
        report = _rows(scanned, form, len(rules.rules))
    if not quiet:
        for remark in report.remarks:
            sys.stderr.write(f"{remark}\n")
    return 130 if report.interrupted else output.exit_status(report, fail_on)


def ledger_path(state: Path | None, resume: bool, paths: Sequence[str], files_from: str | None) -> Path | None:
    """Where the ledger lies: where it is wanted, or in the user's cache, one for each set of paths."""
    if state is not None or not resume:
        return state
    import hashlib
    from pathlib import Path

    from diagnose.pipelines.cache import cache_folder

    named = sorted(os.path.abspath(path) for path in [*paths, *([files_from] if files_from else [])])
    digest = hashlib.sha256("\0".join(named).encode("utf-8", "surrogateescape")).hexdigest()[:16]
    return Path(cache_folder()) / f"scan-{digest}.ledger"


def _text(scanned: Scanned, language: str, color: str) -> ScanReport:
    from diagnose.reports import scan_text

    report = scanned(None)
    output.write(scan_text.render(report, language, output.style(color), output.width()))
    return report


def _json(scanned: Scanned, rules: int) -> ScanReport:
    from diagnose.pipelines.scan.spool import Spool
    from diagnose.reports import json_report

    with Spool() as spool:
        report = scanned(spool)
        for piece in json_report.stream(report, rules, spool.diagnoses(), spool.not_checked()):
            sys.stdout.buffer.write(piece)
        sys.stdout.buffer.flush()
    return report


def _rows(scanned: Scanned, form: str, rules: int) -> ScanReport:
    write = sys.stdout.buffer.write
    rows = JsonLines(write, rules) if form == "jsonl" else Csv(write)
    report = scanned(_Rows(rows))
    rows.end(report)
    sys.stdout.buffer.flush()
    return report


class _Rows:
    """Rows on standard output, visible as soon as they are there."""

    def __init__(self, rows: JsonLines | Csv) -> None:
        self._rows = rows

    def add(self, _path: str, verdicts: Sequence[Verdict]) -> None:
        for verdict in verdicts:
            self._rows.diagnosis(verdict.body)

    def add_not_checked(self, item: NotChecked) -> None:
        self._rows.not_checked(item)

    def flush(self) -> None:
        sys.stdout.buffer.flush()


def _show(line: ProgressLine, progress: Progress) -> None:
    if not line.due():
        return
    if progress.total_known:
        done = f"{progress.files:,} of {progress.listed:,} files"
    else:
        done = f"{progress.files:,} files, listed {progress.listed:,}+"
    left = "" if progress.seconds_left is None else f", {_duration(progress.seconds_left)} left"
    line.show(f"{done}, {progress.findings:,} findings, {progress.files_per_second:,.0f} files/s{left}")


def _duration(seconds: float) -> str:
    minutes, seconds = divmod(int(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours} h {minutes:02} min" if hours else f"{minutes}:{seconds:02}"
