"""decodedoctor explain"""

from __future__ import annotations

from pathlib import Path

import click

from diagnose.cli import options


@click.command("explain")
@click.argument("log", type=click.Path(allow_dash=True))
@options.format_option("text", "json")
@options.fail_on_option
@options.rules_option
@options.output_options
def command(
    log: str,
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
    from diagnose.cli.explaining import explain_log

    return explain_log(log, form, fail_on, own_rules, lang, quiet, color)
