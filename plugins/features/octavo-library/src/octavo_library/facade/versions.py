"""`document.versions`: the conversion versions of a document, and the active one (STO-6)."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import overload

from octavo_contracts import UsageError

from ..observability.audit import AuditAction
from ..storage import DocumentRecord, PolicyContext
from .acceptance import Acceptance
from .context import LibraryContext
from .document_versions import DocumentVersion, version_of
from .suggestions import Suggestion, suggestions


class Versions(Sequence[DocumentVersion]):
    """The conversion versions of a document, oldest first. Reads are not cached.

    Versions that were purged before the asker had the document are left out.

    Args:
        context: the library's parts.
        record: the document's row in the index.
        policy: the asking policy context; None: the library's owner.
    """

    def __init__(self, context: LibraryContext, record: DocumentRecord, *, policy: PolicyContext | None) -> None:
        self._context = context
        self._record = record
        self._document_id = record.document_id
        self._policy = policy

    def __iter__(self) -> Iterator[DocumentVersion]:
        return iter(self._read())

    def __len__(self) -> int:
        return len(self._read())

    @overload
    def __getitem__(self, place: int, /) -> DocumentVersion: ...
    @overload
    def __getitem__(self, place: slice, /) -> list[DocumentVersion]: ...
    def __getitem__(self, place: int | slice, /) -> DocumentVersion | list[DocumentVersion]:
        return self._read()[place]

    def activate(self, version: int) -> None:
        """Make another version the active one; also used for a rollback.

        Raises:
            UsageError: the document has no such version.
        """
        # A version that the asker may not see is reported like one that does not exist.
        known = [one.version for one in self if one.condition != "purged"]
        if version not in known:
            raise UsageError(
                f"document {self._document_id} has no version {version}",
                remedy=f"Its versions: {', '.join(map(str, known)) or 'none'}",
            )
        self._context.index.versions.activate(self._document_id, version, by="user")
        self._context.audit.record(AuditAction.ACTIVATED, document_id=self._document_id, version=version)

    @property
    def acceptance(self) -> Acceptance:
        """Whether a user accepted the version of this object with its flags (ENG-25)."""
        return Acceptance(self._context, self._record, policy=self._policy)

    @property
    def suggestion(self) -> Suggestion | None:
        """Why the document may better be converted again; None if nothing speaks for it (ENG-18)."""
        return suggestions(self._context, [self._document_id], policy=self._policy).get(self._document_id)

    def _read(self) -> list[DocumentVersion]:
        records = self._context.index.versions.of_document(self._document_id, policy=self._policy)
        return [version_of(record) for record in records]
