"""The facts of all collectors, and those derived from others: what a rule may name."""

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

DERIVED = "diagnose.derivations.facts"


def vocabularies() -> list[Vocabulary]:
    """Every vocabulary. Raises ValueError if two of them declare the same fact."""
    found: list[Vocabulary] = []
    owners: dict[str, str] = {}
    for module in (*(f"diagnose.collectors.{name}" for name in COLLECTORS), DERIVED):
        vocabulary: Vocabulary = importlib.import_module(module).FACTS
        for fact in vocabulary.names:
            if fact in owners:
                raise ValueError(f"{module} and {owners[fact]} both declare the fact {fact}")
            owners[fact] = module
        found.append(vocabulary)
    return found
