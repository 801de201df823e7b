"""Versions that users accepted with their flags (ENG-25)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from octavo_contracts import UsageError
from sqlalchemy import Select, bindparam, delete, insert, select

from . import dialect, direct_read
from .disclosure import restricted
from .instance_ids import PolicyContext
from .remark_policy import check_documents, context_of, visible_to
from .repository import Repository
from .schema import document_acceptances, documents
from .touched import touch
from .versions import is_active

_TABLE = document_acceptances


@dataclass(frozen=True, kw_only=True, slots=True)
class AcceptedVersion:
    """A version that a user accepted with its flags.

    Attributes:
        version: the version.
        note: the user's reason, or empty.
        accepted_by: the user.
        at: when, ISO 8601, UTC.
    """

    version: int
    note: str
    accepted_by: str
    at: str


class AcceptanceRepository(Repository):
    """Accepted versions of documents (ENG-25).

    A mark belongs to one version, so that it ends when another version becomes the active one.
    `policy` is always the policy context of the user; None: the library's owner.
    """

    def set(
        self, document_id: str, version: int, *, note: str, by: str, policy: PolicyContext | None = None
    ) -> AcceptedVersion:
        """Mark the active version of a document as accepted; a mark that it has is replaced.

        Raises:
            UsageError: the document does not exist, or the version is not its active one.
        """
        accepted = AcceptedVersion(version=version, note=note, accepted_by=by, at=self._now())
        active = select(documents.c.active_conversion_version).where(documents.c.document_id == document_id)
        with self._write() as connection:
            check_documents(connection, document_id)
            if connection.scalar(active) != f"v{version}":
                raise UsageError(
                    f"version {version} is not the active version of document {document_id}",
                    remedy="Get the document again, and look at its active version",
                )
            context = context_of(connection, document_id, policy)
            mine = (_TABLE.c.document_id == document_id) & (_TABLE.c.version == version)
            row = {name: getattr(accepted, name) for name in AcceptedVersion.__dataclass_fields__}
            touch(connection, [document_id])
            connection.execute(delete(_TABLE).where(mine, _TABLE.c.policy_context_json == context))
            connection.execute(insert(_TABLE), row | {"document_id": document_id, "policy_context_json": context})
        return accepted

    def clear(self, document_id: str, version: int, *, policy: PolicyContext | None = None) -> bool:
        """Remove the mark of a version; the library's owner removes those of all policy contexts.

        Returns:
            Whether there was a mark.

        Raises:
            UsageError: the document does not exist.
        """
        mine = (_TABLE.c.document_id == document_id) & (_TABLE.c.version == version)
        with self._write() as connection:
            check_documents(connection, document_id)
            touch(connection, [document_id])
            return connection.execute(delete(_TABLE).where(mine, visible_to(policy, _TABLE))).rowcount > 0

    def of_document(self, document_id: str, *, policy: PolicyContext | None = None) -> tuple[AcceptedVersion, ...]:
        """The accepted versions of a document, oldest first; of several marks of one version, the last."""
        with self._read() as connection:
            rows = direct_read.rows(connection, _marks_of(policy), {"document": document_id})
        last = {row.version: AcceptedVersion(**row._mapping) for row in rows}
        return tuple(last.values())

    def accepted(
        self,
        document_ids: Sequence[str] | None = None,
        *,
        corpus_id: str | None = None,
        policy: PolicyContext | None = None,
    ) -> frozenset[str]:
        """Ids of the documents whose active version is accepted.

        Args:
            document_ids: only these documents; None: all.
            corpus_id: only documents of this corpus.
            policy: the policy context of the user.
        """
        with self._read() as connection:
            if document_ids is None:
                return frozenset(direct_read.first_column(connection, _accepted(None, corpus_id, policy)))
            query = _accepted(connection.dialect.name, corpus_id, policy)
            return frozenset(direct_read.first_column(connection, query, dialect.as_many(document_ids)))


@dialect.prepared
def _marks_of(policy: PolicyContext | None) -> Select[Any]:
    query = select(*(_TABLE.c[name] for name in AcceptedVersion.__dataclass_fields__))
    query = query.where(_TABLE.c.document_id == bindparam("document"), visible_to(policy, _TABLE))
    return query.order_by(_TABLE.c.version, _TABLE.c.at)


@dialect.prepared
def _accepted(database: str | None, corpus_id: str | None, policy: PolicyContext | None) -> Select[Any]:
    """Accepted documents; with a database, only those in the parameter `many`."""
    if database is None:
        return restricted(accepted_documents(policy), corpus_id=corpus_id, policy=policy)
    named = _accepted_here(policy).where(documents.c.document_id.in_(dialect.many(database)))
    return restricted(named, corpus_id=corpus_id, policy=policy)


def accepted_documents(policy: PolicyContext | None) -> Select[Any]:
    """Ids of the documents whose active version is accepted by the policy context."""
    # By the join alone, SQLite may read all documents and look for the marks of each. Marks are fewer than documents.
    return _accepted_here(policy).where(documents.c.document_id.in_(select(_TABLE.c.document_id)))


def _accepted_here(policy: PolicyContext | None) -> Select[Any]:
    joined = _TABLE.c.document_id == documents.c.document_id
    query = select(documents.c.document_id).join_from(_TABLE, documents, joined)
    return query.where(is_active(_TABLE.c.version), visible_to(policy, _TABLE))
