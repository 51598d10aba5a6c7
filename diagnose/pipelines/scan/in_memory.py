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
from diagnose.pipelines.targets import rules_for

_screens: dict[tuple[tuple[Path, ...], tuple[str, ...]], Screen] = {}
_decoding = threading.Lock()
"""Decoders set limits of Pillow and the standard error for their time: two threads would leave each other's behind."""


def judge_bytes(
    data: bytes, name: str, language: str, own_rules: Sequence[Path], targets: Sequence[str]
) -> list[Diagnosis]:
    """The diagnoses of a file named `name` that holds `data`.

    Raises RuleError where own rules cannot be used, UnknownTargetError for the name of a target that there is not.
    """
    key = (tuple(own_rules), tuple(targets))
    screen = _screens.get(key)
    if screen is None:
        screen = _screens[key] = Screen(rules_for(own_rules, targets))
    with _decoding:
        evidence = collect_bytes(data, name)
    rules = screen.raised_by(evidence)
    return Judge(rules, language).diagnoses(evidence) if rules is not None else []


def _renew_lock() -> None:
    global _decoding
    _decoding = threading.Lock()


if hasattr(os, "register_at_fork"):  # a child that is forked while another thread decodes must not wait for it
    os.register_at_fork(after_in_child=_renew_lock)
