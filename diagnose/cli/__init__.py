"""The command line: `main` is the program. A file per command; each loads only when it is called."""

from __future__ import annotations

import gc
import os
import sys
from typing import NoReturn

OBJECTS_BETWEEN_COLLECTIONS = 50_000
"""Rules and patterns are many objects that stay: collecting garbage among them takes a tenth of a quick start."""

FORMS = ("text", "json", "markdown")


def main() -> None:
    """The program. Exit status 2 where a command cannot do its work, 130 after Ctrl-C."""
    gc.set_threshold(OBJECTS_BETWEEN_COLLECTIONS)
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
        _write_no_more()
        status = 1
    except OSError as error:
        if error.filename is not None:
            raise
        _write_no_more()
        sys.stderr.write(f"Error: the result cannot be written: {error.strerror}\n")
        status = 2
    sys.exit(status)


def _write_no_more() -> None:
    """What is still buffered goes nowhere, so that leaving does not fail again."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def _run(arguments: list[str]) -> int:
    """`explain LOG`, in whatever form, goes without the option parser, which would take as long as all the rest."""
    if arguments[:1] == ["explain"]:
        plain = _plain(arguments[1:])
        if plain is not None:
            from diagnose.cli.explaining import explain_log

            _leave(explain_log(*plain))
    return _run_parsed()


def _leave(status: int) -> NoReturn:
    """Ends at once: taking apart what was loaded takes a tenth of a quick start, and everything is written."""
    sys.stdout.flush()
    sys.stderr.flush()
    os._exit(status)


def _plain(arguments: list[str]) -> tuple[str, str] | None:
    """Log and form of `[--format FORM] LOG`; None where there is anything else, which is for the parser."""
    form = "text"
    if len(arguments) == 3 and "--format" in arguments[:2]:
        at = arguments.index("--format")
        form = arguments[at + 1]
        arguments = arguments[:at] + arguments[at + 2 :]
    if len(arguments) != 1 or form not in FORMS or (arguments[0].startswith("-") and arguments[0] != "-"):
        return None
    return arguments[0], form


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
