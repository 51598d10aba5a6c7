"""The bare evidence on one subject for people and for machines."""

from __future__ import annotations

from typing import Any

from diagnose.evidence import Evidence, Fact
from diagnose.quoting import printable
from diagnose.reports.json_report import valid_unicode
from diagnose.reports.terminal import Style


def render(evidence: Evidence, style: Style | None = None) -> str:
    """The subject, then a line a fact: name, value, where it was seen, what stood there."""
    style = style or Style()
    widest = max((len(fact.name) for fact in evidence.facts), default=0)
    lines = [style.paint(printable(evidence.subject.path), "bold")]
    lines += [f"  {style.paint(f'{fact.name:{widest}}', 'cyan')}  {_line(fact)}" for fact in evidence.facts]
    return "\n".join(lines) + "\n"


def _line(fact: Fact) -> str:
    if fact.not_checked:
        return f"not checked: {printable(fact.not_checked, 200)}"
    value = ", ".join(map(str, fact.value)) if isinstance(fact.value, list) else str(fact.value)
    value = {"True": "yes", "False": "no"}.get(value, value)
    where = f"  ({printable(fact.where)})" if fact.where else ""
    text = f"  {printable(fact.text, 120)}" if fact.text else ""
    return f"{printable(value, 200)}{where}{text}"


def document_of(evidence: Evidence) -> dict[str, Any]:
    """The object of `inspect --format jsonl`: `subject` and `facts`, each with name, value and where."""
    subject = {"kind": evidence.subject.kind, "path": evidence.subject.path}
    document: dict[str, Any] = valid_unicode({"subject": subject, "facts": [_fact(fact) for fact in evidence.facts]})
    return document


def _fact(fact: Fact) -> dict[str, Any]:
    row: dict[str, Any] = {"name": fact.name, "value": fact.value, "where": fact.where}
    if fact.text:
        row["text"] = fact.text
    if fact.not_checked:
        row["not_checked"] = fact.not_checked
    return row
