"""Leases of the processes that work on a library from several machines (ENG-6).

All times are by the clock of the database: clocks of the machines may differ by any amount.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from sqlalchemy import delete, insert, select, update

from .repository import Repository
from .schema import hosts, jobs


@dataclass(frozen=True, kw_only=True, slots=True)
class HostRecord:
    """A process that has the library open.

    Attributes:
        owner: the name under which it owns jobs.
        host: name of its machine.
        pid: its process id there.
        kind: `library` for a host application or command, `worker` for `octavo worker`.
        labels: what the worker offers beyond the ordinary, for example `gpu`.
        started_at: ISO 8601, UTC.
        seen_at: when it last renewed its lease, ISO 8601, UTC.
        is_alive: whether its lease has not expired.
        jobs: number of jobs that it owns.
    """

    owner: str
    host: str
    pid: int
    kind: str
    labels: tuple[str, ...]
    started_at: str
    seen_at: str
    is_alive: bool
    jobs: int


class HostRepository(Repository):
    """The processes that have the library open, and their leases."""

    def register(
        self, owner: str, *, host: str, pid: int, seconds: float, kind: str = "library", labels: Sequence[str] = ()
    ) -> None:
        """Record a process, alive for `seconds`; an earlier row of the owner is replaced."""
        now = self._now()
        row = {
            "owner": owner,
            "host": host,
            "pid": pid,
            "kind": kind,
            "labels_json": json.dumps(sorted(labels)),
            "started_at": now,
            "seen_at": now,
            "alive_until": self._later(seconds),
        }
        with self._write() as connection:
            connection.execute(delete(hosts).where(hosts.c.owner == owner))
            connection.execute(insert(hosts).values(row))

    def renew(self, owner: str, *, seconds: float) -> bool:
        """Renew the lease of a process and of its jobs; False if its row is gone: others took it for dead."""
        until = self._later(seconds)
        with self._write() as connection:
            renewed = connection.execute(
                update(hosts).where(hosts.c.owner == owner).values(seen_at=self._now(), alive_until=until)
            )
            connection.execute(update(jobs).where(jobs.c.owner == owner).values(lease_until=until))
            return renewed.rowcount == 1

    def mark(self, owner: str, *, kind: str) -> None:
        """Set the kind of a process that is registered; see `HostRecord`."""
        with self._write() as connection:
            connection.execute(update(hosts).where(hosts.c.owner == owner, hosts.c.kind != kind).values(kind=kind))

    def is_alive(self, owner: str) -> bool:
        """Whether a process has a lease that has not expired."""
        query = select(hosts.c.alive_until).where(hosts.c.owner == owner)
        with self._read() as connection:
            until = connection.scalar(query)
        return until is not None and until > self._now()

    def remove(self, owner: str) -> None:
        """Remove a process that closes the library."""
        with self._write() as connection:
            connection.execute(delete(hosts).where(hosts.c.owner == owner))

    def remove_expired(self, *, seconds: float) -> int:
        """Remove the processes whose lease expired this long ago and that own no job; returns how many."""
        owned = select(jobs.c.owner).where(jobs.c.owner.is_not(None))
        with self._write() as connection:
            found = connection.execute(
                delete(hosts).where(hosts.c.alive_until < self._later(-seconds), hosts.c.owner.not_in(owned))
            )
            return found.rowcount

    def dead_owners(self) -> tuple[str, ...]:
        """Owners of jobs without a lease of their own."""
        alive = select(hosts.c.owner).where(hosts.c.alive_until > self._now())
        query = select(jobs.c.owner).distinct().where(jobs.c.owner.is_not(None), jobs.c.owner.not_in(alive))
        with self._read() as connection:
            return tuple(sorted(connection.scalars(query)))

    def all(self) -> tuple[HostRecord, ...]:
        """Every process, oldest first."""
        now = self._now()
        with self._read() as connection:
            owned = Counter(connection.scalars(select(jobs.c.owner).where(jobs.c.owner.is_not(None))))
            rows = connection.execute(select(hosts).order_by(hosts.c.started_at, hosts.c.owner)).all()
        return tuple(
            HostRecord(
                owner=row.owner,
                host=row.host,
                pid=row.pid,
                kind=row.kind,
                labels=tuple(json.loads(row.labels_json)),
                started_at=row.started_at,
                seen_at=row.seen_at,
                is_alive=row.alive_until > now,
                jobs=owned[row.owner],
            )
            for row in rows
        )
