"""The report of a scan: beyond what every report has, what was left out and why."""

from __future__ import annotations

from msgspec import Struct, field

from diagnose.diagnosis import Report


class Ignored(Struct, frozen=True):
    """Files that an ignore file's entry at `where` (`file:line`) keeps out, with the reason that it gives."""

    pattern: str
    reason: str
    count: int
    examples: list[str]
    where: str


class UnusedIgnore(Struct, frozen=True):
    """An entry of an ignore file that matched no file."""

    pattern: str
    where: str


class Sampled(Struct, frozen=True):
    """The scan looked at `taken` of `files` files, chosen by the hash of path and seed."""

    taken: int
    files: int
    seed: str


class ScanReport(Report):
    """What a scan found. Where it was streamed, `diagnoses` holds only the examples of each group, and
    `not_checked` the first few."""

    ignored: list[Ignored] = field(default_factory=list)
    unused_ignores: list[UnusedIgnore] = field(default_factory=list)
    sampled: Sampled | None = None
    remarks: list[str] = field(default_factory=list)
