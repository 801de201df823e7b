"""A click group that imports a command only when it is run: Octavo's own by a table, others by entry point."""

from __future__ import annotations

import difflib
from collections.abc import Collection, Mapping, Sequence
from importlib import import_module
from typing import Any, NamedTuple

import click

from .command_list import CommandGroup, grouped, named_in
from .installed_commands import find_commands, help_sections, load_command, summary_of

LIBRARY_COMMANDS = frozenset(
    {
        "add",
        "brief",
        "digest",
        "export",
        "extract",
        "fields",
        "ingest",
        "list",
        "ocr",
        "runs",
        "search",
        "show",
        "watch",
    }
)
"""Commands that users look for where `octavo-library` and the features above it are not installed."""


class Entry(NamedTuple):
    """Where a command lives, and what the list of commands says of it.

    Attributes:
        module: module of this package whose attribute `command` is the command.
        help: one line, equal to the first sentence of the command's own help (a test compares).
    """

    module: str
    help: str


class LazyGroup(click.Group):
    """A group that knows its commands by a table, and after them those that other distributions bring.

    Args:
        table: command name → where it lives, in the order in which `octavo help --all` lists them.
        aliases: other name of a command → the command.
        groups: the list of commands as `--help` shows it.
        quietly: commands that only the list of all names.
    """

    def __init__(
        self,
        *args: Any,
        table: Mapping[str, Entry],
        aliases: Mapping[str, str] | None = None,
        groups: Sequence[CommandGroup] = (),
        quietly: Collection[str] = (),
        **kwargs: Any,
    ) -> None:
        super().__init__(*args, **kwargs)
        self.table = dict(table)
        self.aliases = dict(aliases or {})
        self.groups = tuple(groups)
        self.quietly = frozenset(quietly)

    def list_commands(self, ctx: click.Context) -> list[str]:
        """The names, without importing any command."""
        return [*self.table, *self._installed()]

    def _installed(self) -> list[str]:
        return [name for name in find_commands() if name not in self.table]

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """Import the command of a name, or None."""
        entry = self.table.get(cmd_name)
        if entry is None:
            if cmd_name in find_commands():
                return load_command(cmd_name)
            known = self.aliases.get(cmd_name)
            return self.get_command(ctx, known) if known is not None else None
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
        if name not in self.table and not name.startswith("-") and name not in (known := self._names(ctx)):
            close = difflib.get_close_matches(name, known, n=1)
            hint = f"; did you mean {close[0]}?" if close else ""
            if name in LIBRARY_COMMANDS:
                hint = "; it comes with octavo-library and its features, which are not installed"
            raise click.UsageError(f"no command named {name!r}{hint}", ctx=ctx)
        return super().resolve_command(ctx, args)

    def _names(self, ctx: click.Context) -> list[str]:
        """The commands, and the aliases of those that are installed."""
        known = self.list_commands(ctx)
        return [*known, *(alias for alias, name in self.aliases.items() if name in known)]

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """The list of commands in groups; those that no group names follow by their sections."""
        if not self.groups:
            self.format_all(formatter)
            return
        sections = {"": {name: entry.help for name, entry in self.table.items()}, **help_sections()}
        lines = {name: line for rows in sections.values() for name, line in rows.items()}
        lines |= {name: summary_of(name) for name in self._installed() if name not in lines}
        for title, rows in grouped(self.groups, lines, self.aliases):
            with formatter.section(title):
                formatter.write_dl(rows)
        told = {*named_in(self.groups, self.aliases), *self.quietly}
        others = [(name, line) for name, line in lines.items() if name not in told]
        if others:
            with formatter.section("Other commands"):
                formatter.write_dl(others)

    def format_all(self, formatter: click.HelpFormatter) -> None:
        """Every command by its own name: Octavo's own, then those of other distributions by their sections."""
        sections = help_sections()
        described = {name for lines in sections.values() for name in lines}
        others = [(name, summary_of(name)) for name in self._installed() if name not in described]
        with formatter.section("Commands"):
            formatter.write_dl([(name, entry.help) for name, entry in self.table.items()])
        for title, lines in sections.items():
            rows = [(name, line) for name, line in lines.items() if name not in self.table]
            if rows:
                with formatter.section(title):
                    formatter.write_dl(rows)
        if others:
            with formatter.section("Other commands"):
                formatter.write_dl(others)
