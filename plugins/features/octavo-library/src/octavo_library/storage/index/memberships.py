"""Memberships of documents in corpora, with when and by whom each was added (STO-15)."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Any

from sqlalchemy import select

from .instance_ids import PolicyContext
from .repository import Repository
from .schema import corpora, document_corpus_memberships


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


class MembershipRepository(Repository):
    """Reads memberships."""

    def of_document(self, document_id: str, *, policy: PolicyContext | None = None) -> tuple[CorpusMembership, ...]:
        """The memberships of a document, oldest first.

        Args:
            document_id: the document.
            policy: only corpora with this policy context (STO-5); None: all.
        """
        table = document_corpus_memberships
        query = select(table, corpora.c.name).join(corpora, corpora.c.corpus_id == table.c.corpus_id)
        query = query.where(table.c.document_id == document_id).order_by(table.c.membership_id)
        if policy is not None:
            query = query.where(corpora.c.visibility == policy.visibility, corpora.c.sensitivity == policy.sensitivity)
            if policy.scope_basis != "corpus":
                return ()
        with self._read() as connection:
            rows = connection.execute(query).all()
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
