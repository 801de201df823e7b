"""Memberships of documents in corpora and the ways in which documents came, with when and by whom (STO-5, STO-15)."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Any

from sqlalchemy import Select, bindparam, select

from . import dialect, direct_read
from .instance_ids import PolicyContext
from .repository import Repository
from .schema import corpora, document_corpus_memberships, document_source_instances


@dataclass(frozen=True, kw_only=True, slots=True)
class CorpusMembership:
    """A document's membership in a corpus.

    Attributes:
        corpus_id: the corpus.
        corpus: its name.
        added_at: ISO 8601, UTC.
        added_by: who added the document, as a surface or a user.
        extraction_status: of the extraction for the corpus, or None.
        extraction_history: earlier extractions, as the host recorded them.
    """

    corpus_id: str
    corpus: str
    added_at: str
    added_by: str
    extraction_status: str | None
    extraction_history: tuple[dict[str, Any], ...]


@dataclass(frozen=True, kw_only=True, slots=True)
class SourceInstance:
    """A way in which a document came: by one surface, into one corpus or into none (STO-5).

    Attributes:
        source_instance_id: its id.
        surface: how it came, for example `corpus` or `direct_upload` (ENG-1).
        corpus: name of the corpus, or None.
        ingested_at: when it first came this way, ISO 8601, UTC.
    """

    source_instance_id: str
    surface: str
    corpus: str | None
    ingested_at: str


class MembershipRepository(Repository):
    """Reads memberships, and the ways in which documents came."""

    def instances_of(self, document_id: str, *, policy: PolicyContext | None = None) -> tuple[SourceInstance, ...]:
        """The source instances of a document, oldest first.

        Args:
            document_id: the document.
            policy: only those under this policy context (STO-5); None: all.
        """
        with self._read() as connection:
            rows = direct_read.rows(connection, _instances(policy), {"document": document_id})
        return tuple(
            SourceInstance(source_instance_id=instance, surface=surface, corpus=corpus, ingested_at=at)
            for instance, surface, corpus, at in rows
        )

    def of_document(self, document_id: str, *, policy: PolicyContext | None = None) -> tuple[CorpusMembership, ...]:
        """The memberships of a document, oldest first.

        Args:
            document_id: the document.
            policy: only corpora with this policy context (STO-5); None: all.
        """
        if policy is not None and policy.scope_basis != "corpus":
            return ()
        with self._read() as connection:
            rows = direct_read.rows(connection, _memberships(policy), {"document": document_id})
        return tuple(
            CorpusMembership(
                corpus_id=row.corpus_id,
                corpus=row.name,
                added_at=row.added_at,
                added_by=row.added_by,
                extraction_status=row.extraction_status,
                extraction_history=tuple(json.loads(row.extraction_history_json or "[]")),
            )
            for row in rows
        )


@dialect.prepared
def _instances(policy: PolicyContext | None) -> Select[Any]:
    """The source instances of a document that a policy context may see, oldest first."""
    table = document_source_instances
    query = select(table.c.source_instance_id, table.c.ingestion_surface, corpora.c.name, table.c.ingested_at)
    query = query.outerjoin(corpora, corpora.c.corpus_id == table.c.corpus_id)
    query = query.where(table.c.document_id == bindparam("document"))
    if policy is not None:
        query = query.where(table.c.policy_context_json == policy.canonical())
    return query.order_by(table.c.ingested_at, table.c.source_instance_id)


@dialect.prepared
def _memberships(policy: PolicyContext | None) -> Select[Any]:
    """The memberships of a document in corpora of a policy context, oldest first."""
    table = document_corpus_memberships
    query = select(table, corpora.c.name).join(corpora, corpora.c.corpus_id == table.c.corpus_id)
    query = query.where(table.c.document_id == bindparam("document"))
    if policy is not None:
        query = query.where(corpora.c.visibility == policy.visibility, corpora.c.sensitivity == policy.sensitivity)
    return query.order_by(table.c.membership_id)
