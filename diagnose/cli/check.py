"""decodedoctor check"""

from __future__ import annotations

import json
import sys
from pathlib import Path

import click

from diagnose.cli import options, output
from diagnose.cli.progress import ProgressLine


@click.command("check")
@click.argument("names", nargs=-1)
@click.option("--timeout", default=10.0, show_default=True, help="Seconds after which a probe is given up.")
@options.format_option("text", "json")
@options.fail_on_option
@options.rules_option
@options.output_options
def command(
    names: tuple[str, ...],
    timeout: float,
    form: str,
    fail_on: str,
    own_rules: tuple[Path, ...],
    lang: str | None,
    quiet: bool,
    color: str,
) -> int:
    """Check this environment before a deployment: decoders, encodings, memory, disk.

    Decoders are proved by decoding a small sample. NAMES choose probes (pillow.avif)
    or families of them (pillow); without, all are run.

    \b
    decodedoctor check
    decodedoctor check --format json pillow heif
    """
    from diagnose.pipelines.check import UnknownProbeError, check, report_of

    book = output.open_rulebook(own_rules)
    language = output.language(lang)
    done = 0
    try:
        with ProgressLine(not quiet) as line:

            def show(_: object) -> None:
                nonlocal done
                done += 1
                line.show(f"{done} probes done")

            result = check(names, timeout, show)
    except UnknownProbeError as error:
        raise click.UsageError(str(error)) from None
    report = report_of(result, book, language)
    if form == "json":
        from diagnose.reports import check_table, json_report

        document = json_report.document_of(report, len(book.rules.rules))
        document["probes"] = json_report.valid_unicode(check_table.probe_rows(result, language))
        output.write(json.dumps(document, ensure_ascii=False, indent=2) + "\n")
    else:
        from diagnose.reports import check_table, explain_text

        style, width = output.style(color), output.width()
        output.write(check_table.as_table(result, language, width, sys.stdout.encoding or "ascii", style.colour))
        if report.diagnoses:
            output.write("\n" + explain_text.render(report, language, style, width))
    return output.exit_status(report, fail_on)
