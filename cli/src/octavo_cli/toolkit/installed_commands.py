"""Commands that other distributions add: entry points of the group `octavo.commands`.

Each is imported only when it runs. The list of commands imports none of them: its lines come from tables that
distributions register in the group `octavo.command_help`, else from the distributions' summaries. A command that cannot
be imported reports that and ends with code 6; the other commands are not affected. Octavo's own commands cannot be
replaced.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING

import click

from .running import octavo_command

if TYPE_CHECKING:
    from importlib.metadata import EntryPoint

COMMANDS_GROUP = "octavo.commands"
"""Equals `octavo_contracts.COMMANDS_GROUP`, which is not imported for the list of commands; a test compares the two."""

HELP_GROUP = "octavo.command_help"
"""Equals `octavo_contracts.COMMAND_HELP_GROUP`."""


@cache
def find_commands() -> dict[str, tuple[EntryPoint, ...]]:
    """Return the installed commands by name, without importing them. Duplicate names are reported when used."""
    found: dict[str, tuple[EntryPoint, ...]] = {}
    for point in _points(COMMANDS_GROUP):
        found[point.name] = (*found.get(point.name, ()), point)
    return found


def help_sections() -> dict[str, dict[str, str]]:
    """Return section of the list of commands → command → help line, for commands that distributions describe in tables.

    A table that cannot be imported is skipped: its commands are described by their distribution's summary.
    """
    sections: dict[str, dict[str, str]] = {}
    for point in sorted(_points(HELP_GROUP), key=lambda point: point.name):
        try:
            table = point.load()
        except (Exception, SystemExit):  # noqa: BLE001 - a loader: no import may end the command line
            continue
        if isinstance(table, Mapping):
            lines = {str(name): str(line) for name, line in table.items() if name in find_commands()}
            sections.setdefault(point.name, {}).update(lines)
    return sections


def summary_of(name: str) -> str:
    """Return one line for a command without a table entry: the summary of its distribution."""
    point = find_commands()[name][0]
    summary = point.dist.metadata["Summary"] if point.dist else None
    return summary or f"A command of {_distribution(point)}."


@dataclass(frozen=True, kw_only=True)
class CommandFault:
    """Why an installed command cannot be used, with the remedy."""

    message: str
    remedy: str


def load_command(name: str) -> click.Command:
    """Load an installed command; if it cannot be imported, return a command that reports the fault."""
    loaded = try_command(name)
    return _reporting(name, loaded) if isinstance(loaded, CommandFault) else loaded


def try_command(name: str) -> click.Command | CommandFault:
    """Import an installed command; return the command or its fault."""
    first, *others = find_commands()[name]
    if others:
        rivals = " and ".join(_distribution(point) for point in (first, *others))
        return CommandFault(message=f"the name {name!r} is taken by {rivals}", remedy="Uninstall one of them")
    author = f"Report it to the author of {_distribution(first)}, or uninstall it"
    try:
        loaded = first.load()
    except (Exception, SystemExit) as error:  # noqa: BLE001 - a loader: no import may end the command line
        message = f"the command {name!r} cannot be imported: {type(error).__name__}: {error}"
        return CommandFault(message=message, remedy=author)
    if not isinstance(loaded, click.Command):
        message = f"the command {name!r} is not a click command: {first.value} is a {type(loaded).__name__}"
        return CommandFault(message=message, remedy=author)
    return loaded


def distributions_of(name: str) -> str:
    """Return the distributions that provide a command, with their versions; several if they claim the same name."""
    return ", ".join(_distribution(point) for point in find_commands()[name])


def _points(group: str) -> list[EntryPoint]:
    from importlib import metadata

    return sorted(metadata.entry_points(group=group), key=lambda point: (_distribution(point), point.name))


def _reporting(name: str, fault: CommandFault) -> click.Command:
    @octavo_command(name=name, hidden=True, add_help_option=False)
    @click.argument("arguments", nargs=-1, type=click.UNPROCESSED)
    def report(arguments: tuple[str, ...]) -> None:
        from octavo_contracts import ToolUnavailable

        raise ToolUnavailable(fault.message, remedy=fault.remedy)

    report.context_settings = {"ignore_unknown_options": True}
    return report


def _distribution(point: EntryPoint) -> str:
    return f"{point.dist.name} {point.dist.version}" if point.dist else "an unknown distribution"
