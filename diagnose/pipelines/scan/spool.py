"""Diagnoses put aside on disk until all are known, for a report that tells the worst first."""

from __future__ import annotations

import os
import sqlite3
from collections.abc import Iterator, Sequence

from diagnose.diagnosis import NotChecked
from diagnose.pipelines.scan.verdict import Verdict

CACHE_KIB = 16 << 10
ROWS_AT_ONCE = 1000


class Spool:
    """A database without a name: SQLite deletes it when it is closed or the process ends (SQLite, "In-Memory
    Databases", temporary databases). Use it as a context."""

    def __init__(self) -> None:
        self._database = sqlite3.connect("", isolation_level=None)
        self._database.execute(f"PRAGMA cache_size = -{CACHE_KIB}")
        self._database.execute("PRAGMA journal_mode = OFF")
        self._database.execute("PRAGMA temp_store = FILE")
        self._database.execute("BEGIN")
        self._database.execute("CREATE TABLE diagnoses (rank INTEGER, rule TEXT, path BLOB, body BLOB)")
        self._database.execute("CREATE TABLE not_checked (what BLOB, reason TEXT)")
        self._diagnoses: list[tuple[int, str, bytes, bytes]] = []
        self._not_checked: list[tuple[bytes, str]] = []

    def __enter__(self) -> Spool:
        return self

    def __exit__(self, *_: object) -> None:
        self._database.close()

    def add(self, path: str, verdicts: Sequence[Verdict]) -> None:
        """Puts a file's diagnoses aside."""
        for verdict in verdicts:
            self._diagnoses.append((-verdict.severity.rank, verdict.rule, os.fsencode(path), verdict.body))
        if len(self._diagnoses) >= ROWS_AT_ONCE:
            self._write()

    def add_not_checked(self, item: NotChecked) -> None:
        """Puts aside that something was not checked."""
        self._not_checked.append((os.fsencode(item.what), item.reason))
        if len(self._not_checked) >= ROWS_AT_ONCE:
            self._write()

    def flush(self) -> None:
        """Nothing: what is put aside is read at the end."""

    def diagnoses(self) -> Iterator[bytes]:
        """All diagnoses as JSON: the worst first, then by rule and path."""
        self._write()
        self._database.execute("CREATE INDEX IF NOT EXISTS by_importance ON diagnoses (rank, rule, path)")
        for (body,) in self._database.execute("SELECT body FROM diagnoses ORDER BY rank, rule, path, rowid"):
            yield body

    def not_checked(self) -> Iterator[NotChecked]:
        """All that was not checked, by name."""
        self._write()
        for what, reason in self._database.execute("SELECT what, reason FROM not_checked ORDER BY what, reason"):
            yield NotChecked(os.fsdecode(what), reason)

    def _write(self) -> None:
        self._database.executemany("INSERT INTO diagnoses VALUES (?, ?, ?, ?)", self._diagnoses)
        self._database.executemany("INSERT INTO not_checked VALUES (?, ?)", self._not_checked)
        self._diagnoses, self._not_checked = [], []
