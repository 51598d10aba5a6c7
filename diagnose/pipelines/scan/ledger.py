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

import msgspec

from diagnose.pipelines.scan.entries import File
from diagnose.pipelines.scan.errors import ScanError
from diagnose.pipelines.scan.verdict import Verdict, pack_verdicts, unpack_verdicts

COMMIT_SECONDS = 0.4
BUSY_SECONDS = 30.0
ASKED_AT_ONCE = 500
FOLDERS_KEPT = 4096

APPLICATION_ID = 0x44446C67
"""`DDlg` in the file's header (SQLite, PRAGMA application_id): a database of another program is not touched."""

VERSION = 1
_TABLES = """
CREATE TABLE IF NOT EXISTS stamps (id INTEGER PRIMARY KEY, stamp TEXT NOT NULL UNIQUE);
CREATE TABLE IF NOT EXISTS folders (id INTEGER PRIMARY KEY, path BLOB NOT NULL UNIQUE);
CREATE TABLE IF NOT EXISTS files (
  folder INTEGER NOT NULL, name BLOB NOT NULL, size INTEGER NOT NULL, mtime_ns INTEGER NOT NULL,
  stamp INTEGER NOT NULL, verdicts BLOB, PRIMARY KEY (folder, name)) WITHOUT ROWID;
"""
_SOUND: list[Verdict] = []
_INT64 = 1 << 63


class Ledger:
    """The ledger at `path`, for scans by the rules and decoders that `stamp` stands for. Raises ScanError.

    Where it cannot be written later on, `failure` says why, and the scan goes on without it.
    """

    def __init__(self, path: Path, stamp: str) -> None:
        self.failure = ""
        self._folders: dict[str, int] = {}
        self._recorded: list[tuple[File, bytes | None]] = []
        self._due = 0.0
        try:
            path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
            self._database = sqlite3.connect(path, isolation_level=None, timeout=BUSY_SECONDS)
            self._prepare(path)
            self._stamp = self._id("stamps", "stamp", stamp, enter=True) or 0
        except (sqlite3.Error, OSError) as error:
            raise ScanError(f"cannot use {path} as a ledger of scans: {error}") from None

    def _prepare(self, path: Path) -> None:
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
            path.chmod(0o600)
            database.executescript(
                f"BEGIN IMMEDIATE; {_TABLES} PRAGMA application_id = {APPLICATION_ID}; "
                f"PRAGMA user_version = {VERSION}; COMMIT;"
            )

    def known(self, files: Sequence[File]) -> list[list[Verdict] | None]:
        """The verdicts of each of these files of one folder as they are now; None where there are none yet."""
        found: dict[bytes, tuple[int, int, bytes | None]] = {}
        names = [os.fsencode(file.name) for file in files]
        try:
            folder = self._folder(files[0].folder)
            if folder is None:
                return [None] * len(files)
            for start in range(0, len(names), ASKED_AT_ONCE):
                found.update(self._ask(folder, names[start : start + ASKED_AT_ONCE]))
        except sqlite3.Error as error:
            self._fail(error)
        return [self._verdicts(found.get(name), file) for name, file in zip(names, files, strict=True)]

    def _ask(self, folder: int, names: list[bytes]) -> dict[bytes, tuple[int, int, bytes | None]]:
        marks = ",".join("?" * len(names))
        rows = self._database.execute(
            f"SELECT name, size, mtime_ns, verdicts FROM files WHERE folder = ? AND stamp = ? AND name IN ({marks})",  # noqa: S608 - only question marks
            (folder, self._stamp, *names),
        )
        return {name: (size, mtime_ns, verdicts) for name, size, mtime_ns, verdicts in rows}

    def _verdicts(self, row: tuple[int, int, bytes | None] | None, file: File) -> list[Verdict] | None:
        if row is None or row[0] != file.size_bytes or row[1] != _signed(file.mtime_ns):
            return None
        if row[2] is None:
            return _SOUND
        try:
            return unpack_verdicts(row[2])
        except msgspec.MsgspecError:
            return None

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

    def _row(self, file: File, packed: bytes | None) -> tuple[int | None, bytes, int, int, int, bytes | None]:
        folder = self._folder(file.folder, enter=True)
        return (folder, os.fsencode(file.name), file.size_bytes, _signed(file.mtime_ns), self._stamp, packed)

    def close(self) -> None:
        """Writes what is left and closes the database."""
        self.commit()
        try:
            self._database.close()
        except sqlite3.Error as error:
            self._fail(error)

    def _folder(self, folder: str, enter: bool = False) -> int | None:
        number = self._folders.get(folder)
        if number is None:
            number = self._id("folders", "path", os.fsencode(os.path.abspath(folder)), enter)
            if number is not None:
                if len(self._folders) >= FOLDERS_KEPT:
                    self._folders.clear()
                self._folders[folder] = number
        return number

    def _id(self, table: str, column: str, value: str | bytes, enter: bool) -> int | None:
        """The number of a value in a table of its own; where it is new, None, or a new number if it is to `enter`."""
        asked = f"SELECT id FROM {table} WHERE {column} = ?"  # noqa: S608 - names of our own tables
        row = self._database.execute(asked, (value,)).fetchone()
        if row is None and enter:
            self._database.execute(f"INSERT OR IGNORE INTO {table} ({column}) VALUES (?)", (value,))  # noqa: S608
            row = self._database.execute(asked, (value,)).fetchone()
        return int(row[0]) if row is not None else None

    def _fail(self, error: sqlite3.Error) -> None:
        self.failure = self.failure or str(error)
        self._recorded = []
        if self._database.in_transaction:
            with contextlib.suppress(sqlite3.Error):
                self._database.execute("ROLLBACK")


def _signed(number: int) -> int:
    """SQLite's integers have 64 bits; times after the year 2262 have more."""
    return (number + _INT64) % (2 * _INT64) - _INT64
