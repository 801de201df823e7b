"""Where documents are: paths that vanish, come back or are given by hand (STO-11), and corpora that they leave (STO-12)."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from octavo_contracts import UsageError
from sqlalchemy import Connection, bindparam, delete, exists, insert, not_, select, update

from . import provenance as sightings
from .instance_ids import PolicyContext
from .records import LocationType, Provenance
from .repository import Repository
from .schema import (
    document_corpus_memberships,
    document_original_paths,
    document_source_instances,
    documents,
    ingest_events,
)
from .touched import touch

_PATHS = document_original_paths
_SET_STALE = update(_PATHS).where(_PATHS.c.path_id == bindparam("of")).values(is_stale=bindparam("to"))


@dataclass(frozen=True, kw_only=True, slots=True)
class Place:
    """A path at which a document was seen.

    Attributes:
        path_id: number of the row; `Places.places` gives them in this order.
        document_id: the document.
        raw_hash: SHA-256 of the document's bytes.
        size: its bytes, or None where nobody counted.
        path: a `file:` or `url:` reference.
        is_stale: whether it is noted as gone from there.
    """

    path_id: int
    document_id: str
    raw_hash: str
    size: int | None
    path: str
    is_stale: bool


class PathRepository(Repository):
    """The part of the index that keeps paths and memberships true."""

    def all(self, *, document_id: str | None = None, after: int = 0, limit: int = 1000) -> tuple[Place, ...]:
        """Paths with what must stand there, by the time they were added.

        Args:
            document_id: only of this document.
            after: `path_id` of the last one of the page before.
            limit: at most so many.
        """
        query = (
            select(_PATHS, documents.c.content_hash, documents.c.file_size)
            .join_from(_PATHS, documents, _PATHS.c.document_id == documents.c.document_id)
            .where(_PATHS.c.path_id > after)
            .order_by(_PATHS.c.path_id)
            .limit(limit)
        )
        if document_id is not None:
            query = query.where(_PATHS.c.document_id == document_id)
        with self._read() as connection:
            return tuple(
                Place(
                    path_id=row.path_id,
                    document_id=row.document_id,
                    raw_hash=row.content_hash,
                    size=row.file_size,
                    path=row.path,
                    is_stale=bool(row.is_stale),
                )
                for row in connection.execute(query)
            )

    def set_stale(self, path_ids: Iterable[int], *, stale: bool) -> None:
        """Note that the documents are gone from these places, or are back (STO-11)."""
        rows = [{"of": path_id, "to": int(stale)} for path_id in path_ids]
        if rows:
            with self._write() as connection:
                connection.execute(_SET_STALE, rows)

    def add(
        self, document_id: str, path: str, *, location_type: LocationType, policy: PolicyContext | None = None
    ) -> None:
        """Add a path that a user gave by hand, or revive it; where another document stood there, it does no more.

        It is logged as an event, and is no way in: nobody sees the document who did not see it before (STO-5). Whoever
        gave it under a policy context sees the path, as one of a way in by which the document came there.

        Raises:
            UsageError: there is no such document.
        """
        with self._write() as connection:
            if connection.scalar(select(documents.c.document_id).where(documents.c.document_id == document_id)) is None:
                raise UsageError(f"there is no document {document_id!r} in this library")
            now = self._now()
            sighting = Provenance(path=path, location_type=location_type, surface="relink")
            sightings.record_paths(connection, document_id, sighting, now=now)
            event: dict[str, Any] = {
                "document_id": document_id,
                "path": path,
                "surface": "relink",
                "outcome": "relinked",
                "at": now,
            }
            way = document_source_instances.c
            mine = select(way.source_instance_id).where(way.document_id == document_id)
            if policy is not None:
                mine = mine.where(way.policy_context_json == policy.canonical()).order_by(way.ingested_at).limit(1)
                event["source_instance_id"] = connection.scalar(mine)
            connection.execute(insert(ingest_events), event)

    def remove_membership(self, document_id: str, corpus_id: str) -> bool:
        """Take a document out of a corpus. The document, its versions and its ways in stay (STO-12).

        Returns:
            Whether it was in it.
        """
        table = document_corpus_memberships
        here = (table.c.document_id == document_id) & (table.c.corpus_id == corpus_id)
        with self._write() as connection:
            touch(connection, [document_id])
            return connection.execute(delete(table).where(here)).rowcount == 1

    def corpora_of(self, document_id: str) -> tuple[str, ...]:
        """Ids of the corpora that a document is in, by the time it joined them."""
        table = document_corpus_memberships
        query = select(table.c.corpus_id).where(table.c.document_id == document_id).order_by(table.c.membership_id)
        with self._read() as connection:
            return tuple(connection.scalars(query))

    def dormant(self) -> tuple[str, ...]:
        """Ids of the documents that nothing refers to any more, by the time they came in (STO-12).

        Those are in no corpus, and came in by way of corpora alone: a chat, a mail or an upload without a corpus
        goes on referring to its document.
        """
        member, instance = document_corpus_memberships, document_source_instances
        in_a_corpus = exists().where(member.c.document_id == documents.c.document_id)
        came_by_itself = exists().where(
            instance.c.document_id == documents.c.document_id, instance.c.corpus_id.is_(None)
        )
        query = select(documents.c.document_id).where(not_(in_a_corpus), not_(came_by_itself))
        with self._read() as connection:
            return tuple(connection.scalars(query.order_by(documents.c.first_ingested_at, documents.c.document_id)))


def withdraw_ways_in(connection: Connection, document_id: str, *, but: PolicyContext) -> None:
    """Take back the ways in, and the memberships, of every policy context but one, inside the caller's transaction.

    For a document that nobody could open until now: who did not open it is not given what another one opened (STO-5).

    Args:
        connection: in the transaction that commits the document.
        document_id: the document.
        but: the policy context that keeps it.
    """
    way, member = document_source_instances, document_corpus_memberships
    touch(connection, [document_id])
    others = way.c.policy_context_json != but.canonical()
    connection.execute(delete(way).where(way.c.document_id == document_id, others))
    kept = select(way.c.corpus_id).where(way.c.document_id == document_id, way.c.corpus_id.is_not(None))
    gone = (member.c.document_id == document_id) & member.c.corpus_id.not_in(kept)
    connection.execute(delete(member).where(gone))
