"""The result of the self-check as a table, in the manner of `flutter doctor`, and as rows for machines."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import groupby
from typing import Any

import msgspec

from diagnose.quoting import printable
from diagnose.reports.host_words import in_words
from diagnose.reports.width import padded, width, wrapped
from diagnose.selfcheck import Bilingual, CheckResult, ProbeResult, ProbeStatus

TITLE_COLUMNS = 30
"""A longer title pushes its own row to the right, not all others."""

_MARKS = {
    ProbeStatus.PASSED: ("✓", "+", "32"),
    ProbeStatus.FAILED: ("✗", "x", "31"),
    ProbeStatus.WARNING: ("!", "!", "33"),
    ProbeStatus.NOT_CHECKED: ("-", "-", "2"),
}
"""The mark, the mark where the output can carry ASCII only, and the colour (ECMA-48 SGR)."""

_COUNTS = {
    ProbeStatus.PASSED: Bilingual("{} passed", "通过 {} 项"),
    ProbeStatus.FAILED: Bilingual("{} failed ({names})", "失败 {} 项（{names}）"),
    ProbeStatus.WARNING: Bilingual("{} with a warning ({names})", "警告 {} 项（{names}）"),
    ProbeStatus.NOT_CHECKED: Bilingual("{} not checked", "未检查 {} 项"),
}

_NOTHING = Bilingual("none found", "未发现")


def as_table(
    result: CheckResult, language: str = "en", columns: int = 80, encoding: str = "utf-8", color: bool = False
) -> str:
    """All rows under the titles of their groups, and a line that counts them.

    What `encoding` cannot carry is replaced: marks by ASCII ones, Chinese by English, other characters by escapes.
    """
    if not _carries(encoding, "检查通过"):
        language = "en"
    table = _Table(language, columns, not _carries(encoding, "✓✗"), color, _title_columns(result, language))
    text = "".join(f"{line}\n" for line in table.lines(result))
    return text.encode(encoding, "backslashreplace").decode(encoding)


def probe_rows(result: CheckResult, language: str = "en") -> list[dict[str, Any]]:
    """The rows for machines: name, group, title, status, reason, seconds, and facts."""
    rows = [_as_object(row, language) for row in result.rows]
    built: list[dict[str, Any]] = msgspec.to_builtins(rows)
    return built


def _as_object(row: ProbeResult, language: str) -> dict[str, Any]:
    return {
        "name": row.name,
        "group": row.group.words(language),
        "title": row.title.words(language),
        "status": row.status.value,
        "reason": row.reason.words(language),
        "seconds": row.seconds,
        "facts": row.facts,
    }


class _Table(msgspec.Struct, frozen=True):
    language: str
    columns: int
    ascii_only: bool
    color: bool
    title_columns: int

    def lines(self, result: CheckResult) -> Iterator[str]:
        for title, rows in groupby(result.rows, key=lambda row: row.group.words(self.language)):
            yield title
            for row in rows:
                yield from self.row(row)
            yield ""
        yield from wrapped(self.summary(result), self.columns)

    def row(self, row: ProbeResult) -> Iterator[str]:
        head = f"  {self.mark(row.status)} {padded(row.title.words(self.language), self.title_columns)}"
        indent = 6 + max(self.title_columns, width(row.title.words(self.language))) + 2
        first, *others = wrapped(self.detail(row), max(20, self.columns - indent))
        yield f"{head}  {first}".rstrip()
        for line in others:
            yield " " * indent + line

    def mark(self, status: ProbeStatus) -> str:
        mark, fallback, color = _MARKS[status]
        mark = f"[{fallback if self.ascii_only else mark}]"
        return f"\x1b[{color}m{mark}\x1b[0m" if self.color else mark

    def detail(self, row: ProbeResult) -> str:
        """Why a row did not pass, else what was seen."""
        reason = row.reason.words(self.language)
        if reason:
            return printable(reason)
        if not row.facts:
            return _NOTHING.words(self.language)
        comma = "，" if self.language == "zh" else ", "
        return printable(comma.join(filter(None, (in_words(fact, self.language) for fact in row.facts))))

    def summary(self, result: CheckResult) -> str:
        parts = []
        for status, words in _COUNTS.items():
            names = [row.name for row in result.rows if row.status is status]
            if names:
                said = words.words(self.language).replace("{}", str(len(names)))
                parts.append(said.replace("{names}", ", ".join(names)))
        return ("，" if self.language == "zh" else ", ").join(parts)


def _title_columns(result: CheckResult, language: str) -> int:
    widths = (width(row.title.words(language)) for row in result.rows)
    return min(TITLE_COLUMNS, max(widths, default=0))


def _carries(encoding: str, text: str) -> bool:
    try:
        text.encode(encoding)
    except (UnicodeEncodeError, LookupError):
        return False
    return True
