"""image: a container image's reference or layout in, the evidence on it and its diagnoses out."""

from __future__ import annotations

from msgspec import Struct

from diagnose.collectors import oci
from diagnose.diagnosis import NotChecked, Report, summary_of
from diagnose.engine.judge import Judge
from diagnose.evidence import Evidence
from diagnose.pipelines.rulebook import Rulebook


class ImageResult(Struct, frozen=True):
    """The evidence as it was seen, and the report on it."""

    evidence: Evidence
    report: Report


def image(
    reference: str,
    book: Rulebook,
    language: str = "en",
    platform: str | None = None,
    insecure: bool = False,
    timeout_seconds: float = 10.0,
) -> ImageResult:
    """What a registry, an OCI layout or the local engine answers about an image.

    Raises the collector's error for a reference or a folder that is none. What cannot be reached is told as not
    checked, with the reason.
    """
    evidence = oci.collect(reference, platform=platform, insecure=insecure, timeout_seconds=timeout_seconds)
    diagnoses = Judge(book.rules, language).diagnoses(evidence)
    missing = [NotChecked(fact.name, fact.not_checked) for fact in evidence.facts if fact.not_checked]
    summary = summary_of(diagnoses, scanned=1, not_checked=len(missing))
    return ImageResult(evidence, Report(evidence.subject, summary, diagnoses, not_checked=missing))
