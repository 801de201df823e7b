"""Who owns a document in a library and speaks for it at the gate to cloud services, with every decision written down (CNV-15)."""

from __future__ import annotations

from collections.abc import Callable, Collection
from functools import partial
from typing import TYPE_CHECKING

from octavo_contracts import UsageError

from .egress import CloudRequest
from .egress.gate import CloudDecision, Owners, RecordedOwners
from .engine.events import CloudDecided, EventHub
from .identity import document_id_for

if TYPE_CHECKING:
    from .library import Library
    from .store import Index


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
    return recorded(partial(index.cloud_requests, document_id), events, surface=surface, document_id=document_id)


def owners_of_file(
    raw_hash: str, library: Callable[[], Library | None], *, surface: str, named: bool, allow_cloud: bool
) -> RecordedOwners:
    """Who speaks for a file that is given by its path: the corpora of the document that has the same bytes, if there is one.

    Args:
        raw_hash: SHA-256 of the file.
        library: opens the library that may know it, or gives None; called when a service is about to see the file.
        surface: what was asked for.
        named: whether the user named the service for this file: only then may it see a file that no corpus knows.
        allow_cloud: whether the user lets the file out although there is no library to ask.
    """
    document_id = document_id_for(raw_hash)

    def ask() -> Collection[CloudRequest]:
        known = library()
        if known is None:
            return (CloudRequest(user_enabled=True, source_outbound=named and allow_cloud),)
        try:
            known.index.document(document_id)
        except UsageError:
            return (CloudRequest(user_enabled=True, source_outbound=named),)
        return known.index.cloud_requests(document_id)

    def told(decision: CloudDecision) -> None:
        if (known := library()) is not None:
            recorded(ask, known.events, surface=surface, document_id=document_id).told(decision)

    leave = (
        "No library could say whose file it is: give --library, or --allow-cloud where the file may leave this machine"
    )
    return RecordedOwners(ask=ask, told=told, leave=leave if named else None)
