"""decodedoctor explain"""

from __future__ import annotations

from pathlib import Path

import click

from diagnose.cli import options


@click.command("explain")
@click.argument("log", type=click.Path(allow_dash=True))
@click.option("--probe", is_flag=True, help="Look at this host, too: files the log names, decoders, memory, disk.")
@click.option("--follow", is_flag=True, help="Read on as the log grows; report each incident once it is complete.")
@click.option("--suggest-rule", is_flag=True, help="Print a rule skeleton for what no rule knows, and nothing else.")
@options.format_option("text", "json", "markdown")
@options.fail_on_option
@options.rules_option
@options.output_options
def command(
    log: str,
    probe: bool,
    follow: bool,
    suggest_rule: bool,
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
    from diagnose.cli import explaining

    if suggest_rule:
        return explaining.suggest_rule(log, own_rules, quiet)
    if follow:
        return explaining.follow_log(log, form, own_rules, lang, quiet, color)
    return explaining.explain_log(log, form, fail_on, own_rules, lang, quiet, color, probe)
