"""A report on many files for people: a paragraph a fault, the worst first, with each file's place of damage."""

from __future__ import annotations

from collections.abc import Iterator

from diagnose.diagnosis import Diagnosis, Group, Severity
from diagnose.quoting import printable
from diagnose.reports.placing import placed
from diagnose.reports.scan_report import ScanReport
from diagnose.reports.terminal import SEVERITY_COLOURS, Style
from diagnose.reports.width import wrapped
from diagnose.reports.words import word

INDENT = "    "
STEPS_SHOWN = 3
NOT_CHECKED_SHOWN = 5
IGNORED_SHOWN = 10
NOTE_EXAMPLES = 2

PATH_SHOWN = 512
"""Characters of a path before it is cut in the middle: more than people name, less than a screen."""


def render(report: ScanReport, language: str = "en", style: Style | None = None, width: int = 80) -> str:
    """The report as text, lines of at most `width` columns (commands and paths excepted)."""
    return "\n".join(_Renderer(language, style or Style(), width).report(report)) + "\n"


class _Renderer:
    def __init__(self, language: str, style: Style, width: int) -> None:
        self.language, self.style, self.width = language, style, width

    def word(self, key: str) -> str:
        return word(key, self.language)

    def report(self, report: ScanReport) -> Iterator[str]:
        members: dict[tuple[str, str], list[Diagnosis]] = {}
        for diagnosis in report.diagnoses:
            members.setdefault((diagnosis.rule, diagnosis.causes[0].id), []).append(diagnosis)
        for group in report.groups:
            yield from self.group(group, members[group.rule, group.cause])
            yield ""
        yield from self.not_checked(report)
        yield from self.ignored(report)
        yield self.summary(report)
        yield from self.sampled(report)
        if report.interrupted:
            yield self.style.paint(self.word("interrupted"), "bold", "yellow")

    def group(self, group: Group, diagnoses: list[Diagnosis]) -> Iterator[str]:
        first = diagnoses[0]
        count = f"{group.count:,} {self.word('file' if group.count == 1 else 'files')}"
        head = f"{self.word(group.severity.value)} · {first.layer.value} · {count}"
        yield self.style.paint(head, "bold", SEVERITY_COLOURS[group.severity.value]) + self.style.paint(
            f"  {group.rule}", "dim"
        )
        cause = first.causes[0].title
        for line in wrapped(first.title if cause == first.title else f"{first.title}: {cause}", self.width):
            yield self.style.paint(line, "bold")
        shown = len(group.examples) if group.severity is not Severity.NOTE else NOTE_EXAMPLES
        for diagnosis in diagnoses[:shown]:
            yield from self.example(diagnosis)
        if group.count > shown:
            yield f"{INDENT}… {group.count - shown:,} {self.word('more')}"
        if group.severity is not Severity.NOTE:
            yield from self.steps(first)

    def example(self, diagnosis: Diagnosis) -> Iterator[str]:
        yield INDENT + printable(diagnosis.subject.path, PATH_SHOWN)
        item = placed(diagnosis)
        if item is not None:
            value = "" if item.value is None or item.value is True else f" = {printable(str(item.value), 60)}"
            text = f"  {printable(item.text, 160)}" if item.text else ""
            where = f"{item.where}: " if item.where else ""
            for line in wrapped(f"{where}{item.fact}{value}{text}", self.width - len(INDENT) - 2):
                yield self.style.paint(f"{INDENT}  {line}", "dim")

    def steps(self, diagnosis: Diagnosis) -> Iterator[str]:
        for number, step in enumerate(diagnosis.checklist[:STEPS_SHOWN], 1):
            lines = wrapped(f"{number}. {step.title}", self.width - 2)
            yield "  " + lines[0]
            for line in lines[1:]:
                yield "     " + line
            for command in step.commands:
                yield "     " + self.style.paint(f"$ {printable(command)}", "green")

    def not_checked(self, report: ScanReport) -> Iterator[str]:
        count = report.summary.not_checked
        if not count:
            return
        yield self.style.paint(f"{self.word('not_checked')} · {count:,}", "bold")
        shown = report.not_checked[:NOT_CHECKED_SHOWN]
        for item in shown:
            yield f"{INDENT}{printable(item.what, PATH_SHOWN)}: {printable(item.reason)}"
        if count > len(shown):
            yield f"{INDENT}… {count - len(shown):,} {self.word('more')}"
        yield ""

    def ignored(self, report: ScanReport) -> Iterator[str]:
        """What was left out on purpose, and which purposes no longer hold."""
        if report.ignored:
            total = sum(each.count for each in report.ignored)
            yield self.style.paint(f"{self.word('ignored')} · {total:,}", "bold")
            for each in report.ignored[:IGNORED_SHOWN]:
                reason = printable(each.reason) or self.word("no_reason")
                yield f"{INDENT}{each.count:,} {printable(each.pattern)}: {reason}  ({printable(each.where)})"
            yield from self.rest(len(report.ignored))
        if report.unused_ignores:
            yield self.style.paint(f"{self.word('unused_ignores')} · {len(report.unused_ignores):,}", "bold")
            for entry in report.unused_ignores[:IGNORED_SHOWN]:
                yield f"{INDENT}{printable(entry.pattern)}  ({printable(entry.where)})"
            yield from self.rest(len(report.unused_ignores))
        if report.ignored or report.unused_ignores:
            yield ""

    def rest(self, count: int) -> Iterator[str]:
        if count > IGNORED_SHOWN:
            yield f"{INDENT}… {count - IGNORED_SHOWN:,} {self.word('more')}"

    def sampled(self, report: ScanReport) -> Iterator[str]:
        if report.sampled is not None:
            sample = report.sampled
            yield f"{self.word('sample')}: {sample.taken:,} / {sample.files:,}  (--seed {printable(sample.seed)})"

    def summary(self, report: ScanReport) -> str:
        summary = report.summary
        counts = [
            self.style.paint(f"{count:,} {self.word(one if count == 1 else many)}", *([colour] if count else []))
            for count, one, many, colour in (
                (summary.errors, "error", "errors", "red"),
                (summary.warnings, "warning", "warnings", "yellow"),
                (summary.notes, "note", "notes", "blue"),
            )
        ]
        files = f"{summary.scanned:,} {self.word('file' if summary.scanned == 1 else 'files')} {self.word('scanned')}"
        if self.language == "zh":
            files = f"{self.word('scanned')} {summary.scanned:,} {self.word('files')}"
        return f"{files}: {', '.join(counts)}, {summary.not_checked:,} {self.word('not_checked')}"
