"""One document into the library: known already? reuse it; else convert it, store a version, commit the index.

A job is claimed before anything is converted and ended by one transaction after its version's files are published,
so that a crash at any instant leaves the old state or the new one (STO-8, ENG-6).
"""

from __future__ import annotations

from collections.abc import Callable

from octavo_contracts import (
    HardFailReason,
    IngestionResult,
    IngestionState,
    Intent,
    NotAttempted,
    OctavoError,
    StorageError,
)

from ..pipeline import ConversionFailed, Outcome, run
from ..runtime import Runtime
from ..sandbox import Cancelled
from ..sources import Source
from ..store import ArtifactStore, Index, Job, KnownDocument, NewJob, ReuseEvent, document_id_for
from .claims import Claims
from .filing import Ending, Filing, Task, now_text
from .recovery import Recovery
from .requests import IngestRequest, Processed, cancelled, reused
from .turns import Turns

WAITING = frozenset({HardFailReason.TOOL_UNAVAILABLE, HardFailReason.AUTH_UNAVAILABLE})
"""Reasons that end by themselves: the job stays open and waits (ENG-7)."""


class Ingestor:
    """Takes opened documents into a library. Thread-safe.

    Args:
        runtime: plugins and workers.
        artifacts: the library's files.
        index: the library's index.
        on_claim: called whenever a job was claimed.
    """

    def __init__(
        self, runtime: Runtime, artifacts: ArtifactStore, index: Index, *, on_claim: Callable[[], None] = lambda: None
    ) -> None:
        self._runtime = runtime
        self._artifacts = artifacts
        self._index = index
        self._turns = Turns()
        self._filing = Filing(runtime, artifacts, index)
        self.recovery = Recovery(runtime, artifacts, index, self._filing)
        self._claims = Claims(runtime, artifacts, index, self.recovery, on_claim=on_claim)

    def is_settled(self, known: KnownDocument, request: IngestRequest) -> bool:
        """Whether a known document's stored result answers a request: a conversion, or a failure not worth a new try."""
        if known.active_version is not None:
            return True
        if request.retry or request.options.password is not None or known.status is not IngestionState.HARD_FAILED:
            return False
        failure = self._index.stored_failure(known.raw_hash)
        return failure is not None and failure.engine_set == self._claims.engine_set(request)

    def reuse_event(self, known: KnownDocument, request: IngestRequest, path_ref: str | None) -> ReuseEvent:
        """The event of a settled document that came again."""
        return ReuseEvent(
            document_id=known.document_id,
            sighting=request.sighting(path_ref),
            outcome="reused" if known.active_version is not None else "reused_failure",
        )

    def process(self, source: Source, request: IngestRequest) -> Processed:
        """Take one document in. Never raises for the document itself.

        Raises:
            UsageError: an override or profile does not exist.
            StorageError: the library can not be written.
        """
        path_ref = source.original_ref if source.path is not None else None
        raw_hash = source.raw_file_hash
        try:
            with self._turns.alone(raw_hash, cancel=request.options.cancel):
                known = self._index.find_by_hash([raw_hash]).get(raw_hash)
                if known is not None and self.is_settled(known, request):
                    return self._reuse(known, request, path_ref)
                job = self._claims.claim(raw_hash, Intent.INGEST, request, path_ref)
                if job is None:  # another process finished it while we waited
                    return self._reuse(self._index.find_by_hash([raw_hash])[raw_hash], request, path_ref)
                with self._claims.held(job):
                    return self._run(self._task(job, source, request, path_ref))
        except Cancelled:
            return Processed(document_id=document_id_for(raw_hash), reused=False, result=cancelled(source))

    def record_unreadable(self, result: IngestionResult, request: IngestRequest, path_ref: str | None) -> None:
        """Store the failure of a source whose bytes could not be read: a job that starts and ends at once."""
        reason = result.failure_receipts[0].reason_code
        with self._index.batch():
            started = self._index.start_job(NewJob(raw_hash=None), owner=self._artifacts.owner)
            self._index.finish_failure(
                started.job, reason=reason, result_json=result.to_json(), sighting=request.sighting(path_ref)
            )

    def reconvert(self, source: Source, request: IngestRequest, *, activate: bool) -> int:
        """Convert a known document again, as a new version.

        Returns:
            The new version's number.

        Raises:
            OctavoError: it could not be converted; the versions it has are untouched.
        """
        with self._turns.alone(source.raw_file_hash, cancel=request.options.cancel):
            job = self._claims.claim(source.raw_file_hash, Intent.RECONVERT, request, None)
            if job is None:
                raise NotAttempted("another process has just reconverted it", source=source.display)
            task = self._task(job, source, request, None)
            with self._claims.held(job):
                try:
                    outcome = run(self._runtime, source, request.options)
                except (ConversionFailed, OctavoError) as error:
                    failed = error if isinstance(error, ConversionFailed) else ConversionFailed(error)
                    if failed.error.reason is None:
                        raise
                    self._fail(task, failed)
                    raise failed.error.located(source=source.display) from error
                version = outcome.versions[outcome.active]
                original = self._filing.original_ref(source)
                ending = self._filing.success(task, outcome, version, original=original, activate=activate)
                self._end(task, ending)
                assert ending.version is not None  # a success has one
                return ending.version

    # -- inside ---------------------------------------------------------------------------------------------

    @staticmethod
    def _task(job: Job, source: Source, request: IngestRequest, path_ref: str | None) -> Task:
        return Task(job=job, source=source, request=request, path_ref=path_ref, started=now_text())

    def _reuse(self, known: KnownDocument, request: IngestRequest, path_ref: str | None) -> Processed:
        self._index.record_reuse([self.reuse_event(known, request, path_ref)])
        return reused(known, request)

    def _run(self, task: Task) -> Processed:
        try:
            original = self._filing.original_ref(task.source)
            outcome = run(self._runtime, task.source, task.request.options)
        except (ConversionFailed, OctavoError) as error:
            failed = error if isinstance(error, ConversionFailed) else ConversionFailed(error)
            if failed.error.reason is None or isinstance(error, StorageError):
                raise
            return self._fail(task, failed)
        ending = self._filing.success(task, outcome, outcome.versions[0], original=original, activate=True)
        self._end(task, ending)
        result = self._store_later(task, outcome, original) or ending.result
        return Processed(document_id=result.document_id, reused=False, result=result)

    def _store_later(self, task: Task, outcome: Outcome, original: str) -> IngestionResult | None:
        """Store the versions after the first, each by a job of its own; the result of the one that takes over."""
        best = None
        for version in outcome.versions[1:]:
            job = self._claims.claim(task.raw_hash, Intent.RECONVERT, task.request, task.path_ref)
            if job is None:
                continue
            again = self._task(job, task.source, task.request, None)
            takes_over = outcome.versions[outcome.active] is version
            with self._claims.held(job):
                ending = self._filing.success(again, outcome, version, original=original, activate=takes_over)
                self._end(again, ending)
            best = ending.result if takes_over else best
        return best

    def _fail(self, task: Task, failed: ConversionFailed) -> Processed:
        ending = self._filing.failure(task, failed)
        if ending.reason in WAITING:
            self._index.release(task.job, waiting_reason=ending.reason)
        else:
            self._end(task, ending)
        return Processed(document_id=ending.result.document_id, reused=False, result=ending.result)

    def _end(self, task: Task, ending: Ending) -> None:
        ending.end(self._index)
        self._filing.write_log(task.raw_hash)
