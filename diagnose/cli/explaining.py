"""What `decodedoctor explain` does once its options are known."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from contextlib import AbstractContextManager, nullcontext
from typing import TYPE_CHECKING, BinaryIO

from diagnose.cli import output
from diagnose.cli.progress import ProgressLine
from diagnose.pipelines.explain import explain

if TYPE_CHECKING:
    from pathlib import Path

    from diagnose.diagnosis import Report


def explain_log(
    log: str,
    form: str = "text",
    fail_on: str = "error",
    own_rules: Sequence[Path] = (),
    lang: str | None = None,
    quiet: bool = False,
    color: str = "auto",
    probe: bool = False,
) -> int:
    """Prints what the log says went wrong, and returns the exit status. Raises CommandError."""
    book = output.open_rulebook(own_rules)
    language = output.language(lang)
    try:
        with ProgressLine(not quiet) as line, _opened(log, quiet) as stream:
            report = explain(stream, log, book, language, lambda size: line.show(f"{size >> 20:,} MiB read"), probe)
    except OSError as error:
        raise unreadable(log, error) from None
    show(report, form, language, color, len(book.rules.rules))
    return output.exit_status(report, fail_on)


def show(report: Report, form: str, language: str, color: str, rules: int) -> None:
    """Writes the report in one of its forms."""
    if form == "json":
        from diagnose.reports import json_report

        output.write(json_report.render(report, rules))
    elif form == "markdown":
        from diagnose.reports import markdown

        output.write(markdown.render(report, language))
    else:
        from diagnose.reports import explain_text

        output.write(explain_text.render(report, language, output.style(color), output.width()))


def follow_log(log: str, form: str, own_rules: Sequence[Path], lang: str | None, quiet: bool, color: str) -> int:
    """Prints a report on each incident as soon as it is complete; 1 if there was any, at the end of the stream."""
    from diagnose.pipelines.live import follow

    book = output.open_rulebook(own_rules)
    language = output.language(lang)
    status = 0
    try:
        with _opened(log, quiet) as stream:
            for report in follow(stream, log, book, language):
                show(report, form, language, color, len(book.rules.rules))
                status = 1
    except OSError as error:
        raise unreadable(log, error) from None
    return status


def suggest_rule(log: str, own_rules: Sequence[Path], quiet: bool) -> int:
    """Prints a skeleton of a rule for what no rule knows in the log; 0 where everything is known."""
    from diagnose.pipelines.explain import suggested_rule

    book = output.open_rulebook(own_rules)
    try:
        with _opened(log, quiet) as stream:
            text = suggested_rule(stream, log, book)
    except OSError as error:
        raise unreadable(log, error) from None
    if text is None:
        sys.stderr.write("no line looks like a failure to decode that no rule knows\n")
        return 0
    output.write(text)
    return 1


def unreadable(log: str, error: OSError) -> output.CommandError:
    """The error as its reader needs it."""
    if isinstance(error, IsADirectoryError):
        return output.CommandError(f"{log} is a folder; `decodedoctor scan {log}` looks at files")
    return output.CommandError(f"cannot read {log}: {error.strerror or error}")


def _opened(log: str, quiet: bool) -> AbstractContextManager[BinaryIO]:
    if log != "-":
        return open(log, "rb", buffering=0)
    if sys.stdin.isatty() and not quiet:
        sys.stderr.write("reading the log from the terminal; end it with Ctrl-D\n")
    return nullcontext(sys.stdin.buffer)
