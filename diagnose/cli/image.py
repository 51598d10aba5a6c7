"""decodedoctor image"""

from __future__ import annotations

import json
from pathlib import Path

import click

from diagnose.cli import options, output


@click.command("image")
@click.argument("reference")
@click.option("--platform", help="The platform to look at, such as linux/arm64/v8; default: this host's.")
@click.option("--insecure", is_flag=True, help="Plain HTTP, and certificates that cannot be verified.")
@click.option("--timeout", default=10.0, show_default=True, help="Seconds that a single answer may take.")
@options.format_option("text", "json")
@options.fail_on_option
@options.rules_option
@options.output_options
def command(
    reference: str,
    platform: str | None,
    insecure: bool,
    timeout: float,
    form: str,
    fail_on: str,
    own_rules: tuple[Path, ...],
    lang: str | None,
    quiet: bool,
    color: str,
) -> int:
    """Inspect a container image by REFERENCE (registry or local engine), or an OCI
    layout folder or saved tar: manifest, platforms, blobs and referrers.

    \b
    decodedoctor image registry.example.com/team/app:1.2
    decodedoctor image --platform linux/arm64 ./oci-layout
    """
    from diagnose.collectors.oci.errors import UnusableImageError
    from diagnose.pipelines.image import image

    book = output.open_rulebook(own_rules)
    language = output.language(lang)
    if not quiet:
        click.echo(f"asking for {reference} ...", err=True)
    try:
        result = image(reference, book, language, platform, insecure, timeout)
    except UnusableImageError as error:
        raise output.CommandError(str(error)) from None
    if form == "json":
        from diagnose.reports import facts_text, json_report

        document = json_report.document_of(result.report, len(book.rules.rules))
        document["facts"] = facts_text.document_of(result.evidence)["facts"]
        output.write(json.dumps(document, ensure_ascii=False, indent=2) + "\n")
    else:
        from diagnose.reports import explain_text, facts_text

        style = output.style(color)
        output.write(facts_text.render(result.evidence, style) + "\n")
        output.write(explain_text.render(result.report, language, style, output.width()))
    return output.exit_status(result.report, fail_on)
