"""Who owns a document in a library and speaks for it at the gate to cloud services, with every decision written down (CNV-15)."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from octavo.egress.gate import CloudDecision, Owners, RecordedOwners

from .events import CloudDecided, EventHub

if TYPE_CHECKING:
    from ..storage import Index


def recorded(
    ask: Owners, events: EventHub, *, surface: str, document_id: str | None, run_id: str | None = None
) -> RecordedOwners:
    """Owners whose decisions are told as events, from which the event log and the audit log are written.

    Args:
        ask: what the owners say.
        events: of the library.
        surface: what was asked for: `ocr`, `digest`, or the way in of an ingestion.
        document_id: the document; None where it has no id yet.
        run_id: the run that it belongs to.
    """

    def told(decision: CloudDecision) -> None:
        events.emit(
            CloudDecided(
                run_id=run_id,
                document_id=document_id,
                surface=surface,
                service=decision.service,
                allowed=decision.allowed,
                reason=decision.reason,
            )
        )

    return RecordedOwners(ask=ask, told=told)


def owners_of_document(index: Index, events: EventHub, document_id: str, *, surface: str) -> RecordedOwners:
    """The corpora of a document of a library; one that is in none stays here."""
    return recorded(
        partial(index.corpora.cloud_requests, document_id), events, surface=surface, document_id=document_id
    )
