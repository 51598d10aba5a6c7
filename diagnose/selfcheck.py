"""The result of the self-check: one row for each probe, and all facts joined."""

from __future__ import annotations

from enum import StrEnum

from msgspec import Struct

from diagnose.evidence import Evidence, Fact


class Bilingual(Struct, frozen=True):
    """The same words in English and Chinese."""

    en: str
    zh: str

    def words(self, language: str) -> str:
        """The words in `language` (en or zh)."""
        return self.zh if language == "zh" else self.en


class ProbeStatus(StrEnum):
    """passed: it works. failed: it does not. warning: it works in part. not-checked: nobody could look."""

    PASSED = "passed"
    FAILED = "failed"
    WARNING = "warning"
    NOT_CHECKED = "not-checked"


class ProbeResult(Struct, frozen=True):
    """What one probe found. `reason` is empty when it passed; `seconds` is the wall time of the probe alone."""

    name: str
    group: Bilingual
    title: Bilingual
    status: ProbeStatus
    reason: Bilingual
    seconds: float
    facts: list[Fact]


class CheckResult(Struct, frozen=True):
    """The rows in the order in which the probes are declared, and their facts as the evidence on the host."""

    rows: list[ProbeResult]
    evidence: Evidence

    def count(self, status: ProbeStatus) -> int:
        """How many probes ended in `status`."""
        return sum(row.status is status for row in self.rows)
