"""Tells a damaged index from a mistake of the code that reads it.

A value that is not what belongs in its place ends in whatever error the code that reads it happens to raise. So an
unexpected error of a read has the whole index looked at: where that finds damage, the damage is the error.
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
"""What reading a value that does not belong there may raise."""

MEND = (
    "Run `octavo repair --yes`: it makes a new index of all that is whole, from the stored documents where it is not, and "
    "moves the old one aside"
)


def damage_behind(error: BaseException | None, url: URL) -> LibraryDamaged | None:
    """What is wrong with an index in SQLite, where that may be why an error was raised; else None."""
    if not isinstance(error, UNEXPECTED) or isinstance(error, IntegrityError):
        return None
    return find_damage(url)


def find_damage(url: URL) -> LibraryDamaged | None:
    """What is wrong with the values in an index in SQLite, or None; every row is read."""
    if url.get_backend_name() != "sqlite":
        return None
    path = Path(url.database or "")
    if not path.is_file():
        return None
    bad = salvage(path, keep=False).bad
    return LibraryDamaged(f"the index {path} is damaged: {described(bad)}", remedy=MEND) if bad else None


def guard_methods(cls: type[Any]) -> None:
    """Have the public methods of a part of the index tell damage; those that give their rows one by one excepted."""
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
