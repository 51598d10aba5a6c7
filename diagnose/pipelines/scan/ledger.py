"""What earlier scans found out, so that a scan goes on where another was ended: a SQLite database.

A row is a file that was looked at: where it lies, its size and time of change, by which rules and decoders, and its
verdicts (NULL where it is sound). A row whose size, time or stamp differ from what is there now says nothing. Writes
are gathered and committed twice a second in WAL mode: what is committed survives the end of the process at any moment
(SQLite, "Write-Ahead Logging"), so that kill -9 loses at most the last second of work.
"""

from __future__ import annotations

import contextlib
import os
import sqlite3
import time
from collections.abc import Sequence
from pathlib import Path

from diagnose.pipelines.scan.entries import File
from diagnose.pipelines.scan.errors import ScanError
from diagnose.pipelines.scan.verdict import Verdict, pack_verdicts

COMMIT_SECONDS = 0.4
BUSY_SECONDS = 30.0
FOLDERS_KEPT = 4096

APPLICATION_ID = 0x44446C67
"""`DDlg` in the file's header (SQLite, PRAGMA application_id): a database of another program is not touched."""

VERSION = 1
_TABLES = """
CREATE TABLE IF NOT EXISTS stamps (id INTEGER PRIMARY KEY, stamp TEXT NOT NULL UNIQUE);
CREATE TABLE IF NOT EXISTS folders (id INTEGER PRIMARY KEY, path BLOB NOT NULL UNIQUE);
CREATE TABLE IF NOT EXISTS files (
  folder INTEGER NOT NULL, name NOT NULL, size INTEGER NOT NULL, mtime_ns INTEGER NOT NULL,
  stamp INTEGER NOT NULL, verdicts BLOB, PRIMARY KEY (folder, name)) WITHOUT ROWID;
"""
_INT64 = 1 << 63


class Ledger:
    """The ledger at `path`, for scans by the rules and decoders that `stamp` stands for. Raises ScanError.

    Where it cannot be written later on, `failure` says why, and the scan goes on without it.
    """

    def __init__(self, path: Path, stamp: str) -> None:
        self.path = path
        self.failure = ""
        self._folders: dict[str, int] = {}
        self._recorded: list[tuple[File, bytes | None]] = []
        self._due = 0.0
        try:
            path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
            self._database = connect(path)
            self._prepare()
            self.stamp = self._entered("stamps", "stamp", stamp)
        except (sqlite3.Error, OSError) as error:
            raise ScanError(f"cannot use {path} as a ledger of scans: {error}") from None

    def _prepare(self) -> None:
        database = self._database
        application, version = (
            database.execute(f"PRAGMA {name}").fetchone()[0] for name in ("application_id", "user_version")
        )
        is_empty = not database.execute("SELECT 1 FROM sqlite_master LIMIT 1").fetchone()
        if not is_empty and (application != APPLICATION_ID or version != VERSION):
            raise OSError(f"it was made by {'another version' if application == APPLICATION_ID else 'another program'}")
        database.execute("PRAGMA journal_mode = WAL")
        database.execute("PRAGMA synchronous = NORMAL")
        if is_empty:
            self.path.chmod(0o600)
            database.executescript(
                f"BEGIN IMMEDIATE; {_TABLES} PRAGMA application_id = {APPLICATION_ID}; "
                f"PRAGMA user_version = {VERSION}; COMMIT;"
            )

    def record(self, file: File, verdicts: Sequence[Verdict]) -> None:
        """Keeps a file's verdicts; they are on disk after the next commit."""
        if not self.failure and file.size_bytes >= 0:
            self._recorded.append((file, pack_verdicts(verdicts) if verdicts else None))

    def commit_when_due(self) -> None:
        """Writes what was recorded, if the last time is long enough ago."""
        if self._recorded and time.monotonic() >= self._due:
            self.commit()

    def commit(self) -> None:
        """Writes what was recorded."""
        recorded, self._recorded = self._recorded, []
        self._due = time.monotonic() + COMMIT_SECONDS
        if self.failure or not recorded:
            return
        try:
            self._database.execute("BEGIN IMMEDIATE")
            self._database.executemany(
                "INSERT OR REPLACE INTO files VALUES (?, ?, ?, ?, ?, ?)",
                (self._row(file, packed) for file, packed in recorded),
            )
            self._database.execute("COMMIT")
        except sqlite3.Error as error:
            self._fail(error)

    def close(self) -> None:
        """Writes what is left and closes the database."""
        self.commit()
        try:
            self._database.close()
        except sqlite3.Error as error:
            self._fail(error)

    def _row(self, file: File, packed: bytes | None) -> tuple[int, str | bytes, int, int, int, bytes | None]:
        folder = self._folders.get(file.folder)
        if folder is None:
            if len(self._folders) >= FOLDERS_KEPT:
                self._folders.clear()
            folder = self._folders[file.folder] = self._entered("folders", "path", folder_key(file.folder))
        return (folder, name_key(file.name), file.size_bytes, signed(file.mtime_ns), self.stamp, packed)

    def _entered(self, table: str, column: str, value: str | bytes) -> int:
        """The number of a value in a table of its own, entered if it is new."""
        self._database.execute(f"INSERT OR IGNORE INTO {table} ({column}) VALUES (?)", (value,))  # noqa: S608 - ours
        row = self._database.execute(f"SELECT id FROM {table} WHERE {column} = ?", (value,)).fetchone()  # noqa: S608
        return int(row[0])

    def _fail(self, error: sqlite3.Error) -> None:
        self.failure = self.failure or str(error)
        self._recorded = []
        if self._database.in_transaction:
            with contextlib.suppress(sqlite3.Error):
                self._database.execute("ROLLBACK")


def connect(path: Path) -> sqlite3.Connection:
    """A connection to a ledger. Raises sqlite3.Error."""
    return sqlite3.connect(path, isolation_level=None, timeout=BUSY_SECONDS)


def folder_key(folder: str) -> bytes:
    """How a folder stands in the ledger: it is the same folder from wherever the scan is started."""
    return os.fsencode(os.path.abspath(folder))


def name_key(name: str) -> str | bytes:
    """How a name stands in the ledger: as text, or as bytes where it may be no valid Unicode."""
    return name if name.isascii() else os.fsencode(name)


def signed(number: int) -> int:
    """SQLite's integers have 64 bits; times after the year 2262 have more."""
    return number if number < _INT64 else (number + _INT64) % (2 * _INT64) - _INT64
