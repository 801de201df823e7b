"""Who speaks for a file that is named by its path at the gate to cloud services (CNV-15)."""

from __future__ import annotations

from collections.abc import Callable, Collection

from octavo.documents.ids import document_id_for
from octavo.egress import CloudRequest
from octavo.egress.gate import CloudDecision, RecordedOwners
from octavo_contracts import UsageError

from ..ingestion.cloud_owners import recorded
from .library import Library


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
            known.context.index.documents.get(document_id)
        except UsageError:
            return (CloudRequest(user_enabled=True, source_outbound=named),)
        return known.context.index.corpora.cloud_requests(document_id)

    def told(decision: CloudDecision) -> None:
        if (known := library()) is not None:
            recorded(ask, known.engine.events, surface=surface, document_id=document_id).told(decision)

    leave = (
        "No library could say whose file it is: give --library, or --allow-cloud where the file may leave this machine"
    )
    return RecordedOwners(ask=ask, told=told, leave=leave if named else None)
