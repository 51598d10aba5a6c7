"""The command line: `main` is the program. A file per command; each loads only when it is called."""

from __future__ import annotations

import os
import sys


def main() -> None:
    """The program. Exit status 2 where a command cannot do its work, 130 after Ctrl-C."""
    for stream in (sys.stdout, sys.stderr):
        if hasattr(stream, "reconfigure"):
            stream.reconfigure(errors="backslashreplace")
    from diagnose.cli.output import CommandError

    try:
        status = _run(sys.argv[1:])
    except CommandError as error:
        sys.stderr.write(f"Error: {error}\n")
        status = 2
    except KeyboardInterrupt:
        sys.stderr.write("interrupted\n")
        status = 130
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        status = 1
    sys.exit(status)


def _run(arguments: list[str]) -> int:
    """The plain `explain LOG` goes without the option parser, which would take as long as all the rest."""
    if len(arguments) == 2 and arguments[0] == "explain" and not arguments[1].startswith("--"):
        from diagnose.cli.explaining import explain_log

        return explain_log(arguments[1])
    return _run_parsed()


def _run_parsed() -> int:
    import click

    from diagnose.cli.group import group

    try:
        status = group.main(prog_name="decodedoctor", standalone_mode=False)
    except click.ClickException as error:
        error.show()
        return 2
    except click.Abort:
        raise KeyboardInterrupt from None
    return status if isinstance(status, int) else 0
