"""Judging a file's bytes in this process: for loaders, which have the bytes and workers of their own."""

from __future__ import annotations

import os
import threading
from collections.abc import Sequence
from pathlib import Path

from diagnose.diagnosis import Diagnosis
from diagnose.engine.judge import Judge
from diagnose.engine.screening import Screen
from diagnose.pipelines.files import collect_bytes
from diagnose.pipelines.rulebook import rulebook

_screens: dict[tuple[Path, ...], Screen] = {}
_decoding = threading.Lock()
"""Decoders set limits of Pillow and the standard error for their time: two threads would leave each other's behind."""


def judge_bytes(data: bytes, name: str, language: str, own_rules: Sequence[Path]) -> list[Diagnosis]:
    """The diagnoses of a file named `name` that holds `data`. Raises RuleError where own rules cannot be used."""
    key = tuple(own_rules)
    screen = _screens.get(key)
    if screen is None:
        screen = _screens[key] = Screen(rulebook(own_rules, with_patterns=False).rules)
    with _decoding:
        evidence = collect_bytes(data, name)
    rules = screen.raised_by(evidence)
    return Judge(rules, language).diagnoses(evidence) if rules is not None else []


def _renew_lock() -> None:
    global _decoding
    _decoding = threading.Lock()


if hasattr(os, "register_at_fork"):  # a child that is forked while another thread decodes must not wait for it
    os.register_at_fork(after_in_child=_renew_lock)
