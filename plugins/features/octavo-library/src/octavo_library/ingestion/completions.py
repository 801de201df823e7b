"""Outcomes of jobs as they are committed: the rows of stored versions and of failures (STO-8, ENG-14)."""

from __future__ import annotations

import json
from concurrent.futures import Future
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from typing import Any

from octavo.conversion.states import ConversionFailed, ConversionOutcome
from octavo_contracts import (
    DocumentClassification,
    HardFailReason,
    IngestionResult,
    IngestionState,
    Intent,
    OctavoError,
)

from ..storage import (
    CompletedJob,
    ConversionFacts,
    DocumentFacts,
    Job,
    JobFailure,
    PolicyContext,
    Step,
    document_id_for,
)
from ..storage.index.records import STORED_ORIGINAL
from .activation import HELD_BACK, HeldBack
from .attached_documents import attached_in
from .claimed_job import ClaimedJob
from .follow_ups import Completion
from .locked_documents import flags_of, may_be_locked
from .requests import BY_USER, IngestRequest
from .sampling.sampler import to_record

_S = IngestionState
_CONFIG = ("profile", "because", HELD_BACK, STORED_ORIGINAL)
"""Entries of a version's `tool.json` that are its configuration in the index."""


@dataclass(frozen=True, kw_only=True)
class PendingCompletion:
    """The outcome of a job, to be committed.

    Attributes:
        claimed: the job and its document.
        result: the result for the caller, valid once the outcome is committed.
        completed: the index rows; None: the job stays open and waits for what `reason` says is missing.
        tool: plugin whose conversion was stored; for a job that waits, the unavailable one; or None.
        reason: why the job failed, or None.
        later: the conversion outcome, if further versions of it are still to be stored.
        held_back: why the activation guard held the stored version back, or None.
        refused: the error with which the index refused the rows of the document; the outcome is then that failure.
    """

    claimed: ClaimedJob
    result: IngestionResult
    completed: CompletedJob | None
    tool: str | None = None
    reason: HardFailReason | None = None
    later: ConversionOutcome | None = None
    held_back: HeldBack | None = None
    refused: OctavoError | None = None

    @property
    def completion(self) -> Completion | None:
        """The completed job with its request; None for a job that waits."""
        return (
            Completion(completed=self.completed, request=self.claimed.request) if self.completed is not None else None
        )


@dataclass(frozen=True, kw_only=True, slots=True)
class Committing:
    """A document whose files are stored and whose completion is in the commit queue.

    Attributes:
        pending: the completion.
        committed: done once the completion is durable.
    """

    pending: PendingCompletion
    committed: Future[Job]


@dataclass(frozen=True, kw_only=True)
class StoredVersion:
    """A version whose files are stored and which is not in the index yet.

    Attributes:
        number: its number.
        result: the result in its files.
        facts: the document's row in the index.
        tool: the content of its `tool.json`.
        activate: whether it becomes the active one.
        started: when the conversion began, ISO 8601.
        ocr_pages: fingerprints of its recognised pages.
        compared: the content of its `comparison.json`, or None.
        cost: cost of the paid calls, in US dollars; None if unknown.
    """

    number: int
    result: IngestionResult
    facts: DocumentFacts
    tool: dict[str, Any]
    activate: bool
    started: str
    ocr_pages: tuple[str, ...] = ()
    compared: dict[str, Any] | None = None
    cost: float | None = None


def completed_by(
    version: StoredVersion, job: Job, request: IngestRequest, *, path_ref: str | None, had_password: bool
) -> CompletedJob:
    """Build the completion of a job whose version is stored.

    Args:
        version: the version.
        job: as it was last read.
        request: the request.
        path_ref: its path as a reference, or None for bytes.
        had_password: whether the request had a password.
    """
    facts, result = version.facts, version.result
    document_id = document_id_for(facts.raw_hash)
    is_new = job.intent is Intent.INGEST
    compared, chosen = version.compared, None
    if version.activate and not is_new and request.options.asked_by == BY_USER:
        chosen = request.options.plugin
    return CompletedJob(
        job=job,
        steps=_steps_of(version),
        # The index describes the version that readers get.
        document=facts if version.activate else replace(facts, document_type=None, classification_json=None),
        conversion=_conversion_of(version),
        sighting=request.sighting(path_ref) if is_new else None,
        ocr_pages=version.ocr_pages,
        comparison=(
            to_record(compared, document_id=document_id, version=version.number, job_id=job.job_id, run_id=job.run_id)
            if compared is not None
            else None
        ),
        attachments=attached_in(result.attachments) if result.attachments else (),
        plugin=chosen,
        opened_by=_opener(request, flags_of(result), is_new=is_new) if had_password else None,
        metadata=request.metadata if is_new else None,
    )


