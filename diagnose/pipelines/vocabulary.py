"""The facts of all collectors: what a rule may name."""

from __future__ import annotations

import importlib

from diagnose.evidence import Vocabulary

COLLECTORS = (
    "log",
    "process",
    "signature",
    "text",
    "image",
    "artefact",
    "oci",
    "host",
)
"""Modules of `diagnose.collectors`; each declares its facts as FACTS."""


def vocabularies() -> list[Vocabulary]:
    """Every collector's vocabulary. Raises ValueError if two collectors declare the same fact."""
    found: list[Vocabulary] = []
    owners: dict[str, str] = {}
    for name in COLLECTORS:
        vocabulary: Vocabulary = importlib.import_module(f"diagnose.collectors.{name}").FACTS
        for fact in vocabulary.names:
            if fact in owners:
                raise ValueError(f"{name} and {owners[fact]} both declare the fact {fact}")
            owners[fact] = name
        found.append(vocabulary)
    return found
