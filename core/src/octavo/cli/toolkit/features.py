"""Commands that features bring: entry points of the group `octavo.features`, each loaded by itself when it is used.

An entry point `NAME = package.module:command` adds `octavo NAME`; what it names is a click command. Asking for help or
for the version imports no feature. One that can not be loaded is a command that says so and ends with code 6; the other
commands are unharmed. Octavo's own commands can not be replaced.
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING

import click

from ...plugins.entry_points import names_object
from .running import octavo_command

if TYPE_CHECKING:
    from importlib.metadata import EntryPoint

FEATURES_GROUP = "octavo.features"
"""As `octavo_contracts.FEATURES_GROUP`, which is not imported for the list of commands; a test compares."""


@cache
def find_features() -> dict[str, tuple[EntryPoint, ...]]:
    """The features that are installed, by name; none is imported. More than one of a name is a fault told on use."""
    from importlib import metadata

    found: dict[str, tuple[EntryPoint, ...]] = {}
    points = metadata.entry_points(group=FEATURES_GROUP)
    for point in sorted(points, key=lambda point: (point.name, _distribution(point))):
        found[point.name] = (*found.get(point.name, ()), point)
    return found


def feature_help(name: str) -> str:
    """One line for the list of commands: the summary of the distribution that brings the feature."""
    point = find_features()[name][0]
    summary = point.dist.metadata["Summary"] if point.dist else None
    return summary or f"A feature of {_distribution(point)}."


@dataclass(frozen=True, kw_only=True)
class FeatureFault:
    """Why a feature's command can not be used, and what to do."""

    message: str
    remedy: str


def load_feature(name: str) -> click.Command:
    """A feature's command; where it can not be loaded, a command that reports it."""
    loaded = try_feature(name)
    return _reporting(name, loaded) if isinstance(loaded, FeatureFault) else loaded


def try_feature(name: str) -> click.Command | FeatureFault:
    """Import a feature: its command, or what is wrong with it."""
    first, *others = find_features()[name]
    if others:
        rivals = " and ".join(_distribution(point) for point in (first, *others))
        return FeatureFault(message=f"the name {name!r} is taken by {rivals}", remedy="Uninstall one of them")
    author = f"Report it to the author of {_distribution(first)}, or uninstall it"
    try:
        loaded = first.load()
    except (Exception, SystemExit) as error:  # noqa: BLE001 - a loader: no import may end the command line
        message = f"the feature {name!r} can not be imported: {type(error).__name__}: {error}"
        return FeatureFault(message=message, remedy=author)
    if not isinstance(loaded, click.Command):
        message = f"the feature {name!r} is no command: {first.value} is a {type(loaded).__name__}"
        return FeatureFault(message=message, remedy=author)
    return loaded


def list_commands(own: Collection[str]) -> list[str]:
    """The names under which features add commands; those that offer services alone are left out.

    Args:
        own: names of Octavo's own commands, which no feature replaces.
    """
    return [name for name, points in find_features().items() if name not in own and any(map(names_object, points))]


def feature_distribution(name: str) -> str:
    """The distributions that bring a feature, with their versions; more than one where they claim the same name."""
    return ", ".join(_distribution(point) for point in find_features()[name])


def _reporting(name: str, fault: FeatureFault) -> click.Command:
    @octavo_command(name=name, hidden=True, add_help_option=False)
    @click.argument("arguments", nargs=-1, type=click.UNPROCESSED)
    def report(arguments: tuple[str, ...]) -> None:
        from octavo_contracts import ToolUnavailable

        raise ToolUnavailable(fault.message, remedy=fault.remedy)

    report.context_settings = {"ignore_unknown_options": True}
    return report


def _distribution(point: EntryPoint) -> str:
    return f"{point.dist.name} {point.dist.version}" if point.dist else "an unknown distribution"
