"""Results of documents that workers converted, read from their jobs in the index."""

from __future__ import annotations

import json

from octavo_contracts import (
    REASONS,
    ConverterCrashed,
    HardFailReason,
    IngestionResult,
    IngestionState,
    OctavoError,
    RetryableToolFailure,
    SourceMissing,
)

from ..storage import Index, Job, document_id_for
from ..storage.index.queue import QUEUED
from .requests import Given, IngestRequest, ProcessedDocument, fresh
from .settled import failed

_OUT_OF_REACH = (
    "Set OCTAVO_OBJECTS__ORIGINALS=stored, or keep the documents where every worker can read them; each worker needs the "
    "plugins and profiles of the request. Then run `octavo retry last`"
)


def result_of(job: Job, index: Index, request: IngestRequest) -> ProcessedDocument:
    """The result of a job that a worker brought to an end.

    Args:
        job: the job, in a final state.
        index: the library's index.
        request: the request.
    """
    assert job.raw_hash is not None  # only jobs of documents are queued
    if job.state is IngestionState.HARD_FAILED:
        assert job.result_json is not None  # a failed job keeps its result
        return fresh(IngestionResult.read(json.loads(job.result_json)), request)
    known = index.documents.find_by_hash([job.raw_hash]).get(job.raw_hash)
    return ProcessedDocument(
        document_id=document_id_for(job.raw_hash),
        reused=False,
        request=request,
        has_attachments=known is not None and known.has_attachments,
    )


def left_by_workers(job: Job, given: Given, *, tries: int) -> ProcessedDocument:
    """The result of a document that no worker could bring to an end. Its job stays open.

    Args:
        job: the job.
        given: the source as the caller gave it.
        tries: how often a document is begun before its job waits for a caller.
    """
    return failed(_why(job, tries), given)


def _why(job: Job, tries: int) -> OctavoError:
    if job.waiting_reason not in (None, QUEUED):
        known = job.waiting_reason in {reason.value for reason in HardFailReason}
        kind = REASONS[HardFailReason(job.waiting_reason)].error if known else RetryableToolFailure
        return kind(f"the document waits for a worker that can convert it ({job.waiting_reason})")
    if job.attempts >= tries:
        return ConverterCrashed(f"its workers ended {job.attempts} times while they converted it")
    return SourceMissing("no worker can read it, or has the plugin or the profile of its request", remedy=_OUT_OF_REACH)
