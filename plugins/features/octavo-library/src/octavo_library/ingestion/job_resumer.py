"""Resumes an open job without a caller: finds its original and its request in the library."""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable
from dataclasses import replace

from octavo.conversion.routing import RoutingOverride
from octavo.documents.source import Source
from octavo_contracts import (
    TERMINAL_STATES,
    IngestionState,
    Intent,
    OctavoError,
    UsageError,
)
from octavo_sandbox import Cancelled

from ..storage import Job, document_id_for
from .claimed_job import NotOpened
from .engine_context import EngineContext
from .follow_ups import FollowUp, FollowUps
from .ingestor import Ingestor
from .originals import open_original, places_of
from .queued_jobs import is_workers, not_begun_here, shown_document
from .requests import IngestRequest, PersistedRequest, ProcessedDocument
from .retry_scheduler import ResumeResult

_log = logging.getLogger("octavo.ingestion")

_CONVERSIONS = frozenset({Intent.INGEST, Intent.RECONVERT})
_CONVERTED = frozenset({IngestionState.COMPLETE, IngestionState.DEGRADED_COMPLETE})

Prefer = Callable[[str | None], tuple[tuple[str, RoutingOverride], ...]]


class JobResumer:
    """Resumes jobs for one open library.

    Args:
        context: the shared components of the engine.
        ingestor: converts documents.
        follow_ups: the follow-ups, which run on the thread that resumes.
        prefer: the plugins that the user's verdicts on a profile prefer, as `ConvertOptions.preferences`.
    """

    def __init__(self, context: EngineContext, ingestor: Ingestor, follow_ups: FollowUps, *, prefer: Prefer) -> None:
        self._artifacts = context.artifacts
        self._index = context.index
        self._ingestor = ingestor
        self._follow_ups = follow_ups
        self._prefer = prefer
        # A job that was interrupted this often waits for a caller: its document may be what kills the hosts.
        self._tries = context.runtime.settings.engine.retries.tries

    def __call__(self, job_id: str, request: IngestRequest | None, /, *, cancel: threading.Event) -> ResumeResult:
        """Resume a job, unless another process owns it or it has ended.

        Raises:
            StorageError: the library cannot be written; the job is released.
        """
        try:
            job = self._index.jobs.get(job_id)
        except UsageError:
            return ResumeResult.ENDED  # its document was purged
        if job.state in TERMINAL_STATES or job.owner not in (None, self._artifacts.owner) or job.raw_hash is None:
            return ResumeResult.ENDED
        if job.waiting_reason is None and job.attempts >= self._tries:
            return ResumeResult.LEFT
        persisted = PersistedRequest.read(job.request_json)
        if request is None:
            if persisted is None or (persisted.has_password and job.intent in _CONVERSIONS):
                return ResumeResult.LEFT
            corpus = self._index.corpora.get(persisted.corpus_id) if persisted.corpus_id else None
            request = persisted.request(corpus, run_id=job.run_id)
            try:
                preferred = self._prefer(request.options.profile)
            except UsageError as error:
                return self._not_here(job, error)
            request = replace(request, options=replace(request.options, preferences=preferred))
        request = replace(request, options=replace(request.options, cancel=cancel))
        owner = self._follow_ups.owner_of(job)
        if owner is not None:
            resumed = self._resume_follow_up(owner, job, request)
            if resumed is None:
                return ResumeResult.WAITS if cancel.is_set() else ResumeResult.ENDED
            request = resumed
        activate = persisted.activate if persisted is not None else None
        try:
            result = self._resume(job, request, path_ref=persisted.path if persisted else None, activate=activate)
        except Cancelled:
            return ResumeResult.WAITS
        except UsageError as error:
            return self._not_here(job, error)
        except OctavoError:
            if self._index.jobs.get(job_id).state in TERMINAL_STATES:
                return ResumeResult.ENDED
            raise
        if result is ResumeResult.ENDED and self._index.jobs.get(job_id).state in _CONVERTED:
            converted = ProcessedDocument(document_id=document_id_for(job.raw_hash), reused=False, has_attachments=True)
            self._follow_ups.run(converted, request, intent=job.intent, job=job)
        return result

    def _not_here(self, job: Job, error: OctavoError) -> ResumeResult:
        """Note why a queued job cannot be resumed on this machine; any other job has a caller, who learns of it."""
        if is_workers(job):
            _log.warning("%s stays in the queue for another worker: %s", shown_document(job), error.message)
            now = self._index.jobs.get(job.job_id)
            if now.owner == self._artifacts.owner:
                self._index.queue.defer(now, error=not_begun_here(error))
        return ResumeResult.NOT_HERE

    @staticmethod
    def _resume_follow_up(owner: FollowUp, job: Job, request: IngestRequest) -> IngestRequest | None:
        try:
            return owner.resume(job, request)
        except OctavoError as error:
            _log.warning("job %s has ended, but a follow-up of its document failed: %s", job.job_id, error)
            return None

    def _resume(self, job: Job, request: IngestRequest, *, path_ref: str | None, activate: bool | None) -> ResumeResult:
        raw_hash = job.raw_hash
        assert raw_hash is not None  # checked by the caller

        def open_source() -> Source:
            name = self._index.attachments.name_of(document_id_for(raw_hash))
            places = places_of(
                self._index, self._artifacts, raw_hash=raw_hash, policy=request.told_as, path_ref=path_ref, name=name
            )
            return open_original(places, self._artifacts, raw_hash=raw_hash, name=name)

        try:
            return self._ingestor.resume(job, open_source, request, path_ref=path_ref, activate=activate)
        except NotOpened as closed:
            # An ingestion is resumed when its bytes are given again; a reconversion would never be requested again.
            if job.intent is Intent.RECONVERT and self._index.documents.find_by_hash([raw_hash]):
                self._ingestor.give_up(closed.job, closed.error, request)
                return ResumeResult.ENDED
            result = self._not_here(closed.job, closed.error)
            now = self._index.jobs.get(job.job_id)
            if now.owner == self._artifacts.owner and now.state is IngestionState.CONVERSION_PENDING:
                self._index.jobs.give_back(now, waiting_reason=job.waiting_reason)
            return result
