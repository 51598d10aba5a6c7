"""A report on a log, an image or a host for people: the first screen holds layer, cause, evidence and three steps."""

from __future__ import annotations

from collections.abc import Iterator

from diagnose.diagnosis import Diagnosis, EvidenceItem, Report, Risk, Step
from diagnose.quoting import printable
from diagnose.reports.terminal import SEVERITY_COLOURS, Style
from diagnose.reports.width import padded, wrapped
from diagnose.reports.words import word

CAUSES_SHOWN = 3
EVIDENCE_SHOWN = 3
INDENT = 10


def render(report: Report, language: str = "en", style: Style | None = None, width: int = 80) -> str:
    """The report as text, lines of at most `width` columns (commands excepted: they are there to be copied)."""
    renderer = _Renderer(language, style or Style(), width)
    return "\n".join(renderer.report(report)) + "\n"


class _Renderer:
    def __init__(self, language: str, style: Style, width: int) -> None:
        self.language, self.style, self.width = language, style, width

    def word(self, key: str) -> str:
        return word(key, self.language)

    def report(self, report: Report) -> Iterator[str]:
        if not report.diagnoses:
            yield self.style.paint("✓", "green") + f" {self.word('nothing')}: {printable(report.subject.path)}"
        for number, diagnosis in enumerate(report.diagnoses):
            if number:
                yield ""
            yield from self.diagnosis(diagnosis)
        for item in report.not_checked:
            yield from self.block("not_checked", [f"{item.what}: {item.reason}"])
        if report.interrupted:
            yield self.word("interrupted")

    def diagnosis(self, diagnosis: Diagnosis) -> Iterator[str]:
        colour = SEVERITY_COLOURS[diagnosis.severity.value]
        head = f"{self.word(diagnosis.severity.value)} · {diagnosis.layer.value}"
        yield self.style.paint(head, "bold", colour) + self.style.paint(f"  {diagnosis.rule}", "dim")
        for line in wrapped(diagnosis.title, self.width):
            yield self.style.paint(line, "bold")
        if diagnosis.summary != diagnosis.title:
            yield from wrapped(diagnosis.summary, self.width)
        yield from self.block("cause", self.causes(diagnosis))
        yield from self.block("evidence", self.evidence(diagnosis))
        missing = [f"{item.fact}: {item.not_checked}" for item in diagnosis.evidence if item.not_checked]
        yield from self.block("not_checked", missing)
        yield from self.steps(diagnosis.checklist)
        if diagnosis.consequences:
            yield from self.block("consequences", [", ".join(diagnosis.consequences)])

    def causes(self, diagnosis: Diagnosis) -> list[str]:
        shown = [c for c in diagnosis.causes if c.probability >= 0.01][:CAUSES_SHOWN] or diagnosis.causes[:1]
        return [f"{_percent(cause.probability)} {cause.title}" for cause in shown]

    def evidence(self, diagnosis: Diagnosis) -> list[str]:
        known = [item for item in diagnosis.evidence if not item.not_checked]
        return [self.item(item) for item in known[:EVIDENCE_SHOWN]]

    def item(self, item: EvidenceItem) -> str:
        times = f"  ({item.count} {self.word('times')})" if item.count > 1 else ""
        if item.fact == "log":
            return f"{item.where}  {printable(item.text, 150)}{times}"
        value = f" = {printable(str(item.value), 80)}" if item.value is not None else ""
        where = f"  ({item.where})" if item.where else ""
        text = f"  {printable(item.text, 100)}" if item.text else ""
        return f"{item.fact}{value}{where}{text}{times}"

    def steps(self, steps: list[Step]) -> Iterator[str]:
        for number, step in enumerate(steps, 1):
            yield from self.step(number, step)

    def step(self, number: int, step: Step) -> Iterator[str]:
        label = padded(self.word("steps") if number == 1 else "", INDENT - 4)
        cost = f"{step.minutes:g} {self.word('minutes')}"
        risk = "" if step.risk is Risk.NONE else f", {self.word('risk.' + step.risk.value)}"
        title = f"{self.word(step.kind)}: {step.title} ({cost}{risk})"
        lines = wrapped(title, self.width - INDENT)
        yield f"  {self.style.paint(label, 'cyan')}{number:>1}. {lines[0]}".rstrip()
        for line in [*lines[1:], *(wrapped(step.detail, self.width - INDENT) if step.detail else [])]:
            yield " " * (INDENT - 1) + line
        for command in step.commands:
            yield " " * (INDENT - 1) + self.style.paint(f"$ {printable(command)}", "green")
        if step.verify:
            yield (
                " " * (INDENT - 1)
                + f"{self.word('verify')}: "
                + self.style.paint(f"$ {printable(step.verify)}", "green")
            )

    def block(self, key: str, items: list[str]) -> Iterator[str]:
        """Items under a label: beside it where it is short, below it where it is not."""
        label = padded(self.word(key), INDENT - 3)
        for number, item in enumerate(items):
            lines = wrapped(item, self.width - INDENT)
            first = label if number == 0 else " " * (INDENT - 3)
            yield f"  {self.style.paint(first, 'cyan')} {lines[0]}".rstrip()
            for line in lines[1:]:
                yield " " * INDENT + line


def _percent(probability: float) -> str:
    if probability >= 0.995:
        return ">99 %"
    return f"{probability * 100:>3.0f} %"
