"""A click group that imports a command only when it is run: Octavo's own by a table, those of features by entry point."""

from __future__ import annotations

import difflib
from collections.abc import Mapping
from importlib import import_module
from typing import Any, NamedTuple

import click

from .features import feature_help, find_features, load_feature


class Entry(NamedTuple):
    """Where a command lives, and what the list of commands says of it.

    Attributes:
        module: module of this package whose attribute `command` is the command.
        help: one line, equal to the first sentence of the command's own help (a test compares).
    """

    module: str
    help: str


class LazyGroup(click.Group):
    """A group that knows its commands by a table, and after them those that features bring.

    Args:
        table: command name → where it lives, in the order in which `--help` lists them.
    """

    def __init__(self, *args: Any, table: Mapping[str, Entry], **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.table = dict(table)

    def list_commands(self, ctx: click.Context) -> list[str]:
        """The names, without importing any command."""
        return [*self.table, *self._features()]

    def _features(self) -> list[str]:
        return [name for name in find_features() if name not in self.table]

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """Import the command of a name, or None."""
        entry = self.table.get(cmd_name)
        if entry is None:
            return load_feature(cmd_name) if cmd_name in find_features() else None
        command: click.Command = import_module(f".{entry.module}", "octavo.cli").command
        return command

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """As click does it, with the nearest names where there is no such command.

        Raises:
            click.UsageError: no such command.
        """
        name = args[0]
        if name not in self.table and not name.startswith("-") and name not in (known := self.list_commands(ctx)):
            close = difflib.get_close_matches(name, known, n=1)
            hint = f"; did you mean {close[0]}?" if close else ""
            raise click.UsageError(f"no command named {name!r}{hint}", ctx=ctx)
        return super().resolve_command(ctx, args)

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """The list of commands, from the table and from what the features' distributions say of themselves."""
        with formatter.section("Commands"):
            formatter.write_dl([(name, entry.help) for name, entry in self.table.items()])
        if features := self._features():
            with formatter.section("Features"):
                formatter.write_dl([(name, feature_help(name)) for name in features])
