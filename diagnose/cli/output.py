"""What commands share of running and showing; free of the option parser, which costs a third of a quick start."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, TextIO, TypeVar

from diagnose.diagnosis import Severity

if TYPE_CHECKING:
    from pathlib import Path

    from diagnose.diagnosis import Report
    from diagnose.engine.rule import RuleSet
    from diagnose.engine.target import Target
    from diagnose.pipelines.rulebook import Rulebook
    from diagnose.reports.terminal import Style

Loaded = TypeVar("Loaded")

MAX_WIDTH = 100


class CommandError(Exception):
    """The command cannot do its work: what happened, where, and what to do. Exit status 2."""


def language(chosen: str | None) -> str:
    """The language asked for, or the locale's, or English."""
    if chosen:
        return chosen
    names = ("DECODEDOCTOR_LANG", "LC_ALL", "LC_MESSAGES", "LANG")
    first = next((os.environ[name] for name in names if os.environ.get(name)), "")
    return "zh" if first.lower().startswith("zh") else "en"


def style(color: str, stream: TextIO | None = None) -> Style:
    """Colour as asked for; `auto` looks at NO_COLOR (no-color.org), FORCE_COLOR and whether this is a terminal."""
    from diagnose.reports.terminal import Style

    if color != "auto":
        return Style(color == "always")
    if os.environ.get("NO_COLOR"):
        return Style(False)
    if os.environ.get("FORCE_COLOR"):
        return Style(True)
    return Style((stream or sys.stdout).isatty() and os.environ.get("TERM") != "dumb")


def width() -> int:
    """Columns of the terminal, 80 where there is none, 100 at most."""
    try:
        columns = int(os.environ.get("COLUMNS", "")) or os.get_terminal_size(sys.stdout.fileno()).columns
    except (ValueError, OSError):
        return 80
    return max(40, min(MAX_WIDTH, columns))


def open_rulebook(own_rules: Sequence[Path], with_patterns: bool = True) -> Rulebook:
    """The rules in force; what is wrong with them ends the command with status 2 and the places to mend.

    Without patterns they come faster, and are good for anything but logs.
    """
    from diagnose.pipelines.rulebook import rulebook

    return _opened(lambda: rulebook(own_rules, with_patterns))


def open_rules(own_rules: Sequence[Path], targets: Sequence[str]) -> RuleSet:
    """The rules in force for files, with the limits of these targets; a target that there is not ends the command."""
    from diagnose.pipelines.targets import rules_for

    return _opened(lambda: rules_for(own_rules, targets))


def open_targets(own_rules: Sequence[Path]) -> list[Target]:
    """All targets, the user's own included; what is wrong with them ends the command."""
    from diagnose.pipelines.targets import targets

    return _opened(lambda: targets(own_rules))


def open_target(own_rules: Sequence[Path], name: str) -> Target:
    """The target of this name or alias; if there is none, the command ends."""
    from diagnose.pipelines.targets import chosen

    return _opened(lambda: chosen(own_rules, [name]))[0]


def _opened(load: Callable[[], Loaded]) -> Loaded:
    try:
        return load()
    except Exception as error:
        from diagnose.engine.problems import RuleError
        from diagnose.pipelines.targets import UnknownTargetError

        if isinstance(error, UnknownTargetError):
            raise CommandError(str(error)) from None
        if isinstance(error, RuleError):
            raise CommandError(f"the rules cannot be used\n{error}") from None
        if isinstance(error, OSError):
            raise CommandError(f"the rules cannot be read: {error}") from None
        raise


def write(text: str | bytes) -> None:
    """Writes a result to standard output, bytes as they are."""
    if isinstance(text, bytes):
        sys.stdout.flush()
        sys.stdout.buffer.write(text)
        sys.stdout.buffer.flush()
    else:
        sys.stdout.write(text)
        sys.stdout.flush()


def exit_status(report: Report, fail_on: str) -> int:
    """1 where something at or above `fail_on` was found, else 0."""
    worst = report.worst()
    if fail_on == "never" or worst is None:
        return 0
    return int(worst.rank >= Severity(fail_on).rank)
