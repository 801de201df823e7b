"""A click group that imports a command only when it runs: Octavo's own from a table, others by entry point."""

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
"""Commands that users look for although `octavo-library` and the features above it are not installed."""


class Entry(NamedTuple):
    """Module and help line of a command.

    Attributes:
        module: module of this package whose attribute `command` is the command.
        help: one line, equal to the first sentence of the command's own help (a test compares the two).
    """

    module: str
    help: str


class LazyGroup(click.Group):
    """A group of the commands in a table, followed by those of other distributions.

    Args:
        table: command name → its entry, in the order of `octavo help --all`.
        aliases: another name of a command → the command.
        groups: the list of commands as `--help` shows it.
        quietly: commands that only `octavo help --all` lists.
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
        """Return the names, without importing any command."""
        return [*self.table, *self._installed()]

    def _installed(self) -> list[str]:
        return [name for name in find_commands() if name not in self.table]

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """Import the command of a name; return None if it does not exist."""
        entry = self.table.get(cmd_name)
        if entry is None:
            if cmd_name in find_commands():
                return load_command(cmd_name)
            known = self.aliases.get(cmd_name)
            return self.get_command(ctx, known) if known is not None else None
        command: click.Command = import_module(f".{entry.module}", "octavo_cli").command
        return command

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """Resolve as click does, and suggest the nearest name if the command does not exist.

        Raises:
            click.UsageError: the command does not exist.
        """
        name = args[0]
        if name not in self.table and not name.startswith("-") and name not in (known := self._names(ctx)):
            close = difflib.get_close_matches(name, known, n=1)
            hint = f"; did you mean {close[0]}?" if close else ""
            if name in LIBRARY_COMMANDS:
                hint = "; it is part of octavo-library and its features, which are not installed"
            raise click.UsageError(f"no command named {name!r}{hint}", ctx=ctx)
        return super().resolve_command(ctx, args)

    def names_of(self, name: str) -> list[str]:
        """The names of the command that a name stands for: its own, then its aliases."""
        own = name if self._is_command(name) else self.aliases.get(name, name)
        return [own, *(alias for alias, of in self.aliases.items() if of == own and not self._is_command(alias))]

    def _is_command(self, name: str) -> bool:
        return name in self.table or name in find_commands()

    def _names(self, ctx: click.Context) -> list[str]:
        """The commands, and the aliases of those that are installed."""
        known = self.list_commands(ctx)
        return [*known, *(alias for alias, name in self.aliases.items() if name in known)]

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the list of commands in groups; commands of no group follow by section."""
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
        """Write all commands by their own names: Octavo's own, then those of other distributions by section."""
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
