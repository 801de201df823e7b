"""`document.versions.acceptance`: whether a user accepted the document's version with its flags (ENG-25)."""

from __future__ import annotations

from octavo_contracts import UsageError

from ..ingestion.use_events import AcceptanceChanged
from ..observability.audit import AuditAction
from ..storage import AcceptedVersion, DocumentRecord, PolicyContext
from .context import LibraryContext

MOST_NOTE = 2_000
"""Characters of the note of a mark."""


class Acceptance:
    """The mark of a user that a version is good enough in spite of its flags.

    The flags stay in the quality report, and so does the status; lists and screens show the document as accepted
    instead of as one to look at. The mark belongs to one version: it ends when a reconversion, or an activation, makes
    another version the active one. Marks of other policy contexts are left out (STO-5). Reads are not cached.

    Args:
        context: the library's parts.
        record: the document's row in the index, which names the version.
        policy: the asking policy context; None: the library's owner.
    """

    def __init__(self, context: LibraryContext, record: DocumentRecord, *, policy: PolicyContext | None) -> None:
        self._context = context
        self._record = record
        self._policy = policy

    @property
    def current(self) -> AcceptedVersion | None:
        """The mark of this object's version, or None."""
        return next((one for one in self.history if one.version == self._record.active_version), None)

    @property
    def history(self) -> tuple[AcceptedVersion, ...]:
        """The marks of all versions, oldest version first."""
        return self._context.index.acceptances.of_document(self._record.document_id, policy=self._policy)

    def set(self, *, note: str = "", by: str = "user") -> AcceptedVersion:
        """Accept this version with its flags; a mark that it has is replaced. Nothing is converted or extracted again.

        Args:
            note: why it is good enough.
            by: the user.

        Raises:
            UsageError: the document has no converted content, another version became the active one, or the note is
                longer than 2,000 characters.
        """
        if len(note) > MOST_NOTE:
            raise UsageError(f"the note must have at most {MOST_NOTE:,} characters, got {len(note):,}")
        version = self._version()
        marks = self._context.index.acceptances
        marked = marks.set(self._record.document_id, version, note=note, by=by, policy=self._policy)
        self._changed(version, is_accepted=True)
        return marked

    def clear(self) -> None:
        """Remove the mark of this version, if it has one.

        Raises:
            UsageError: the document has no converted content, or was purged.
        """
        version = self._version()
        if self._context.index.acceptances.clear(self._record.document_id, version, policy=self._policy):
            self._changed(version, is_accepted=False)

    def _version(self) -> int:
        if self._record.active_version is None:
            raise UsageError(
                "a document without converted content cannot be accepted",
                source=self._record.title or self._record.document_id,
                remedy="See its failure with `octavo show`",
            )
        return self._record.active_version

    def _changed(self, version: int, *, is_accepted: bool) -> None:
        document_id = self._record.document_id
        action = AuditAction.ACCEPTED if is_accepted else AuditAction.ACCEPTANCE_CLEARED
        self._context.audit.record(action, document_id=document_id, version=version)
        self._context.events.emit(AcceptanceChanged(document_id=document_id, version=version, is_accepted=is_accepted))
