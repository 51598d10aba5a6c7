"""What the ledger knows of the files that are listed: most of them need not be looked at again.

Works on many files of a folder at a time, in the thread that lists them, so that a tree that has not changed is
recalled about as fast as it is listed.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable, Iterator, Sequence

import msgspec

from diagnose.diagnosis import NotChecked
from diagnose.pipelines.scan.entries import Listed
from diagnose.pipelines.scan.ledger import Ledger, connect, folder_key, name_key, signed
from diagnose.pipelines.scan.verdict import Verdict, unpack_verdicts

ASKED_AT_ONCE = 500
READ_FOR_ONE = 4
"""Rows that may be read in a range of names for each one that is wanted."""

Stamped = tuple[str | bytes, int, int]
"""The key of a name, size, time of change."""


class Recalled(msgspec.Struct, frozen=True):
    """Files that are as the ledger knows them: so many sound ones, and others with their verdicts."""

    sound: int
    others: list[tuple[str, list[Verdict]]]


def recall(items: Iterable[Listed | NotChecked], ledger: Ledger) -> Iterator[Listed | NotChecked | Recalled]:
    """The items, where each file that the ledger knows as it is now has turned into what is known of it."""
    memory: _Memory | None = None
    for item in items:
        if isinstance(item, NotChecked):
            yield item
            continue
        if memory is None:  # in the thread that iterates: a connection belongs to the thread that opened it
            memory = _Memory(ledger)
        yield from memory.of(item)
    if memory is not None:
        memory.close()


class _Memory:
    def __init__(self, ledger: Ledger) -> None:
        self._stamp = ledger.stamp
        self._database: sqlite3.Connection | None = None
        try:
            self._database = connect(ledger.path)
        except sqlite3.Error:
            return

    def of(self, listed: Listed) -> Iterator[Listed | Recalled]:
        """What is known of some files of one folder, and the rest of them. What cannot be read is not known."""
        try:
            recalled, rest = self._divided(listed)
        except sqlite3.Error:
            yield listed
            return
        if recalled.sound or recalled.others:
            yield recalled
        if rest is not None:
            yield rest

    def close(self) -> None:
        if self._database is not None:
            self._database.close()

    def _divided(self, listed: Listed) -> tuple[Recalled, Listed | None]:
        nothing = Recalled(0, [])
        if self._database is None:
            return nothing, listed
        row = self._database.execute("SELECT id FROM folders WHERE path = ?", (folder_key(listed.folder),)).fetchone()
        if row is None:
            return nothing, listed
        names: list[str | bytes] = list(map(name_key, listed.names))
        stamped: list[Stamped] = list(zip(names, listed.sizes, map(signed, listed.mtimes_ns), strict=True))
        rows = self._rows(row[0], names, "name, size, mtime_ns", "IS NULL")
        if rows == stamped:  # both are in the order of names: the common case, without a look at each
            return Recalled(len(stamped), []), None
        sound = set(stamped).intersection(rows)
        if len(sound) == len(stamped):
            return Recalled(len(sound), []), None
        columns = "name, size, mtime_ns, verdicts"
        others = {row[:3]: row[3] for row in self._rows(row[0], names, columns, "IS NOT NULL")}
        return _sorted_out(listed, stamped, sound, others)

    def _rows(self, folder: int, names: Sequence[str | bytes], columns: str, which: str) -> list[tuple]:  # type: ignore[type-arg]
        """Rows of this folder that may be of these names."""
        asked = f"SELECT {columns} FROM files WHERE folder = ? AND stamp = ? AND verdicts {which}"  # noqa: S608 - ours
        texts = [name for name in names if isinstance(name, str)]
        if len(texts) == len(names):
            return self._some(asked, folder, texts)
        blobs = [name for name in names if isinstance(name, bytes)]
        return self._some(asked, folder, texts) + self._some(asked, folder, blobs)

    def _some(self, asked: str, folder: int, names: list[str] | list[bytes]) -> list[tuple]:  # type: ignore[type-arg]
        """Rows in the range of these names, or of each of them alone where the range holds far more."""
        if not names or self._database is None:
            return []
        limit = len(names) * READ_FOR_ONE + ASKED_AT_ONCE
        bounds = (folder, self._stamp, min(names), max(names), limit)
        rows = self._database.execute(f"{asked} AND name BETWEEN ? AND ? LIMIT ?", bounds).fetchall()
        if len(rows) < limit:
            return rows
        rows = []
        for start in range(0, len(names), ASKED_AT_ONCE):
            part = names[start : start + ASKED_AT_ONCE]
            marks = ",".join("?" * len(part))
            rows += self._database.execute(f"{asked} AND name IN ({marks})", (folder, self._stamp, *part)).fetchall()
        return rows


def _sorted_out(
    listed: Listed, stamped: list[Stamped], sound: set[Stamped], others: dict[Stamped, bytes]
) -> tuple[Recalled, Listed | None]:
    """One by one, where not all files are sound."""
    known: list[tuple[str, list[Verdict]]] = []
    rest: list[int] = []
    for position, key in enumerate(stamped):
        packed = others.get(key)
        if packed is not None:
            try:
                known.append((listed.folder + listed.names[position], unpack_verdicts(packed)))
            except msgspec.MsgspecError:
                rest.append(position)
        elif key not in sound:
            rest.append(position)
    recalled = Recalled(len(stamped) - len(known) - len(rest), known)
    return recalled, listed.part(rest) if rest else None
