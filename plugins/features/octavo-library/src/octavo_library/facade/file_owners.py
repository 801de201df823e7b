"""Owners of a file, given by its path, at the gate to cloud services (CNV-15)."""

from __future__ import annotations

from collections.abc import Callable, Collection

from octavo.documents.ids import document_id_for
from octavo_contracts import UsageError
from octavo_sandbox.egress import CloudRequest
from octavo_sandbox.egress.gate import CloudDecision, RecordedOwners

from ..ingestion.cloud_owners import recorded
from .library import Library


def owners_of_file(
    raw_hash: str, library: Callable[[], Library | None], *, surface: str, named: bool, allow_cloud: bool
) -> RecordedOwners:
    """The owners of a file: the corpora of the document with the same bytes, if there is one.

    Args:
        raw_hash: SHA-256 of the file.
        library: opens the library that may know the file, or returns None; called before a service gets the file.
        surface: the operation.
        named: whether the user named the service for this file: required for a file that no corpus owns.
        allow_cloud: whether the user allows cloud services although no library can be asked.
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

    leave = "No library is known for this file: give --library, or --allow-cloud if the file may leave this machine"
    return RecordedOwners(ask=ask, told=told, leave=leave if named else None)
