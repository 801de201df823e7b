"""Known bytes with other metadata than was declared before: the ingestion pauses for the user (ENG-21)."""

from __future__ import annotations

from octavo.conversion.assembly import DocumentIdentity, build_failure
from octavo.documents.source import Source
from octavo_contracts import ContentHashes, DuplicateMetadata, IngestionState

from ..storage import Index, KnownDocument
from .engine_context import EngineContext
from .job_completion import JobCompleter
from .requests import IngestRequest, ProcessedDocument


def check_declared(
    context: EngineContext,
    completer: JobCompleter,
    known: KnownDocument,
    source: Source,
    request: IngestRequest,
) -> ProcessedDocument | None:
    """Compare the metadata of a request with what was declared of the known document under the same policy.

    What was not declared yet is added. If a compared field differs, the request's decision applies.

    Args:
        context: the shared components of the engine.
        completer: records the failure of a paused ingestion.
        known: the known document.
        source: the opened source.
        request: the request, which declares metadata.

    Returns:
        The failure of a paused ingestion; None: the ingestion goes on.
    """
    metadata = request.metadata
    assert metadata is not None  # checked by the caller: most requests declare nothing
    declarations, sighting = context.index.declarations, request.sighting(source.place)
    stored = declarations.get(known.document_id, policy=request.policy)
    compared = context.runtime.settings.duplicates.compare
    differing = metadata.differs_in(stored.metadata, compared) if stored is not None else ()
    if not differing or request.known_metadata != "ask":
        is_replaced = bool(differing) and request.known_metadata == "replace"

        def declare(index: Index) -> None:
            index.declarations.drop_disputes(known.document_id, sighting)
            if is_replaced and stored is not None:
                new = metadata.over(stored.metadata)
                index.declarations.set(known.document_id, new, by=sighting.added_by, policy=request.policy)
            else:
                index.declarations.complete(known.document_id, metadata, by=sighting.added_by, policy=request.policy)

        context.commits.call(declare)
        return None
    context.commits.call(
        lambda index: index.declarations.dispute(known.document_id, metadata, sighting, by=sighting.added_by)
    )
    error = DuplicateMetadata(
        f"the document is known with another {' and another '.join(differing)}",
        source=source.display,
        remedy=f"Decide with `octavo metadata {known.document_id[:8]} --keep` or `--replace`, or ingest it again with "
        "`--known-metadata keep` or `replace`",
    )
    identity = DocumentIdentity(
        document_id=known.document_id,
        original_ref=source.original_ref,
        hashes=ContentHashes(raw_file_hash=known.raw_hash, source_instance_id=request.instance_id(known.document_id)),
    )
    result = build_failure(error, stage=IngestionState.HASH_CHECKED, document=identity)
    completer.fail_unread(result, request, path_ref=source.place)
    return ProcessedDocument(document_id=known.document_id, reused=False, result=result)
