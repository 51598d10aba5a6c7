"""decodedoctor scan"""

from __future__ import annotations

from pathlib import Path

import click

from diagnose.cli import options


@click.command("scan")
@click.argument("paths", nargs=-1, type=click.Path(exists=True, path_type=str))
@click.option(
    "--files-from", type=click.Path(allow_dash=True), help="Scan the files that FILE lists (- standard input)."
)
@click.option("--null", "-0", "by_nul", is_flag=True, help="NUL bytes separate the listed files; else seen by itself.")
@click.option("--include", multiple=True, metavar="GLOB", help="Only files that match, or lie in a folder that does.")
@click.option("--exclude", multiple=True, metavar="GLOB", help="No files that match, or lie in a folder that does.")
@click.option(
    "--ignore-file",
    "ignore_files",
    multiple=True,
    type=click.Path(exists=True, dir_okay=False, path_type=Path),
    help="Patterns with reasons after #, as in .decodedoctorignore of the folder.",
)
@click.option("--sample", metavar="N|P%", help="So many files, or so many in a hundred; the same ones every time.")
@click.option("--seed", default="0", show_default=True, help="Another seed, another sample.")
@click.option("--resume", is_flag=True, help="Go on where an earlier scan with --resume was ended.")
@click.option("--state", type=click.Path(dir_okay=False, path_type=Path), help="The ledger for that; implies --resume.")
@click.option("--jobs", "-j", type=click.IntRange(min=1), help="Worker processes; default: the processors available.")
@options.target_option
@options.format_option("text", "json", "jsonl", "csv")
@options.fail_on_option
@options.rules_option
@options.output_options
def command(
    paths: tuple[str, ...],
    files_from: str | None,
    by_nul: bool,
    include: tuple[str, ...],
    exclude: tuple[str, ...],
    ignore_files: tuple[Path, ...],
    sample: str | None,
    seed: str,
    resume: bool,
    state: Path | None,
    jobs: int | None,
    targets: tuple[str, ...],
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
    decodedoctor scan --target rk3588 --target tensorflow ./dataset
    decodedoctor scan --format jsonl --resume ./dataset > findings.jsonl
    find . -name '*.png' -newer last -print0 | decodedoctor scan --files-from -
    """
    if not paths and files_from is None:
        raise click.UsageError("name files or folders to scan, or a list of them with --files-from")
    from diagnose.cli import output, scanning
    from diagnose.pipelines.scan.request import ScanRequest

    request = ScanRequest(
        paths,
        files_from,
        by_nul,
        include,
        exclude,
        ignore_files,
        sample,
        seed,
        scanning.ledger_path(state, resume, paths, files_from),
        jobs,
        output.language(lang),
        own_rules,
        targets=targets,
    )
    return scanning.run(request, form, fail_on, quiet, color)
