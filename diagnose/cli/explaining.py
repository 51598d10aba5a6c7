"""What `decodedoctor explain` does once its options are known."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from contextlib import AbstractContextManager, nullcontext
from pathlib import Path
from typing import BinaryIO

from diagnose.cli import output
from diagnose.cli.progress import ProgressLine
from diagnose.pipelines.explain import explain


def explain_log(
    log: str,
    form: str = "text",
    fail_on: str = "error",
    own_rules: Sequence[Path] = (),
    lang: str | None = None,
    quiet: bool = False,
    color: str = "auto",
) -> int:
    """Prints what the log says went wrong, and returns the exit status. Raises CommandError."""
    book = output.open_rulebook(own_rules)
    language = output.language(lang)
    try:
        with ProgressLine(not quiet) as line, _opened(log, quiet) as stream:
            report = explain(stream, log, book, language, lambda size: line.show(f"{size >> 20:,} MiB read"))
    except IsADirectoryError:
        raise output.CommandError(f"{log} is a folder; `decodedoctor scan {log}` looks at files") from None
    except OSError as error:
        raise output.CommandError(f"cannot read {log}: {error.strerror or error}") from None
    if form == "json":
        from diagnose.reports import json_report

        output.write(json_report.render(report, len(book.rules.rules)))
    else:
        from diagnose.reports import explain_text

        output.write(explain_text.render(report, language, output.style(color), output.width()))
    return output.exit_status(report, fail_on)


def _opened(log: str, quiet: bool) -> AbstractContextManager[BinaryIO]:
    if log != "-":
        return open(log, "rb", buffering=0)
    if sys.stdin.isatty() and not quiet:
        sys.stderr.write("reading the log from the terminal; end it with Ctrl-D\n")
    return nullcontext(sys.stdin.buffer)
