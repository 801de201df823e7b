"""What is given for a document that was not ingested: the one place where an error becomes an answer."""

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
    """What is given for a document that an error kept out. Nothing is stored of it here.

    Args:
        error: what happened. `Cancelled` is told as `NotAttempted`: its turn did not come.
        of: the document: opened; or as it was given, where it could not be opened.
        name: the name of bytes.
        document_id: the document, where a source is known and could not be converted again.

    Raises:
        OctavoError: `error`, where it has no reason code: it is about the call or the library, not about the document.
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
    """What is given for a source of a run that was cancelled before its turn came."""
    return failed(Cancelled("the run was cancelled"), of)
