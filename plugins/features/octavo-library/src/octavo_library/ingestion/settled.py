"""Turns errors into results: the only place that builds the result of a document that was not ingested."""

from __future__ import annotations

from octavo.conversion.assembly import DocumentIdentity, build_failure
from octavo.conversion.results import unreadable
from octavo.documents.ids import document_id_for
from octavo.documents.location import place_ref
from octavo.documents.source import Source
from octavo_contracts import ContentHashes, IngestionState, NotAttempted, OctavoError
from octavo_sandbox import Cancelled

from .requests import Given, ProcessedDocument


def failed(
    error: OctavoError | Cancelled,
    of: Given | bytes | Source,
    *,
    name: str | None = None,
    document_id: str | None = None,
) -> ProcessedDocument:
    """The result of a document whose ingestion ended with an error. Nothing is stored here.

    Args:
        error: the error. `Cancelled` is reported as `NotAttempted`: the document was never started.
        of: the opened document; or the source as the caller gave it, if it could not be opened.
        name: the name of bytes.
        document_id: id of a known document that could not be converted again.

    Raises:
        OctavoError: `error`, if it has no reason code: it concerns the call or the library, not the document.
    """
    is_cancelled = isinstance(error, Cancelled)
    if isinstance(error, Cancelled):
        error = NotAttempted("the run was cancelled")
    if error.reason is None:
        raise error
    stage = IngestionState.CONVERSION_PENDING if is_cancelled else IngestionState.CONVERSION_FAILED
    if isinstance(of, Source):
        document = DocumentIdentity(
            document_id=document_id_for(of.raw_file_hash),
            original_ref=of.original_ref,
            hashes=ContentHashes(raw_file_hash=of.raw_file_hash),
        )
        result = build_failure(error.located(source=of.display), stage=stage, document=document)
    elif document_id is not None and not isinstance(of, bytes):
        document = DocumentIdentity(document_id=document_id, original_ref=place_ref(of))
        result = build_failure(error, stage=stage, document=document)
    else:
        result = unreadable(error, source=of, name=name)
    return ProcessedDocument(document_id=result.document_id, reused=False, result=result)


def not_attempted(of: Given) -> ProcessedDocument:
    """The result of a source that a cancelled run did not reach."""
    return failed(Cancelled("the run was cancelled"), of)