def failed_job(
    job: Job,
    result: IngestionResult,
    request: IngestRequest,
    *,
    path_ref: str | None,
    document: DocumentFacts | None = None,
    steps: tuple[Step, ...] = (),
) -> CompletedJob:
    """Build the completion of a failed job.

    Args:
        job: as it was last read.
        result: the failure, which is returned again for the same bytes.
        request: the request.
        path_ref: its path as a reference; None for bytes.
        document: the facts of the document; None if its bytes could not be read.
        steps: steps to log before the end.
    """
    reason = result.failure_receipts[0].reason_code
    return CompletedJob(
        job=job,
        steps=steps,
        document=document,
        failure=JobFailure(reason=reason, result_json=result.to_json()),
        sighting=request.sighting(path_ref) if job.intent is Intent.INGEST else None,
        metadata=request.metadata if job.intent is Intent.INGEST else None,
    )


def failed_conversion(claimed: ClaimedJob, result: IngestionResult, failed: ConversionFailed) -> CompletedJob:
    """Build the completion of a job whose conversion failed."""
    source, inspection = claimed.source, failed.inspection
    facts = DocumentFacts(
        raw_hash=source.raw_file_hash,
        normalized_binary_hash=result.content_hashes.normalized_binary_hash,
        # The name is not used as a title: other policy contexts may not be allowed to see it (STO-5).
        document_type=result.document_type,
        file_size=source.size,
        mime_type=inspection.detected.media_type if inspection else None,
        classification_json=_as_text(result.classification),
        original_ref=result.original_artifact_ref,
        inspection=claimed.inspection.made,
    )
    step = Step(state=_S.CONVERSION_FAILED, step="convert", outcome="failed", error=failed.error.message)
    return failed_job(claimed.job, result, claimed.request, path_ref=claimed.path_ref, document=facts, steps=(step,))


def facts_of(result: IngestionResult, *, size: int | None, media_type: str | None) -> DocumentFacts:
    """The facts of a converted document for the index."""
    hashes = result.content_hashes
    assert hashes.raw_file_hash is not None  # a converted document was hashed
    return DocumentFacts(
        raw_hash=hashes.raw_file_hash,
        normalized_binary_hash=hashes.normalized_binary_hash,
        normalized_text_hash=hashes.normalized_text_hash,
        title=result.metadata.title,
        document_type=result.document_type,
        file_size=size,
        mime_type=media_type,
        classification_json=_as_text(result.classification),
        original_ref=result.original_artifact_ref,
        page_hashes=hashes.page_hashes,
        chunk_hashes=hashes.chunk_hashes,
    )


def now_text() -> str:
    """The time now, ISO 8601 in UTC."""
    return datetime.now(UTC).isoformat()


def _steps_of(version: StoredVersion) -> tuple[_S | Step, ...]:
    result, tool = version.result, version.tool
    converted = Step(
        state=_S.CONVERTED,
        step="convert",
        started_at=version.started,
        ended_at=now_text(),
        outcome=result.quality_report.user_visible_status,
        cost=version.cost,
        tool=f"{tool['plugin']} {tool['plugin_version']}",
    )
    skipped = (_S.EXTRACTION_PENDING, _S.EXTRACTED, _S.VERIFIED, _S.WRITTEN)
    return (
        converted,
        _S.CLASSIFIED if result.classification else _S.CLASSIFICATION_FAILED,
        Step(state=_S.SUMMARIZED, skipped=True),
        _S.INDEXED,
        *(Step(state=state, skipped=True) for state in skipped),
        _S.COMPLETE if result.ingestion_status == "complete" else _S.DEGRADED_COMPLETE,
    )


def _conversion_of(version: StoredVersion) -> ConversionFacts:
    report, tool = version.result.quality_report, version.tool
    return ConversionFacts(
        version=version.number,
        tool=tool["plugin"],
        tool_version=tool["plugin_version"],
        config_json=json.dumps({name: tool[name] for name in _CONFIG if name in tool}),
        quality_score=report.quality_score,
        status="ok" if report.user_visible_status == "ok" else "degraded",
        flags=report.degraded_flags,
        activate=version.activate,
    )


def _opener(request: IngestRequest, flags: tuple[str, ...], *, is_new: bool) -> PolicyContext | None:
    """The policy context that keeps its provenance of a document opened with a password.

    None opens the document for all: it is not locked, or the library's owner converted it again.
    """
    if not may_be_locked(flags) or (not is_new and request.told_as is None):
        return None
    return request.policy


def _as_text(classification: DocumentClassification | None) -> str | None:
    return classification.to_json() if classification else None
