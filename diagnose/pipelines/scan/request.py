"""What a scan is asked to do, and where results go."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Protocol

from msgspec import Struct

from diagnose.diagnosis import NotChecked
from diagnose.pipelines.scan.verdict import Verdict

FILE_SECONDS = 30.0
"""What looking at one file may take; more for large ones."""


class ScanRequest(Struct, frozen=True):
    """Which files are scanned and how. `sample` is a number of files or a percentage, as text; `state` is the ledger.

    `files_from` is a file that lists files, or `-` for standard input. `targets` are consumers that shall read them.
    """

    paths: Sequence[str] = ()
    files_from: str | None = None
    by_nul: bool = False
    include: Sequence[str] = ()
    exclude: Sequence[str] = ()
    ignore_files: Sequence[Path] = ()
    sample: str | None = None
    seed: str = "0"
    state: Path | None = None
    jobs: int | None = None
    language: str = "en"
    own_rules: Sequence[Path] = ()
    file_seconds: float = FILE_SECONDS
    targets: Sequence[str] = ()


class Sink(Protocol):
    """Takes results as they come, in no particular order."""

    def add(self, path: str, verdicts: Sequence[Verdict]) -> None:
        """A file on which there is something to tell."""

    def add_not_checked(self, item: NotChecked) -> None:
        """Something that could not be looked at."""

    def flush(self) -> None:
        """What was taken may be shown: nothing more comes at once."""
