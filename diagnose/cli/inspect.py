"""decodedoctor inspect"""

from __future__ import annotations

import json

import click

from diagnose.cli import options, output
from diagnose.diagnosis import NotChecked


@click.command("inspect")
@click.argument("paths", nargs=-1, required=True, type=click.Path(exists=True, path_type=str))
@options.format_option("text", "json", "jsonl")
@options.color_option
def command(paths: tuple[str, ...], form: str, color: str) -> int:
    """Show the bare evidence of the files at and below PATHS: every fact with where it was seen.

    \b
    decodedoctor inspect model.gguf
    decodedoctor inspect --format jsonl labels/ | jq .facts
    """
    from diagnose.pipelines.files import collect_path
    from diagnose.pipelines.scan.walk import walk_files
    from diagnose.reports import facts_text

    style = output.style(color)
    documents = []
    unread = 0
    for entry in walk_files(paths):
        try:
            if isinstance(entry, NotChecked):
                raise OSError(0, entry.reason, entry.what)
            evidence = collect_path(entry)
        except OSError as error:
            unread += 1
            click.echo(f"not checked: {error.filename or entry}: {error.strerror or error}", err=True)
            continue
        if form == "text":
            output.write(facts_text.render(evidence, style))
        elif form == "jsonl":
            output.write(json.dumps(facts_text.document_of(evidence), ensure_ascii=False) + "\n")
        else:
            documents.append(facts_text.document_of(evidence))
    if form == "json":
        output.write(json.dumps(documents, ensure_ascii=False, indent=2) + "\n")
    return 2 if unread and unread == len(paths) else 0
