"""decodedoctor targets: which consumers are known, and what they cannot read."""

from __future__ import annotations

import json
from pathlib import Path

import click

from diagnose.cli import options, output


@click.group("targets")
def command() -> None:
    """List and show what decoders, libraries and devices cannot read, for scan --target."""


@command.command("list")
@options.format_option("text", "json")
@options.rules_option
@options.language_option
def list_targets(form: str, own_rules: tuple[Path, ...], lang: str | None) -> None:
    """List the targets: name, what it is, how many limits are known."""
    from diagnose.cli import target_pages

    found = output.open_targets(own_rules)
    if form == "json":
        rows = [target_pages.row_of(target) for target in found]
        click.echo(json.dumps(rows, ensure_ascii=False, indent=2))
    else:
        click.echo(target_pages.table(found, output.language(lang), output.width()))


@command.command("show")
@click.argument("name", shell_complete=options.target_names)
@options.format_option("text", "json")
@options.rules_option
@options.language_option
@options.color_option
def show(name: str, form: str, own_rules: tuple[Path, ...], lang: str | None, color: str) -> None:
    """Show the limits of the target NAME: what happens, what to do, how it is known."""
    from diagnose.cli import target_pages

    target = output.open_target(own_rules, name)
    if form == "json":
        click.echo(json.dumps(target_pages.document_of(target), ensure_ascii=False, indent=2))
    else:
        click.echo(target_pages.page(target, output.language(lang), output.style(color), output.width()))


@command.command("schema")
def schema() -> None:
    """Print the JSON Schema of target files, for editors."""
    from diagnose.engine.target_form import json_schema

    click.echo(json.dumps(json_schema(), indent=2))
