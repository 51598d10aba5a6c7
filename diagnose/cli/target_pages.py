"""What `decodedoctor targets` prints: the table of all targets, the page of one, and both as data."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from diagnose.engine.conclude import said
from diagnose.engine.target import Limit, Target
from diagnose.reports.terminal import SEVERITY_COLOURS, Style
from diagnose.reports.width import padded, wrapped
from diagnose.reports.words import word

INDENT = "    "
MAX_NAME = 20
"""Columns of a table that names may take; longer ones push their row to the right."""


def table(targets: Sequence[Target], language: str, columns: int) -> str:
    """A row a target: name, number of limits, what it is; and its other names."""
    names = min(max((len(target.name) for target in targets), default=0), MAX_NAME)
    limits = word("limits", language)
    lines = [f"{padded(word('target', language), names)}  {limits}  {word('what', language)}"]
    for target in targets:
        head = f"{padded(target.name, names)}  {len(target.limits):>{max(len(limits), 2)}}  "
        lines += _hanging(head, said(target.summary, language), columns)
        if target.aliases:
            aliases = _labelled("also_called", target.aliases, language)
            lines += _hanging(" " * len(head), aliases, columns)
    return "\n".join(lines)


def page(target: Target, language: str, style: Style, columns: int) -> str:
    """The target with every limit: what happens, for which versions, what to do, how it is known."""
    lines = [style.paint(f"{target.name} · {said(target.title, language)}", "bold")]
    lines += wrapped(said(target.summary, language), columns)
    if target.aliases:
        lines.append(_labelled("also_called", target.aliases, language))
    for limit in target.limits:
        lines += ["", *_limit(limit, language, style, columns)]
    if target.sources:
        lines += ["", _labelled("known_from", target.sources, language)]
    return "\n".join(lines)


def _limit(limit: Limit, language: str, style: Style, columns: int) -> Iterator[str]:
    severity = limit.rule.severity.value
    head = style.paint(f"{word(severity, language)} · {limit.id}", "bold", SEVERITY_COLOURS[severity])
    versions = ", ".join(
        word(key, language).format(version)
        for key, version in (("since", limit.since), ("until", limit.until))
        if version
    )
    yield head + (f"  ({versions})" if versions else "")
    for text in (said(limit.title, language), said(limit.happens, language)):
        yield from (INDENT + line for line in wrapped(text, columns - len(INDENT)))
    for step in limit.rule.steps:
        yield from _hanging(f"{INDENT}- ", said(step.title, language), columns)
        yield from (f"{INDENT}  {style.paint('$ ' + command, 'green')}" for command in step.commands)
    sources = _labelled("known_from", limit.sources, language)
    yield from (style.paint(INDENT + line, "dim") for line in wrapped(sources, columns - len(INDENT)))


def _labelled(key: str, items: Sequence[str], language: str) -> str:
    colon, semicolon = ("：", "；") if language == "zh" else (": ", "; ")
    separator = ", " if key == "also_called" else semicolon
    return f"{word(key, language)}{colon}{separator.join(items)}"


def _hanging(head: str, text: str, columns: int) -> list[str]:
    first, *rest = wrapped(text, max(20, columns - len(head)))
    return [head + first, *(" " * len(head) + line for line in rest)]


def row_of(target: Target) -> dict[str, Any]:
    """The object of a target in `targets list --format json`."""
    return {
        "name": target.name,
        "aliases": target.aliases,
        "title": target.title,
        "summary": target.summary,
        "limits": len(target.limits),
        "file": target.file,
    }


def document_of(target: Target) -> dict[str, Any]:
    """The object of `targets show --format json`: the row, and each limit in full."""
    return {**row_of(target), "sources": target.sources, "limits": [_limit_document(limit) for limit in target.limits]}


def _limit_document(limit: Limit) -> dict[str, Any]:
    return {
        "id": limit.id,
        "rule": limit.rule.id,
        "severity": limit.rule.severity.value,
        "layer": limit.rule.layer.value,
        "title": limit.title,
        "happens": limit.happens,
        "since": limit.since,
        "until": limit.until,
        "remedies": [{"id": step.id, "title": step.title, "commands": step.commands} for step in limit.rule.steps],
        "sources": limit.sources,
    }
