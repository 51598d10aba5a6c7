"""decodedoctor completion"""

from __future__ import annotations

import click

from diagnose.cli import output


@click.command("completion")
@click.argument("shell", type=click.Choice(["bash", "zsh", "fish"]))
def command(shell: str) -> None:
    """Print the completion script of a SHELL.

    \b
    decodedoctor completion bash >> ~/.bashrc
    """
    from click.shell_completion import get_completion_class

    from diagnose.cli.group import group

    completion = get_completion_class(shell)
    if completion is None:
        raise output.CommandError(f"there is no completion for {shell}")
    click.echo(completion(group, {}, "decodedoctor", "_DECODEDOCTOR_COMPLETE").source())
