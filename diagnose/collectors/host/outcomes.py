"""The facts in which a probe of a decoder says how it went."""

from __future__ import annotations

from diagnose.collectors.host.facts import DECODERS, FACTS, not_checked
from diagnose.evidence import Fact

FAILURES = (OSError, ValueError, RuntimeError, SyntaxError, EOFError, MemoryError, AttributeError, LookupError)
"""What libraries raise when a decoder is missing or broken; anything else is a defect of the probe."""


def working(probe: str) -> list[Fact]:
    return [FACTS.known("host.decoder_working", probe)]


def failed(probe: str, reason: str | BaseException) -> list[Fact]:
    text = reason if isinstance(reason, str) else describe(reason)
    return [FACTS.known("host.decoder_failed", probe, text=text)]


def verdict(probe: str, fault: str) -> list[Fact]:
    """Failed when there is a fault, else working."""
    return failed(probe, fault) if fault else working(probe)


def not_imported(probe: str, library: str, error: ImportError) -> list[Fact]:
    """A library that is not installed is not checked; one that is installed and does not load has failed."""
    if isinstance(error, ModuleNotFoundError):
        return not_checked(DECODERS, f"{library} is not installed")
    return failed(probe, f"{library} is installed but does not load: {error}")


def describe(error: BaseException) -> str:
    return f"{type(error).__name__}: {error}" if str(error) else type(error).__name__
