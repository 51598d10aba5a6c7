"""The group of all commands. Each is a module of this folder and loads only when it is called."""

from __future__ import annotations

import importlib

import click

from diagnose._version import __version__

COMMANDS = {
    "scan": "Find the files of a data set that will fail to decode.",
    "explain": "Name the layer, the root cause and the remedy behind a log.",
    "run": "Run a command, and explain it where it fails.",
    "check": "Check this environment before a deployment.",
    "image": "Inspect a container image: manifest, platforms, referrers.",
    "inspect": "Show the bare evidence of files.",
    "targets": "List and show what decoders and devices cannot read.",
    "rules": "List, show, lint and test the rules.",
    "completion": "Print the completion script of a shell.",
}


class LazyGroup(click.Group):
    """Knows its commands' names and one-line helps, and imports a command's module when it is used."""

    def list_commands(self, _ctx: click.Context) -> list[str]:
        return list(COMMANDS)

    def get_command(self, _ctx: click.Context, cmd_name: str) -> click.Command | None:
        if cmd_name not in COMMANDS:
            return None
        command: click.Command = importlib.import_module(f"diagnose.cli.{cmd_name}").command
        return command

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        name = args[0] if args else ""
        if args and name not in COMMANDS and not name.startswith("-"):
            from difflib import get_close_matches

            near = get_close_matches(name, COMMANDS, n=1)
            hint = f" Did you mean '{near[0]}'?" if near else ""
            ctx.fail(f"There is no command '{name}'.{hint}")
        return super().resolve_command(ctx, args)

    def format_commands(self, _ctx: click.Context, formatter: click.HelpFormatter) -> None:
        with formatter.section("Commands"):
            formatter.write_dl(list(COMMANDS.items()))


@click.group(cls=LazyGroup, context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 80})
@click.version_option(__version__, prog_name="decodedoctor")
def group() -> None:
    """Names the layer and the root cause when something fails to decode on the
    way of an AI model to a device, and orders the remedy.

    \b
    decodedoctor scan ./dataset        which files will fail, why and where
    decodedoctor explain error.log     what the log says went wrong
    decodedoctor check                 is this machine ready

    Exit status: 0 nothing found, 1 something found at or above --fail-on,
    2 the command could not do its work.
    """
