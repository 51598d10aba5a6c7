"""Options and behaviour that commands share."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import click

from diagnose.diagnosis import Severity

if TYPE_CHECKING:
    from diagnose.diagnosis import Report
    from diagnose.pipelines.rulebook import Rulebook
    from diagnose.reports.terminal import Style

Command = TypeVar("Command", bound=Callable[..., Any])
MAX_WIDTH = 100


def language_option(command: Command) -> Command:
    return click.option(
        "--lang", type=click.Choice(["en", "zh"]), default=None, help="Language of the texts; default: the locale's."
    )(command)


def format_option(*formats: str) -> Callable[[Command], Command]:
    return click.option(
        "--format",
        "form",
        type=click.Choice(formats),
        default=formats[0],
        show_default=True,
        help="Form of the result.",
    )


def color_option(command: Command) -> Command:
    return click.option(
        "--color",
        type=click.Choice(["auto", "always", "never"]),
        default="auto",
        help="Colour; auto: on a terminal, unless NO_COLOR is set.",
    )(command)


def output_options(command: Command) -> Command:
    """--lang, --quiet and --color."""
    quiet = click.option("--quiet", "-q", is_flag=True, help="No progress and no remarks, only the result.")
    return language_option(quiet(color_option(command)))


def fail_on_option(command: Command) -> Command:
    return click.option(
        "--fail-on",
        type=click.Choice(["error", "warning", "note", "never"]),
        default="error",
        show_default=True,
        help="The lowest severity that makes the exit status 1.",
    )(command)


def rules_option(command: Command) -> Command:
    return click.option(
        "--rules",
        "own_rules",
        type=click.Path(exists=True, file_okay=False, path_type=Path),
        multiple=True,
        help="A folder with rules of your own, in addition; may be repeated.",
    )(command)


def language(chosen: str | None) -> str:
    """The language asked for, or the locale's, or English."""
    if chosen:
        return chosen
    names = ("DECODEDOCTOR_LANG", "LC_ALL", "LC_MESSAGES", "LANG")
    first = next((os.environ[name] for name in names if os.environ.get(name)), "")
    return "zh" if first.lower().startswith("zh") else "en"


def style(color: str) -> Style:
    """Colour as asked for; `auto` looks at NO_COLOR (no-color.org), FORCE_COLOR and whether this is a terminal."""
    from diagnose.reports.terminal import Style

    if color != "auto":
        return Style(color == "always")
    if os.environ.get("NO_COLOR"):
        return Style(False)
    if os.environ.get("FORCE_COLOR"):
        return Style(True)
    return Style(sys.stdout.isatty() and os.environ.get("TERM") != "dumb")


def width() -> int:
    """Columns of the terminal, 80 where there is none, 100 at most."""
    try:
        columns = int(os.environ.get("COLUMNS", "")) or os.get_terminal_size(sys.stdout.fileno()).columns
    except (ValueError, OSError):
        return 80
    return max(40, min(MAX_WIDTH, columns))


def open_rulebook(own_rules: tuple[Path, ...]) -> Rulebook:
    """The rules in force; what is wrong with them ends the command with status 2 and the places to mend."""
    from diagnose.pipelines.rulebook import rulebook

    try:
        return rulebook(own_rules)
    except Exception as error:
        from diagnose.engine.problems import RuleError

        if isinstance(error, RuleError):
            raise click.ClickException(f"the rules cannot be used\n{error}") from None
        if isinstance(error, OSError):
            raise click.ClickException(f"the rules cannot be read: {error}") from None
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
