"""Distinguishes a damaged index from a bug in the code that reads it.

An invalid value makes the reading code fail with some arbitrary error. After an unexpected error of a read, the whole
index is checked: if damage is found, the damage is reported instead of that error.
"""

from __future__ import annotations

import functools
import inspect
import sqlite3
from collections.abc import Callable
from pathlib import Path
from typing import Any

from octavo_contracts import LibraryDamaged
from sqlalchemy import URL
from sqlalchemy.exc import DBAPIError, IntegrityError

from .salvage import described, salvage

UNEXPECTED = (ValueError, KeyError, TypeError, AttributeError, IndexError, DBAPIError, sqlite3.Error)
"""Errors that reading an invalid value may raise."""

MEND = (
    "Run `octavo repair --yes`: it builds a new index from all intact rows and from the stored documents, "
    "and moves the old index aside"
)


def damage_behind(error: BaseException | None, url: URL) -> LibraryDamaged | None:
    """The damage of an SQLite index if it may be the cause of an error; else None."""
    if not isinstance(error, UNEXPECTED) or isinstance(error, IntegrityError):
        return None
    return find_damage(url)


def find_damage(url: URL) -> LibraryDamaged | None:
    """The invalid values of an SQLite index, as an error, or None; reads every row."""
    if url.get_backend_name() != "sqlite":
        return None
    path = Path(url.database or "")
    if not path.is_file():
        return None
    bad = salvage(path, keep=False).bad
    return LibraryDamaged(f"the index {path} is damaged: {described(bad)}", remedy=MEND) if bad else None


def guard_methods(cls: type[Any]) -> None:
    """Make the public methods of a repository report damage instead of the resulting error, except for generators."""
    for name, member in list(vars(cls).items()):
        if inspect.isfunction(member) and not name.startswith("_") and not inspect.isgeneratorfunction(member):
            setattr(cls, name, _guarded(member))


def _guarded(method: Callable[..., Any]) -> Callable[..., Any]:
    @functools.wraps(method)
    def call(self: Any, *args: Any, **named: Any) -> Any:
        try:
            return method(self, *args, **named)
        except UNEXPECTED as error:
            damage = damage_behind(error, self.url)
            if damage is None:
                raise
            raise damage from error

    return call
