"""Asks the installed features for the state of the servers of a library."""

from __future__ import annotations

from collections.abc import Iterator
from importlib.metadata import entry_points
from typing import TYPE_CHECKING

from ..toolkit.server_check import CHECKS_GROUP, ServerCheck

if TYPE_CHECKING:
    from octavo.settings.settings import Settings

URL_MARK = "://"
"""Part of the place of a library that is not in a folder."""


def examine_servers(library: str, settings: Settings) -> tuple[ServerCheck, ...]:
    """Check the servers of a library; empty if it is in a folder with its own index.

    A library on a server that no installed feature checks is a problem.
    """
    found = tuple(_checks(library, settings))
    if URL_MARK in library and not found:
        problem = "no installed feature opens libraries at a URL"
        return (ServerCheck(name="library", place=library, problem=problem, remedy="Run: pip install octavo-library"),)
    return found


def _checks(library: str, settings: Settings) -> Iterator[ServerCheck]:
    for point in sorted(entry_points(group=CHECKS_GROUP), key=lambda point: (point.name, point.value)):
        try:
            check = point.load()
        except Exception as error:  # noqa: BLE001 - a loader: a broken feature must not keep the doctor from its report
            yield ServerCheck(name=point.name, place=point.value, problem=f"the check cannot be loaded: {error!r}")
            continue
        yield from check(library, settings)
