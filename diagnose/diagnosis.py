"""Diagnoses: what the engine concludes and reports show. The output contract is docs/output.md."""

from __future__ import annotations

from enum import StrEnum

from msgspec import Struct, field

from diagnose.evidence import Subject, Value


class Layer(StrEnum):
    """Where the decode step really failed, which is often not the layer that printed the message."""

    TRANSPORT = "transport"
    CONTAINER = "container"
    TEXT = "text"
    IMAGE = "image"
    MEDIA = "media"
    MODEL = "model"
    RUNTIME = "runtime"
    MEMORY = "memory"
    NUMERICS = "numerics"
    PERFORMANCE = "performance"
    ENVIRONMENT = "environment"


class Severity(StrEnum):
    """error: a mainstream consumer fails or silently gets wrong data. warning: some do. note: worth knowing."""

    ERROR = "error"
    WARNING = "warning"
    NOTE = "note"

    @property
    def rank(self) -> int:
        return {"error": 3, "warning": 2, "note": 1}[self.value]


class Risk(StrEnum):
    """What a repair may cost beyond its minutes."""

    NONE = "none"
    RESTART = "restart"
    SLOW = "slow"
    DESTROYS_CACHE = "destroys-cache"
    DESTROYS_DATA = "destroys-data"


class Cause(Struct, frozen=True):
    """A possible root cause with its posterior probability. The id `other` stands for what no cause covers."""

    id: str
    title: str
    probability: float


class EvidenceItem(Struct, frozen=True, omit_defaults=True):
    """A piece of evidence as shown: the fact (or `log` for a line), its value, where it was seen, what stood there."""

    fact: str
    value: Value | None = None
    where: str = ""
    text: str = ""
    not_checked: str = ""
    count: int = 1


class Step(Struct, frozen=True, omit_defaults=True):
    """An entry of a checklist. `kind` is check (learns something) or repair (changes something)."""

    id: str
    kind: str
    title: str
    detail: str = ""
    commands: list[str] = []
    minutes: float = 1
    risk: Risk = Risk.NONE
    verify: str = ""


class Diagnosis(Struct, frozen=True):
    """A rule raised on evidence: layer, ranked causes (likeliest first), ordered checklist, consequences."""

    rule: str
    layer: Layer
    severity: Severity
    title: str
    summary: str
    subject: Subject
    causes: list[Cause]
    evidence: list[EvidenceItem]
    checklist: list[Step]
    consequences: list[str]


class Group(Struct, frozen=True):
    """All diagnoses of one rule and likeliest cause over many subjects."""

    rule: str
    cause: str
    severity: Severity
    count: int
    examples: list[str]


class Summary(Struct):
    scanned: int = 0
    errors: int = 0
    warnings: int = 0
    notes: int = 0
    not_checked: int = 0


def summary_of(diagnoses: list[Diagnosis], scanned: int, not_checked: int = 0) -> Summary:
    """The counts of a report on one subject: a diagnosis counts once."""
    count = {severity: sum(d.severity is severity for d in diagnoses) for severity in Severity}
    return Summary(scanned, count[Severity.ERROR], count[Severity.WARNING], count[Severity.NOTE], not_checked)


class NotChecked(Struct, frozen=True):
    """A subject, or a part of the evidence on it, that could not be looked at."""

    what: str
    reason: str


class Report(Struct):
    """The result of one command on one subject (a log, an image, a folder), most important diagnosis first."""

    subject: Subject
    summary: Summary
    diagnoses: list[Diagnosis] = field(default_factory=list)
    groups: list[Group] = field(default_factory=list)
    not_checked: list[NotChecked] = field(default_factory=list)
    interrupted: bool = False

    def worst(self) -> Severity | None:
        """The highest severity of all diagnoses, or None if there is none."""
        return max((d.severity for d in self.diagnoses), key=lambda s: s.rank, default=None)
