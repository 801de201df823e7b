"""Commits that the index refuses because of a document's rows: each is an attempt, and the last one ends the job (ENG-7).

The rows of a document are committed for it alone before they count as refused: see `commit_queue`. The document has
been converted, so that an attempt repeats the commit and not the conversion.
"""

from __future__ import annotations

import logging
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace

from octavo.conversion.assembly import DocumentIdentity, build_failure
from octavo_contracts import ContentHashes, IngestionResult, IngestionState, OctavoError, StorageError
from octavo_sandbox.errors import raise_if
from octavo_sandbox.keyed_lock import WAIT_SECONDS
from sqlalchemy.exc import SQLAlchemyError

from ..storage import CompletedJob, DocumentFacts, Job, JobFailure, Step, document_id_for
from ..storage.index.refusals import refusal_of
from .engine_context import EngineContext
from .follow_ups import Completion
from .unnamed_versions import remove_unnamed

_S = IngestionState
_log = logging.getLogger("octavo.ingestion")

Write = Callable[[Completion], Job]
"""Commits one completion and returns the final job."""


@dataclass(frozen=True, kw_only=True)
class Settled:
    """A completion that is committed now.

    Attributes:
        completion: the completion.
        job: the final job.
        refused: the refusal with which the job failed; None: a later attempt was committed.
        result: the result of the failure, or None.
    """

    completion: Completion
    job: Job
    refused: OctavoError | None = None
    result: IngestionResult | None = None


class RefusedCommits:
    """Repeats refused commits, and ends their jobs as failures. Thread-safe.

    Args:
        context: the shared components of the engine.
    """

    def __init__(self, context: EngineContext) -> None:
        self._artifacts = context.artifacts
        self._index = context.index
        self._retries = context.runtime.settings.engine.retries

    def settle(self, completion: Completion, error: Exception, *, write: Write) -> Settled:
        """Commit a refused completion again until its attempts are used up, then commit the failure of its job.

        Args:
            completion: the completion, refused alone.
            error: the error of its commit.
            write: commits a completion.

        Raises:
            OctavoError: `error`, if it is no refusal; the commit failed for another reason; cancelled.
        """
        refused = refusal_of(error)
        if refused is None:
            raise error
        if completion.completed.failure is None:
            completion = self._begun(completion)
            while completion.completed.job.attempts < self._retries.tries:
                completion = self._next_attempt(completion, refused)
                try:
                    return Settled(completion=completion, job=write(completion))
                except (OctavoError, SQLAlchemyError) as again:
                    refused = refusal_of(again)
                    if refused is None:
                        raise
        return self._fail(completion, refused, write=write)

    # -- inside ---------------------------------------------------------------------------------------------

    def _begun(self, completion: Completion) -> Completion:
        """The completion with its job in the attempt that its first step would begin."""
        completed = completion.completed
        if completed.steps[0] is not _S.CONVERSION_PENDING:
            return completion
        job = self._index.jobs.advance(completed.job, _S.CONVERSION_PENDING)
        return replace(completion, completed=replace(completed, job=job, steps=completed.steps[1:]))

    def _next_attempt(self, completion: Completion, refused: OctavoError) -> Completion:
        """Log the refused attempt, wait for the delay, and begin the next attempt."""
        job = completion.completed.job
        error = f"{refused.reason}: {refused.message}"
        job = self._index.jobs.advance(
            job, Step(state=_S.CONVERSION_FAILED, step="index", outcome="again", error=error)
        )
        ends = time.monotonic() + self._retries.delay(job.attempts)
        while time.monotonic() < ends:
            raise_if(completion.request.options.cancel)
            time.sleep(WAIT_SECONDS)
        job = self._index.jobs.advance(job, _S.CONVERSION_PENDING)
        return replace(completion, completed=replace(completion.completed, job=job))

    def _fail(self, completion: Completion, refused: OctavoError, *, write: Write) -> Settled:
        """End the job with as much of the document's provenance as the index takes, and remove the stored version.

        Raises:
            StorageError: the index refuses the failure without any provenance too.
        """
        completed = completion.completed
        result = self._result_of(completed, refused)
        for form in _failures(completed, refused, result):
            failed = replace(completion, completed=form)
            try:
                job = write(failed)
            except (OctavoError, SQLAlchemyError) as error:
                if refusal_of(error) is None:
                    raise
                continue
            self._remove_version(completed)
            return Settled(completion=failed, job=job, refused=refused, result=result)
        raise StorageError(
            f"the index refuses the failure of job {completed.job.job_id} too: {refused.message}", remedy=refused.remedy
        )

    @staticmethod
    def _result_of(completed: CompletedJob, refused: OctavoError) -> IngestionResult:
        if completed.failure is not None and completed.failure.result_json is not None:
            return IngestionResult.model_validate_json(completed.failure.result_json)
        raw_hash, facts = completed.job.raw_hash, completed.document
        document = DocumentIdentity(
            document_id=document_id_for(raw_hash) if raw_hash is not None else None,
            original_ref=(facts.original_ref if facts is not None else None) or "",
            hashes=ContentHashes(raw_file_hash=raw_hash),
        )
        return build_failure(refused, stage=_S.CONVERSION_FAILED, document=document)

    def _remove_version(self, completed: CompletedJob) -> None:
        """Remove the version of a job that has ended without it."""
        conversion, raw_hash = completed.conversion, completed.job.raw_hash
        if conversion is None or raw_hash is None:
            return
        try:
            if not remove_unnamed(self._artifacts, self._index, raw_hash, conversion.version):
                _log.warning("the version that the index refused stays: the document is being converted")
        except (OctavoError, SQLAlchemyError, OSError) as error:
            _log.warning("cannot remove the version that the index refused: %s", error)


def _failures(completed: CompletedJob, refused: OctavoError, result: IngestionResult) -> Iterator[CompletedJob]:
    """The failure of a job, each time with fewer rows that may be what the index refuses."""
    assert refused.reason is not None  # `refusal_of` gives one
    job, raw_hash = completed.job, completed.job.raw_hash
    failure, steps = completed.failure, completed.steps
    if failure is None:
        failure = JobFailure(reason=refused.reason, result_json=result.to_json())
        error = refused.message
        steps = (Step(state=_S.CONVERSION_FAILED, step="index", outcome="failed", error=error),)
    facts = completed.document
    if facts is not None:
        known = DocumentFacts(
            raw_hash=facts.raw_hash,
            file_size=facts.file_size,
            mime_type=facts.mime_type,
            original_ref=facts.original_ref,
        )
        yield CompletedJob(
            job=job,
            steps=steps,
            document=known,
            failure=failure,
            sighting=completed.sighting,
            metadata=completed.metadata,
        )
    if raw_hash is not None:
        yield CompletedJob(job=job, steps=steps, document=DocumentFacts(raw_hash=raw_hash), failure=failure)
    yield CompletedJob(job=job, failure=JobFailure(reason=failure.reason))
