"""Target files in, checked targets out. Every complaint names file, line and column."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path

from diagnose.engine.load import fitting, refuse_serious
from diagnose.engine.problems import Problem
from diagnose.engine.target import Target
from diagnose.engine.target_build import TargetBuilder
from diagnose.engine.target_form import FILE
from diagnose.evidence import FactSpec


def load_targets(
    files: Sequence[Path], declared: Iterable[FactSpec], rule_ids: Sequence[str] | None = None
) -> tuple[list[Target], list[Problem]]:
    """The targets of these files, checked against the facts that collectors declare, and what is only noteworthy.

    With the ids of the rules in force, an `explains` that names none of them is noteworthy too.
    Raises RuleError with everything that is wrong in all files.
    """
    problems: list[Problem] = []
    fit = fitting(files, FILE, problems)
    builder = TargetBuilder(declared, problems)
    for root in fit:
        builder.add_remedies(root)
    for root in fit:
        builder.add_targets(root)
    if rule_ids is not None:
        builder.check_explains(rule_ids)
    refuse_serious(problems)
    return builder.targets, problems
