"""`document.metadata`: what callers declared of a document, and paused ingestions that declare something else (ENG-21)."""

from __future__ import annotations

import re
from dataclasses import replace

from octavo_contracts import UsageError

from ..observability.audit import AuditAction
from ..storage import COMPARED, Declaration, DeclaredMetadata, DocumentRecord, MetadataDispute, PolicyContext
from ..text.dates import coarse_reading
from .context import LibraryContext

MOST_CHARACTERS = 2_000
"""Characters of a declared value."""
MOST_FURTHER = 50
"""Entries of further metadata."""

_ISO_MONTH = re.compile(r"[0-9]{4}-(0[1-9]|1[0-2])")


class Metadata:
    """The metadata that callers declared of a document: title, date, source, and further names with values.

    Declared metadata belongs to its policy context, as every remark of a user (STO-5). No conversion changes it, and it
    changes no conversion. Readers of the context see a declared title in the place of the document's own one. Reads are
    not cached.

    Args:
        context: the library's parts.
        record: the document's row in the index.
        policy: the asking policy context; None: the library's owner.
    """

    def __init__(self, context: LibraryContext, record: DocumentRecord, *, policy: PolicyContext | None) -> None:
        self._context = context
        self._document_id = record.document_id
        self._policy = policy

    @property
    def current(self) -> Declaration | None:
        """What is declared now, by whom and when; None if nothing is."""
        return self._context.index.declarations.get(self._document_id, policy=self._policy)

    @property
    def disputes(self) -> tuple[MetadataDispute, ...]:
        """The paused ingestions that declare another title, date or source, oldest first."""
        return self._context.index.declarations.disputes(self._document_id, policy=self._policy)

    def set(self, declared: DeclaredMetadata | None, *, by: str = "user") -> None:
        """Declare metadata; what was declared before is replaced. None removes it.

        `Document.title` of an existing object stays: get the document from the library again.

        Args:
            declared: the metadata; its date is a day, a month or a year.
            by: the user.

        Raises:
            UsageError: the date is no date or is ambiguous, a value is too long, or the document was purged.
        """
        metadata = checked(declared) or DeclaredMetadata()
        self._context.index.declarations.set(self._document_id, metadata, by=by, policy=self._policy)
        self._changed()

    def resolve(self, dispute_id: str, *, take_new: bool, by: str = "user") -> None:
        """End a paused ingestion: its path, corpus and source instance are recorded, and nothing is converted again.

        Args:
            dispute_id: id of the dispute.
            take_new: whether its metadata replaces the declared one.
            by: the user.

        Raises:
            UsageError: there is no such dispute.
        """
        declarations = self._context.index.declarations
        declarations.resolve(self._document_id, dispute_id, take_new=take_new, by=by, policy=self._policy)
        self._changed()

    def _changed(self) -> None:
        self._context.audit.record(AuditAction.METADATA_SET, document_id=self._document_id)


def checked(declared: DeclaredMetadata | None) -> DeclaredMetadata | None:
    """Metadata that a caller declares, with its date in ISO 8601; None if nothing is declared.

    Raises:
        UsageError: the date is no date or is ambiguous, a value is empty or too long, or there are too many.
    """
    if not declared:
        return None
    further = declared.further
    named: dict[str, object] = {name: value for name in COMPARED if (value := getattr(declared, name)) is not None}
    for name, value in {**named, **{f"metadata {name!r}": value for name, value in further.items()}}.items():
        if not isinstance(value, str) or not value.strip() or len(value) > MOST_CHARACTERS or "\0" in value:
            raise UsageError(f"{name} must be a text of 1 to {MOST_CHARACTERS:,} characters")
    if len(further) > MOST_FURTHER or any(not name.strip() or len(name) > 100 for name in further):
        raise UsageError(f"metadata has at most {MOST_FURTHER} entries, with names of 1 to 100 characters")
    day = _date_of(declared.date) if declared.date is not None else None
    if declared.date is not None and day is None:
        raise UsageError(
            f"date must be one date, got {declared.date!r}", remedy="Write it as 2026-11-26, 2026-11 or 2026"
        )
    return replace(declared, date=day, further=dict(further))


def _date_of(text: str) -> str | None:
    return text.strip() if _ISO_MONTH.fullmatch(text.strip()) else coarse_reading(text)
