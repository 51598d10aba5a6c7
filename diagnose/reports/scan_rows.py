"""Scans as rows, written as they are found: a JSON object a line, or CSV."""

from __future__ import annotations

import csv
import io
from collections.abc import Callable
from typing import Any

import msgspec

from diagnose.diagnosis import Diagnosis, NotChecked
from diagnose.quoting import printable
from diagnose.reports.json_report import document_of, valid_unicode
from diagnose.reports.placing import offset, placed
from diagnose.reports.scan_report import ScanReport

CSV_COLUMNS = ("path", "severity", "layer", "rule", "cause", "where", "offset", "message")

_FORMULA = ("=", "+", "-", "@")
"""A spreadsheet takes what begins so for a formula."""

_diagnoses = msgspec.json.Decoder(Diagnosis)


class JsonLines:
    """Rows for `--format jsonl`: each has a `type`, diagnosis, not_checked or summary."""

    def __init__(self, write: Callable[[bytes], object], rules: int) -> None:
        self._write, self._rules = write, rules

    def diagnosis(self, body: bytes) -> None:
        """A row of the diagnosis that `body` is in JSON."""
        self._write(b'{"type":"diagnosis",' + body[1:] + b"\n")

    def not_checked(self, item: NotChecked) -> None:
        self._row({"type": "not_checked", "what": item.what, "reason": item.reason})

    def end(self, report: ScanReport) -> None:
        """The last row: all of the report that was not streamed."""
        document = document_of(report, self._rules)
        streamed = ("diagnoses", "not_checked")
        self._row({"type": "summary", **{key: value for key, value in document.items() if key not in streamed}})

    def _row(self, row: dict[str, Any]) -> None:
        self._write(msgspec.json.encode(valid_unicode(row)) + b"\n")


class Csv:
    """Rows for `--format csv`, in UTF-8 with a heading (RFC 4180). `severity` is not_checked where nothing was."""

    def __init__(self, write: Callable[[bytes], object]) -> None:
        self._write = write
        self._has_heading = False

    def diagnosis(self, body: bytes) -> None:
        """A row of the diagnosis that `body` is in JSON."""
        found = _diagnoses.decode(body)
        item = placed(found)
        where, place = (item.where, offset(item)) if item is not None else ("", None)
        message = f"{found.title}: {found.causes[0].title}"
        if item is not None and item.text:
            message = f"{message} ({item.text})"
        self._row(
            (
                _path(found.subject.path),
                found.severity.value,
                found.layer.value,
                found.rule,
                found.causes[0].id,
                printable(where),
                "" if place is None else place,
                printable(message),
            )
        )

    def not_checked(self, item: NotChecked) -> None:
        self._row((_path(item.what), "not_checked", "", "", "", "", "", printable(item.reason)))

    def end(self, _report: ScanReport) -> None:
        """A table without rows has its heading; a summary is no row of it."""
        if not self._has_heading:
            self._row()

    def _row(self, *rows: tuple[object, ...]) -> None:
        buffer = io.StringIO()
        csv.writer(buffer, lineterminator="\r\n").writerows(rows if self._has_heading else (CSV_COLUMNS, *rows))
        self._has_heading = True
        self._write(buffer.getvalue().encode("utf-8", "backslashreplace"))


def _path(path: str) -> str:
    """A path that neither a terminal nor a spreadsheet acts upon."""
    return printable(f"./{path}" if path.startswith(_FORMULA) else path)
