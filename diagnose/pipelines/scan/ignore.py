"""Files that are known and wanted as they are: a list of patterns, each with the reason why.

    # .decodedoctorignore
    raw/            # scanner output, converted by step 2
    train/0017.jpg  # cut on purpose: test of the loader

A line is a pattern (see `globs`) and, after ` #`, a reason. Empty lines and lines that begin with # say nothing.
"""

from __future__ import annotations

import bisect
import os
import re
from collections.abc import Iterable, Sequence
from pathlib import Path

from msgspec import Struct

from diagnose.pipelines.scan.errors import ScanError
from diagnose.pipelines.scan.globs import Globs
from diagnose.reports.scan_report import Ignored, UnusedIgnore

IGNORE_FILE = ".decodedoctorignore"
EXAMPLES_KEPT = 3
MAX_BYTES = 64 << 20

_REASON = re.compile(r"(?:^|\s)#\s*(.*)$")


class Entry(Struct, eq=False):
    """One pattern of an ignore file, and what it has matched so far."""

    pattern: str
    reason: str
    source: str
    line: int
    count: int = 0
    examples: list[str] = []

    def note(self, path: str) -> None:
        """Counts a file that is ignored because of this entry; the first ones by path are its examples."""
        self.count += 1
        if len(self.examples) < EXAMPLES_KEPT or path < self.examples[-1]:
            bisect.insort(self.examples, path)
            del self.examples[EXAMPLES_KEPT:]


class IgnoreList:
    """The entries that hold for one folder that is scanned: those of its own file and of the files asked for."""

    def __init__(self, entries: Sequence[Entry]) -> None:
        self.entries = entries
        try:
            self.globs: Globs[Entry] = Globs((entry.pattern, entry) for entry in entries)
        except ScanError as error:
            sources = ", ".join(sorted({entry.source for entry in entries}))
            raise ScanError(f"{sources}: {error}") from None


def read_entries(path: Path) -> list[Entry]:
    """The entries of an ignore file. Raises ScanError if it cannot be read."""
    try:
        with path.open("rb") as stream:
            content = stream.read(MAX_BYTES + 1)
    except OSError as error:
        raise ScanError(f"cannot read {path}: {error.strerror or error}") from None
    if len(content) > MAX_BYTES:
        raise ScanError(f"{path} is larger than {MAX_BYTES >> 20} MiB")
    entries = []
    for number, line in enumerate(os.fsdecode(content).removeprefix("\ufeff").split("\n"), 1):
        pattern, reason = _split(line)
        if pattern:
            entries.append(Entry(pattern, reason, str(path), number))
    return entries


def read_own_entries(folder: str) -> list[Entry]:
    """The entries of the folder's own ignore file, if it has one."""
    path = Path(folder) / IGNORE_FILE
    return read_entries(path) if path.is_file() else []


def _split(line: str) -> tuple[str, str]:
    found = _REASON.search(line)
    if found is None:
        return line.strip(), ""
    return line[: found.start()].strip(), found[1].strip()


def ignored(entries: Iterable[Entry]) -> list[Ignored]:
    """What was ignored and why, by entry, in the order of the files."""
    return [
        Ignored(entry.pattern, entry.reason, entry.count, entry.examples, f"{entry.source}:{entry.line}")
        for entry in entries
        if entry.count
    ]


def unused(entries: Iterable[Entry]) -> list[UnusedIgnore]:
    """The entries that matched no file."""
    return [UnusedIgnore(entry.pattern, f"{entry.source}:{entry.line}") for entry in entries if not entry.count]
