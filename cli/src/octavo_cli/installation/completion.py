"""`octavo completion`: print the completion script for a shell."""

from __future__ import annotations

import click

from ..toolkit.running import PROGRAM, octavo_command

SHELLS = ("bash", "fish", "zsh")


@octavo_command(name="completion")
@click.argument("shell", type=click.Choice(SHELLS))
def command(shell: str) -> None:
    """Print the script that completes octavo commands in a shell.

    For bash: `octavo completion bash > ~/.local/share/bash-completion/completions/octavo`. For zsh, into a folder of
    $fpath as `_octavo`. For fish: into ~/.config/fish/completions/octavo.fish.
    """
    from click.shell_completion import get_completion_class

    from ..app import cli
    from ..toolkit.output import write_line

    completes = get_completion_class(shell)
    assert completes is not None  # click knows the shells that the argument allows
    write_line(completes(cli, {}, PROGRAM, f"_{PROGRAM.upper()}_COMPLETE").source())
