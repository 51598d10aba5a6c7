"""decodedoctor: names the layer and the root cause when something fails to decode, and orders the remedy.

    import diagnose
    report = diagnose.explain("error.log")
    report.diagnoses[0].layer, report.diagnoses[0].checklist[0].commands

The functions load what they need when they are first used.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from diagnose._version import __version__

if TYPE_CHECKING:
    from diagnose.api import check, check_bytes, explain, image, inspect, scan
    from diagnose.diagnosis import Cause, Diagnosis, Layer, Report, Severity, Step
    from diagnose.evidence import Evidence, Fact, Subject

_HOMES = {
    **dict.fromkeys(("check", "check_bytes", "explain", "image", "inspect", "scan"), "diagnose.api"),
    **dict.fromkeys(("Cause", "Diagnosis", "Layer", "Report", "Severity", "Step"), "diagnose.diagnosis"),
    **dict.fromkeys(("Evidence", "Fact", "Subject"), "diagnose.evidence"),
}

__all__ = [
    "Cause",
    "Diagnosis",
    "Evidence",
    "Fact",
    "Layer",
    "Report",
    "Severity",
    "Step",
    "Subject",
    "__version__",
    "check",
    "check_bytes",
    "explain",
    "image",
    "inspect",
    "scan",
]


def __getattr__(name: str) -> Any:
    home = _HOMES.get(name)
    if home is None:
        raise AttributeError(f"module 'diagnose' has no attribute {name!r}")
    import importlib

    return getattr(importlib.import_module(home), name)
