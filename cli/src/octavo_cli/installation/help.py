"""`octavo help`: explain a command, or list all of them."""

from __future__ import annotations

import click

from ..toolkit.running import PROGRAM, octavo_command


@octavo_command(name="help")
@click.argument("name", metavar="[COMMAND]", required=False)
@click.option("--all", "is_all", is_flag=True, help="List every command by its own name.")
def command(name: str | None, is_all: bool) -> None:
    """Explain a command, or list all of them."""
    from ..app import cli
    from ..toolkit.output import write_line

    if name is not None and is_all:
        raise click.UsageError("give a command or --all, not both")
    with click.Context(cli, info_name=PROGRAM, **cli.context_settings) as context:
        if is_all:
            formatter = context.make_formatter()
            cli.format_all(formatter)
            write_line(formatter.getvalue().rstrip("\n"))
            return
        if name is None:
            write_line(cli.get_help(context))
            return
        _, found, _ = cli.resolve_command(context, [name])
        assert found is not None  # else `resolve_command` raised
        with click.Context(found, info_name=name, parent=context, **found.context_settings) as own:
            write_line(found.get_help(own))
