"""Options that commands share."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar

import click

Command = TypeVar("Command", bound=Callable[..., Any])


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


def target_option(command: Command) -> Command:
    return click.option(
        "--target",
        "targets",
        metavar="NAME",
        multiple=True,
        shell_complete=target_names,
        help="Also what this consumer cannot read (`targets list`); may be repeated.",
    )(command)


def target_names(_context: click.Context, _parameter: click.Parameter, begun: str) -> list[str]:
    """Names that begin so, for the shell's completion."""
    from diagnose.pipelines.targets import targets

    return [target.name for target in targets() if target.name.startswith(begun)]


def rules_option(command: Command) -> Command:
    return click.option(
        "--rules",
        "own_rules",
        type=click.Path(exists=True, file_okay=False, path_type=Path),
        multiple=True,
        help="A folder with rules of your own, in addition; may be repeated.",
    )(command)
