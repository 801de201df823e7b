"""Why processes pause new work now, for other processes that show the state of runs (ENG-30)."""

from __future__ import annotations

from dataclasses import dataclass

from sqlalchemy import delete, insert, select

from .repository import Repository
from .schema import pauses


@dataclass(frozen=True, kw_only=True, slots=True)
class StoredPause:
    """A pause of new work in one process.

    Attributes:
        owner: the process, as the owner of its jobs and runs.
        cause: `disk`, `memory` or `temperature`.
        value: the reading at the beginning of the pause.
        resumes_at: the value at which work resumes.
        advice: what a user can do now, or empty.
        since: when the pause began, ISO 8601, UTC.
    """

    owner: str
    cause: str
    value: float
    resumes_at: float
    advice: str
    since: str


class PauseRepository(Repository):
    """The pauses of all processes that have the library open. Rows of a process that died stay until they are cleared."""

    def begin(self, owner: str, cause: str, *, value: float, resumes_at: float, advice: str = "") -> None:
        """Record a pause; an earlier one of the same process and cause is replaced."""
        row = {"owner": owner, "cause": cause, "value": value, "resumes_at": resumes_at, "advice": advice}
        with self._write() as connection:
            here = (pauses.c.owner == owner) & (pauses.c.cause == cause)
            connection.execute(delete(pauses).where(here))
            connection.execute(insert(pauses), row | {"since": self._now()})

    def end(self, owner: str, cause: str | None = None) -> None:
        """Remove the pause of a process, or all its pauses."""
        gone = delete(pauses).where(pauses.c.owner == owner)
        with self._write() as connection:
            connection.execute(gone if cause is None else gone.where(pauses.c.cause == cause))

    def all(self) -> tuple[StoredPause, ...]:
        """Every recorded pause, oldest first; of dead processes too."""
        query = select(pauses).order_by(pauses.c.since, pauses.c.owner, pauses.c.cause)
        with self._read() as connection:
            return tuple(StoredPause(**row._mapping) for row in connection.execute(query))
