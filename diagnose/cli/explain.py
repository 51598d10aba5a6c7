"""decodedoctor explain"""

from __future__ import annotations

import sys
from pathlib import Path

import click

from diagnose.cli import options


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
        if str(log) == "-":
            if sys.stdin.isatty() and not quiet:
                click.echo("reading the log from the terminal; end it with Ctrl-D", err=True)
            report = explain(sys.stdin.buffer, "-", book, language, _progress(quiet))
        else:
            with log.open("rb") as stream:
                report = explain(stream, str(log), book, language, _progress(quiet))
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


def _progress(quiet: bool):  # type: ignore[no-untyped-def]
    """Shows how much was read, on a terminal, once the log is large enough to wait for."""
    if quiet or not sys.stderr.isatty():
        return None
    shown = 0

    def show(size: int) -> None:
        nonlocal shown
        if size - shown >= 64 << 20:
            shown = size
            sys.stderr.write(f"\r{size >> 20} MiB read\x1b[K")
            sys.stderr.flush()

    return show
