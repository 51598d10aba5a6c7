"""A report on a log, an image or a host for people: the first screen holds layer, cause, evidence and three steps."""

from __future__ import annotations

from collections.abc import Iterator

from diagnose.diagnosis import Diagnosis, EvidenceItem, Report, Risk, Step
from diagnose.quoting import printable
from diagnose.reports.terminal import SEVERITY_COLOURS, Style
from diagnose.reports.width import padded, wrapped
from diagnose.reports.words import word

CAUSES_SHOWN = 3
EVIDENCE_SHOWN = 2
STEPS_FIRST = 3
INDENT = 10
MARGIN = " " * INDENT


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
        """What to do on the first screen, how below: the first steps' titles and commands, then everything else."""
        first, rest = steps[:STEPS_FIRST], steps[STEPS_FIRST:]
        for number, step in enumerate(first, 1):
            yield from self.labelled("steps" if number == 1 else "", self.title(number, step))
            for command in step.commands[:1]:
                yield MARGIN + "   " + self.style.paint(f"$ {printable(command)}", "green")
        how = [line for number, step in enumerate(first, 1) for line in self.how(f"{number}. ", step, 1)]
        for number, step in enumerate(rest, len(first) + 1):
            how += [MARGIN + line for line in self.title(number, step)]
            how += self.how("   ", step, 0)
        if how:
            yield from self.labelled("how", [how[0].removeprefix(MARGIN)])
            yield from how[1:]

    def title(self, number: int, step: Step) -> list[str]:
        cost = f"{step.minutes:g} {self.word('minutes')}"
        risk = "" if step.risk is Risk.NONE else f", {self.word('risk.' + step.risk.value)}"
        lines = wrapped(f"{self.word(step.kind)}: {step.title} ({cost}{risk})", self.width - INDENT - 3)
        return [f"{number}. {lines[0]}", *("   " + line for line in lines[1:])]

    def how(self, lead: str, step: Step, commands_shown: int) -> Iterator[str]:
        """A step's detail, the commands that were not shown yet, and what proves it."""
        lines = wrapped(step.detail, self.width - INDENT - 3) if step.detail else []
        lines += [self.style.paint(f"$ {printable(command)}", "green") for command in step.commands[commands_shown:]]
        if step.verify:
            lines.append(f"{self.word('verify')}: " + self.style.paint(printable(step.verify), "green"))
        for line in lines:
            yield MARGIN + lead + line
            lead = "   "

    def labelled(self, key: str, lines: list[str]) -> Iterator[str]:
        """Lines of the right column, the first with its label on the left."""
        label = padded(self.word(key) if key else "", INDENT - 3)
        yield f"  {self.style.paint(label, 'cyan')} {lines[0]}".rstrip()
        yield from (MARGIN + line for line in lines[1:])

    def block(self, key: str, items: list[str]) -> Iterator[str]:
        """Items below each other, under one label."""
        lines = [line for item in items for line in wrapped(item, self.width - INDENT)]
        if lines:
            yield from self.labelled(key, lines)


def _percent(probability: float) -> str:
    if probability >= 0.995:
        return ">99 %"
    return f"{probability * 100:>3.0f} %"
