"""Files of documents that providers of language models hold, and reference documents (CTX-12, CTX-15)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from sqlalchemy import ColumnElement, delete, exists, insert, select

from . import dialect
from .instance_ids import PolicyContext
from .remark_policy import OWNER_ALONE, check_documents
from .repository import Repository
from .schema import document_references, document_uploads


@dataclass(frozen=True, kw_only=True, slots=True)
class FileUpload:
    """A file that a provider holds.

    Attributes:
        document_id: the document.
        provider: `anthropic`, `openai` or `google`.
        api_file_id: the provider's id of the file.
        file_hash: SHA-256 of the bytes that were uploaded.
        uploaded_at: ISO 8601, UTC.
        expires_at: when the provider deletes it, ISO 8601, UTC; None where that is not known.
    """

    document_id: str
    provider: str
    api_file_id: str
    file_hash: str
    uploaded_at: str
    expires_at: str | None = None


class UploadRepository(Repository):
    """Uploads and reference documents. `policy` is everywhere who asks; None: the library's owner, who has their own."""

    def get(self, document_id: str, provider: str, *, policy: PolicyContext | None = None) -> FileUpload | None:
        """The file of a document at a provider, or None."""
        query = select(document_uploads).where(_upload(document_id, provider, policy))
        with self._read() as connection:
            row = connection.execute(query).one_or_none()
        if row is None:
            return None
        fields = dict(row._mapping)
        fields.pop("policy_context_json")
        return FileUpload(**fields)

    def of_document(self, document_id: str, *, policy: PolicyContext | None = None) -> tuple[FileUpload, ...]:
        """The files of a document at all providers, the latest upload first."""
        table = document_uploads
        here = (table.c.document_id == document_id) & (table.c.policy_context_json == _context(policy))
        query = select(*(table.c[name] for name in FileUpload.__dataclass_fields__)).where(here)
        with self._read() as connection:
            rows = connection.execute(query.order_by(table.c.uploaded_at.desc(), table.c.provider)).all()
        return tuple(FileUpload(**row._mapping) for row in rows)

    def put(self, upload: FileUpload, *, policy: PolicyContext | None = None) -> None:
        """Record an upload in place of an earlier one.

        Raises:
            UsageError: there is no such document.
        """
        row: dict[str, Any] = {name: getattr(upload, name) for name in FileUpload.__dataclass_fields__}
        with self._write() as connection:
            check_documents(connection, upload.document_id)
            connection.execute(delete(document_uploads).where(_upload(upload.document_id, upload.provider, policy)))
            connection.execute(insert(document_uploads), row | {"policy_context_json": _context(policy)})

    def remove(self, document_id: str, provider: str, *, policy: PolicyContext | None = None) -> bool:
        """Forget an upload; returns whether there was one."""
        with self._write() as connection:
            gone = delete(document_uploads).where(_upload(document_id, provider, policy))
            return connection.execute(gone).rowcount > 0

    def mark_reference(self, document_id: str, *, by: str = "user", policy: PolicyContext | None = None) -> None:
        """Mark a document as reference material.

        Raises:
            UsageError: there is no such document.
        """
        row = {"document_id": document_id, "policy_context_json": _context(policy), "marked_by": by, "at": self._now()}
        with self._write() as connection:
            check_documents(connection, document_id)
            connection.execute(dialect.insert_if_absent(document_references, database=connection.dialect.name), row)

    def unmark_reference(self, document_id: str, *, policy: PolicyContext | None = None) -> None:
        """Take the mark back."""
        with self._write() as connection:
            connection.execute(delete(document_references).where(_reference(document_id, policy)))

    def is_reference(self, document_id: str, *, policy: PolicyContext | None = None) -> bool:
        """Whether a document is marked as reference material."""
        with self._read() as connection:
            return bool(connection.scalar(select(exists().where(_reference(document_id, policy)))))


def _context(policy: PolicyContext | None) -> str:
    return policy.canonical() if policy is not None else OWNER_ALONE


def _upload(document_id: str, provider: str, policy: PolicyContext | None) -> ColumnElement[bool]:
    columns = document_uploads.c
    return (
        (columns.document_id == document_id)
        & (columns.provider == provider)
        & (columns.policy_context_json == _context(policy))
    )


def _reference(document_id: str, policy: PolicyContext | None) -> ColumnElement[bool]:
    columns = document_references.c
    return (columns.document_id == document_id) & (columns.policy_context_json == _context(policy))
