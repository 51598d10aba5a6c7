"""Where the fault of a diagnosis is: the piece of evidence that names a place."""

from __future__ import annotations

import re

from diagnose.diagnosis import Diagnosis, EvidenceItem

_OFFSET = re.compile(r"byte (\d+)")


def placed(diagnosis: Diagnosis) -> EvidenceItem | None:
    """The first evidence at a byte or a line, else the first that was seen, or None if nothing was."""
    told = [item for item in diagnosis.evidence if not item.not_checked]
    return next((item for item in told if item.where.startswith(("byte", "line"))), told[0] if told else None)


def offset(item: EvidenceItem) -> int | None:
    """The byte at which it was seen, counted from 0, or None if it has no such place."""
    found = _OFFSET.match(item.where)
    return int(found[1]) if found else None
