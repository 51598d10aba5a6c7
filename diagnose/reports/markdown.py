"""A report as Markdown: a block to paste into an issue or a chat."""

from __future__ import annotations

from collections.abc import Iterator

from diagnose._version import __version__
from diagnose.diagnosis import Diagnosis, EvidenceItem, Report, Risk, Step
from diagnose.quoting import printable
from diagnose.reports.words import word

EVIDENCE_SHOWN = 6


def render(report: Report, language: str = "en") -> str:
    """The whole report. What was read from input stands in code, so that it cannot become markup."""
    lines: list[str] = []
    for diagnosis in report.diagnoses:
        lines += [*_diagnosis(diagnosis, language), ""]
    if not report.diagnoses:
        lines += [f"{word('nothing', language)}: {_code(report.subject.path)}", ""]
    lines += [f"- {word('not_checked', language)}: {_code(i.what)}: {_code(i.reason)}" for i in report.not_checked]
    return "\n".join([*lines, f"<sub>decodedoctor {__version__}</sub>"]) + "\n"


def _diagnosis(diagnosis: Diagnosis, language: str) -> Iterator[str]:
    severity = word(diagnosis.severity.value, language)
    yield f"### {severity} · {diagnosis.layer.value}: {diagnosis.title}"
    yield f"`{diagnosis.rule}`"
    yield ""
    if diagnosis.summary != diagnosis.title:
        yield from (diagnosis.summary, "")
    for cause in diagnosis.causes:
        if cause.probability >= 0.01:
            yield f"- **{cause.probability * 100:.0f} %** {cause.title}"
    yield ""
    known = [item for item in diagnosis.evidence if not item.not_checked]
    yield from (f"- {_evidence(item, language)}" for item in known[:EVIDENCE_SHOWN])
    yield ""
    for number, step in enumerate(diagnosis.checklist, 1):
        yield from _step(number, step, language)
    if diagnosis.consequences:
        yield ""
        yield f"{word('consequences', language)}: {', '.join(f'`{rule}`' for rule in diagnosis.consequences)}"


def _evidence(item: EvidenceItem, language: str) -> str:
    times = f" ({item.count} {word('times', language)})" if item.count > 1 else ""
    if item.fact == "log":
        return f"{_code(item.where)} {_code(item.text)}{times}"
    value = "" if item.value is None else f" = {_code(str(item.value))}"
    return f"`{item.fact}`{value}{f' ({_code(item.where)})' if item.where else ''}"


def _step(number: int, step: Step, language: str) -> Iterator[str]:
    risk = "" if step.risk is Risk.NONE else f", {word('risk.' + step.risk.value, language)}"
    cost = f"{step.minutes:g} {word('minutes', language)}{risk}"
    yield f"{number}. **{word(step.kind, language)}**: {step.title} ({cost})"
    if step.detail:
        yield f"   {step.detail}"
    if step.commands:
        yield from ("   ```sh", *(f"   {printable(command)}" for command in step.commands), "   ```")
    if step.verify:
        yield f"   {word('verify', language)}: {_code(step.verify)}"


def _code(text: str) -> str:
    """The text as inline code, whatever backticks it holds."""
    text = printable(text, 300)
    fence = "`" * (max((len(run) for run in _runs(text)), default=0) + 1)
    pad = " " if text.startswith("`") or text.endswith("`") else ""
    return f"{fence}{pad}{text}{pad}{fence}"


def _runs(text: str) -> list[str]:
    runs, run = [], ""
    for character in text:
        run = run + character if character == "`" else ""
        runs.append(run)
    return runs
