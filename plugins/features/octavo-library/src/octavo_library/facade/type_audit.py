"""The audit of document types: a sample of classified documents that a user reviews (MET-2)."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from ..storage.index.document_types import AuditedType
from ..text.times import utc_now
from .context import LibraryContext

SAMPLE = 50
"""Default number of documents of a sample."""


@dataclass(frozen=True, kw_only=True)
class TypeAudit:
    """A sample of classified documents. A document is reviewed once a user has set its type, to the same or another.

    Attributes:
        period: the month of the sample, as `2026-11`; each month has another sample.
        documents: the documents.
    """

    period: str
    documents: tuple[AuditedType, ...]

    @property
    def right(self) -> int:
        """Number of reviewed documents whose verdict was right."""
        return sum(one.by_hand is not None and one.by_hand.document_type == one.document_type for one in self.documents)

    @property
    def wrong(self) -> int:
        """Number of reviewed documents whose verdict was wrong."""
        return sum(one.by_hand is not None and one.by_hand.document_type != one.document_type for one in self.documents)

    @property
    def open(self) -> int:
        """Number of documents to review."""
        return sum(one.by_hand is None for one in self.documents)


def sample_types(context: LibraryContext, *, size: int = SAMPLE, now: datetime | None = None) -> TypeAudit:
    """See `Catalogue.type_audit`."""
    period = f"{now or utc_now():%Y-%m}"
    return TypeAudit(period=period, documents=context.index.document_types.sample(period, size=size))
