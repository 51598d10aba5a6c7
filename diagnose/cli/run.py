"""decodedoctor run"""

from __future__ import annotations

import sys
from pathlib import Path

import click

from diagnose.cli import options, output


@click.command("run", context_settings={"ignore_unknown_options": True, "allow_interspersed_args": False})
@click.argument("words", nargs=-1, required=True, type=click.UNPROCESSED, metavar="CMD [ARGS]...")
@options.rules_option
@options.output_options
def command(words: tuple[str, ...], own_rules: tuple[Path, ...], lang: str | None, quiet: bool, color: str) -> int:
    """Run CMD with its output passed through untouched, and explain it where it
    fails or a silent fault shows.

    The exit status is the command's own (127: not found, 126: cannot be run, as in a
    shell). The explanation goes to standard error.

    \b
    decodedoctor run -- docker pull registry.example.com/team/app:1.2
    decodedoctor run -- python train.py
    """
    from diagnose.pipelines.running import run
    from diagnose.reports import explain_text

    book = output.open_rulebook(own_rules)
    language = output.language(lang)
    try:
        result = run(words, book, language)
    except OSError as error:
        sys.stderr.write(f"Error: cannot run {words[0]}: {error.strerror or error}\n")
        return 127 if isinstance(error, FileNotFoundError) else 126
    worst = result.report.worst()
    if not quiet and worst is not None and (result.status != 0 or worst.value != "note"):
        sys.stdout.flush()
        style = output.style(color, sys.stderr)
        sys.stderr.write("\n" + explain_text.render(result.report, language, style, output.width()))
    return result.status
