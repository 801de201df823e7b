"""Base class of the index's repositories: gives access to the one database and its transactions."""

from __future__ import annotations

from contextlib import AbstractContextManager

from sqlalchemy import URL, Connection

from .damage import guard_methods
from .database import Database


class Repository:
    """The tables of one concept in the index. Every public method is one transaction, unless it is in a batch.

    Args:
        database: the open index. Repositories of one database share its transactions (`Database.batch`).
    """

    def __init__(self, database: Database) -> None:
        self._database = database

    def __init_subclass__(cls) -> None:
        super().__init_subclass__()
        guard_methods(cls)

    @property
    def url(self) -> URL:
        """The URL of the index."""
        return self._database.url

    def _read(self) -> AbstractContextManager[Connection]:
        return self._database.read()

    def _write(self) -> AbstractContextManager[Connection]:
        return self._database.write()

    def _now(self) -> str:
        return self._database.now()

    def _later(self, seconds: float) -> str:
        return self._database.later(seconds)
