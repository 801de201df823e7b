"""Owners of a library's documents at the gate to cloud services, with a record of every decision (CNV-15)."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from octavo_sandbox.egress.gate import CloudDecision, Owners, RecordedOwners

from .events import CloudDecided, EventHub

if TYPE_CHECKING:
    from ..storage import Index


def recorded(
    ask: Owners, events: EventHub, *, surface: str, document_id: str | None, run_id: str | None = None
) -> RecordedOwners:
    """Owners whose decisions are emitted as events, for the event log and the audit log.

    Args:
        ask: returns the requests of the owners.
        events: event hub of the library.
        surface: the operation: `ocr`, `digest`, or the surface of an ingestion.
        document_id: the document; None if it has no id yet.
        run_id: the run to which it belongs.
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
    """The corpora that own a document; a document in no corpus stays on this machine."""
    return recorded(
        partial(index.corpora.cloud_requests, document_id), events, surface=surface, document_id=document_id
    )
