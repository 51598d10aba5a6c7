"""decodedoctor explain"""

from __future__ import annotations

import sys
from contextlib import AbstractContextManager, nullcontext
from pathlib import Path
from typing import BinaryIO

import click

from diagnose.cli import options
from diagnose.cli.progress import ProgressLine


@click.command("explain")
@click.argument("log", type=click.Path(path_type=Path, allow_dash=True))
@options.format_option("text", "json")
@options.fail_on_option
@options.rules_option
@options.output_options
def command(
    log: Path,
    form: str,
    fail_on: str,
    own_rules: tuple[Path, ...],
    lang: str | None,
    quiet: bool,
    color: str,
) -> int:
    """Name the layer, the root cause and the remedy behind a LOG (- reads standard input).

    \b
    decodedoctor explain error.log
    docker pull IMAGE 2>&1 | decodedoctor explain -
    """
    from diagnose.pipelines.explain import explain

    book = options.open_rulebook(own_rules)
    language = options.language(lang)
    try:
        with ProgressLine(not quiet) as line, _opened(log, quiet) as stream:
            report = explain(stream, str(log), book, language, lambda size: line.show(f"{size >> 20:,} MiB read"))
    except IsADirectoryError:
        raise click.ClickException(f"{log} is a folder; `decodedoctor scan {log}` looks at files") from None
    except OSError as error:
        raise click.ClickException(f"cannot read {log}: {error.strerror or error}") from None
    if form == "json":
        from diagnose.reports import json_report

        options.write(json_report.render(report, len(book.rules.rules)))
    else:
        from diagnose.reports import explain_text

        options.write(explain_text.render(report, language, options.style(color), options.width()))
    return options.exit_status(report, fail_on)


def _opened(log: Path, quiet: bool) -> AbstractContextManager[BinaryIO]:
    if str(log) != "-":
        return log.open("rb", buffering=0)
    if sys.stdin.isatty() and not quiet:
        click.echo("reading the log from the terminal; end it with Ctrl-D", err=True)
    return nullcontext(sys.stdin.buffer)
