"""Paths of documents: vanished, found again or given by hand (STO-11); and removal from corpora (STO-12)."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from octavo_contracts import UsageError
from sqlalchemy import Connection, bindparam, delete, exists, insert, not_, select, update

from . import direct_read
from . import provenance as provenance_rows
from .instance_ids import PolicyContext
from .records import LocationType, Provenance
from .repository import Repository
from .schema import (
    document_corpus_memberships,
    document_metadata,
    document_original_paths,
    document_source_instances,
    documents,
    ingest_events,
    metadata_disputes,
)
from .superseded import Replacement, replacements, successors
from .touched import touch

_PATHS = document_original_paths
_MEMBERSHIPS = document_corpus_memberships.c
_CORPORA = (
    select(_MEMBERSHIPS.corpus_id)
    .where(_MEMBERSHIPS.document_id == bindparam("document"))
    .order_by(_MEMBERSHIPS.membership_id)
)
"""The corpora of a document."""
_SET_STALE = update(_PATHS).where(_PATHS.c.path_id == bindparam("of")).values(is_stale=bindparam("to"))


@dataclass(frozen=True, kw_only=True, slots=True)
class Place:
    """A path at which a document was seen.

    Attributes:
        path_id: number of the row; `PathRepository.all` orders by it.
        document_id: the document.
        raw_hash: SHA-256 of the document's bytes.
        size: its bytes, or None if unknown.
        path: a `file:` or `url:` reference.
        is_stale: whether the document is marked as gone from there.
    """

    path_id: int
    document_id: str
    raw_hash: str
    size: int | None
    path: str
    is_stale: bool


class PathRepository(Repository):
    """Paths of documents, and their corpus memberships."""

    def all(self, *, document_id: str | None = None, after: int = 0, limit: int = 1000) -> tuple[Place, ...]:
        """Paths with the hash and size of the document expected there, in the order in which they were added.

        Args:
            document_id: only of this document.
            after: `path_id` of the last entry of the previous page.
            limit: maximum number of entries.
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

    def successors(self, document_ids: Sequence[str], *, policy: PolicyContext | None = None) -> dict[str, str]:
        """Document id → the document that is now at its path, for documents that stand at no path any more."""
        with self._read() as connection:
            return successors(connection, document_ids, policy)

    def replacements(
        self, document_ids: Sequence[str], *, policy: PolicyContext | None = None
    ) -> tuple[Replacement, ...]:
        """The paths where these documents took the place of others when they were ingested last."""
        with self._read() as connection:
            return replacements(connection, document_ids, policy)

    def set_stale(self, path_ids: Iterable[int], *, stale: bool) -> None:
        """Mark the documents as gone from these paths, or as back (STO-11)."""
        rows = [{"of": path_id, "to": int(stale)} for path_id in path_ids]
        if rows:
            with self._write() as connection:
                connection.execute(_SET_STALE, rows)

    def add(
        self, document_id: str, path: str, *, location_type: LocationType, policy: PolicyContext | None = None
    ) -> None:
        """Add a path given by hand, or revive it; a document that was at that path before is marked as gone.

        The path is logged as an event and creates no source instance: no user gains access to the document (STO-5).
        If a policy context is given, the path is visible there, as one of a source instance of that context.

        Raises:
            UsageError: the document does not exist.
        """
        with self._write() as connection:
            if connection.scalar(select(documents.c.document_id).where(documents.c.document_id == document_id)) is None:
                raise UsageError(f"there is no document {document_id!r} in this library")
            now = self._now()
            relinked = Provenance(path=path, location_type=location_type, surface="relink")
            provenance_rows.record_paths(connection, document_id, relinked, now=now)
            event: dict[str, Any] = {
                "document_id": document_id,
                "path": path,
                "surface": "relink",
                "outcome": "relinked",
                "at": now,
            }
            instance = document_source_instances.c
            mine = select(instance.source_instance_id).where(instance.document_id == document_id)
            if policy is not None:
                mine = mine.where(instance.policy_context_json == policy.canonical())
                mine = mine.order_by(instance.ingested_at).limit(1)
                event["source_instance_id"] = connection.scalar(mine)
            connection.execute(insert(ingest_events), event)

    def remove_membership(self, document_id: str, corpus_id: str) -> bool:
        """Remove a document from a corpus. The document, its versions and its provenance stay (STO-12).

        Returns:
            Whether the document was in the corpus.
        """
        table = document_corpus_memberships
        here = (table.c.document_id == document_id) & (table.c.corpus_id == corpus_id)
        with self._write() as connection:
            touch(connection, [document_id])
            return connection.execute(delete(table).where(here)).rowcount == 1

    def corpora_of(self, document_id: str) -> tuple[str, ...]:
        """Ids of a document's corpora, in the order in which it joined them."""
        with self._read() as connection:
            return tuple(direct_read.first_column(connection, _CORPORA, {"document": document_id}))

    def dormant(self) -> tuple[str, ...]:
        """Ids of the documents without any remaining reference, in the order of first ingest (STO-12).

        Such a document is in no corpus and was ingested through corpora only: a chat, a mail or an upload without a
        corpus keeps referring to its document.
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
    """Delete what all policy contexts but one have of a document, inside the caller's transaction.

    These are source instances, memberships and declared metadata.

    For a document that was locked until now: contexts that did not open it lose access to it (STO-5).

    Args:
        connection: in the transaction that commits the document.
        document_id: the document.
        but: the policy context that keeps access.
    """
    instance, member = document_source_instances, document_corpus_memberships
    touch(connection, [document_id])
    others = instance.c.policy_context_json != but.canonical()
    connection.execute(delete(instance).where(instance.c.document_id == document_id, others))
    for table in (document_metadata, metadata_disputes):
        theirs = table.c.policy_context_json != but.canonical()
        connection.execute(delete(table).where(table.c.document_id == document_id, theirs))
    mine = instance.c.document_id == document_id
    kept = select(instance.c.corpus_id).where(mine, instance.c.corpus_id.is_not(None))
    gone = (member.c.document_id == document_id) & member.c.corpus_id.not_in(kept)
    connection.execute(delete(member).where(gone))
