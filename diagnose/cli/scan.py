"""decodedoctor scan"""

from __future__ import annotations

from pathlib import Path

import click

from diagnose.cli import options, output
from diagnose.cli.progress import ProgressLine


@click.command("scan")
@click.argument("paths", nargs=-1, required=True, type=click.Path(exists=True, path_type=str))
@click.option("--jobs", "-j", type=click.IntRange(min=1), help="Worker processes; default: the processors available.")
@options.format_option("text", "json")
@options.fail_on_option
@options.rules_option
@options.output_options
def command(
    paths: tuple[str, ...],
    jobs: int | None,
    form: str,
    fail_on: str,
    own_rules: tuple[Path, ...],
    lang: str | None,
    quiet: bool,
    color: str,
) -> int:
    """Find the files below PATHS that will fail to decode, why, and where.

    Every file is identified by its content and decoded. Nothing is changed.

    \b
    decodedoctor scan ./dataset
    decodedoctor scan --format json ./dataset > report.json
    """
    from diagnose.pipelines.scan import Progress, scan

    book = output.open_rulebook(own_rules)
    language = output.language(lang)
    with ProgressLine(not quiet) as line:

        def show(progress: Progress) -> None:
            if line.due():
                rate = progress.files / line.seconds()
                line.show(f"{progress.files:,} files, {progress.findings:,} findings, {rate:,.0f} files/s")

        report = scan(paths, book, language, own_rules, jobs, show)
    if form == "json":
        from diagnose.reports import json_report

        output.write(json_report.render(report, len(book.rules.rules)))
    else:
        from diagnose.reports import scan_text

        output.write(scan_text.render(report, language, output.style(color), output.width()))
    return 130 if report.interrupted else output.exit_status(report, fail_on)
