"""Ingests one document: reuses it if it is known; else converts it, stores a version and commits the index.

A job is claimed before the conversion and completed by one transaction after the files of its version are published,
so that a crash at any instant leaves the old state or the new one (STO-8, ENG-6). Single documents and those of a run
take the same steps: open, claim, convert, complete. A run claims many documents at once and commits the completions in
groups.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Literal

from octavo.conversion.results import failure_result
from octavo.conversion.states import ConversionFailed
from octavo.documents.source import Source
from octavo_contracts import Intent, OctavoError, SourceChanged, SourceEncrypted
from octavo_sandbox import Cancelled

from ..storage import CompletedJob, DocumentFacts, Index, Job, JobFailure, KnownDocument, ReuseEvent
from ..storage.index.job_ids import new_job_id
from .claimed_job import ClaimedJob, opened
from .completions import Committing, PendingCompletion, failed_job, now_text
from .conversion_runner import ConversionRunner
from .damaged_versions import is_usable, replace_damaged
from .declared_duplicates import check_declared
from .engine_context import EngineContext
from .events import JobEnded, Reused
from .follow_ups import Arrival, FollowUps
from .job_claims import JobClaims
from .job_completion import JobCompleter
from .locked_documents import LockedDocuments
from .reconversion import Reconverter
from .requests import Given, IngestRequest, ProcessedDocument, fresh, reused
from .retry_scheduler import ResumeResult
from .settled import failed
from .source_opener import SourceOpener


@dataclass(frozen=True, kw_only=True, eq=False)
class IngestSteps:
    """The steps that a document takes.

    Attributes:
        incoming: opens sources.
        claims: starts jobs and takes them over.
        locked: checks that a request can open a password-protected document.
        runner: converts documents and stores versions.
        completer: commits completions of jobs.
        reconverter: converts known documents again.
        follow_ups: open their jobs when a known document is ingested again.
    """

    incoming: SourceOpener
    claims: JobClaims
    locked: LockedDocuments
    runner: ConversionRunner
    completer: JobCompleter
    reconverter: Reconverter
    follow_ups: FollowUps


class Ingestor:
    """Ingests documents, one per call. Thread-safe.

    Args:
        context: the shared components of the engine.
        steps: the steps that a document takes.
    """

    def __init__(self, context: EngineContext, steps: IngestSteps) -> None:
        self._context = context
        self._artifacts = context.artifacts
        self._index = context.index
        self._steps = steps

    def take(self, given: Given | bytes, request: IngestRequest, *, name: str | None = None) -> ProcessedDocument:
        """Open a source and ingest it. Errors of the document are in the result and are not raised.

        Raises:
            UsageError: an override or profile does not exist, or bytes were given without a name.
            StorageError: the library cannot be written.
        """
        try:
            source, request = self._open(given, request, name=name)
        except (Cancelled, OctavoError) as error:
            return self._unread(error, given, request, name=name)
        with source:
            return self.process(source, request)

    def process(self, source: Source, request: IngestRequest) -> ProcessedDocument:
        """Ingest an opened document; otherwise as `take`."""
        try:
            with self._context.document_locks.holding(source.raw_file_hash, cancel=request.options.cancel):
                return self.process_held(source, request)
        except Cancelled as error:
            return failed(error, source)

    def process_held(self, source: Source, request: IngestRequest, *, patient: bool = True) -> ProcessedDocument:
        """As `process`, for a caller that holds the document's lock.

        Args:
            source: the opened document.
            request: the request.
            patient: whether to wait while another process works on the document.

        Raises:
            Busy: another process works on the document, and the caller is not patient.
        """
        self._index.check_writable()
        claims, raw_hash = self._steps.claims, source.raw_file_hash
        try:
            known = self._known(raw_hash, request)
            if known is not None and (known.active_version is not None or claims.engines.is_settled(known, request)):
                return self._answer_known(known, request, source)
            self._context.throttle.wait(cancel=request.options.cancel, patience=request.patience)
            job = claims.claim(raw_hash, Intent.INGEST, request, source.place, patient=patient)
            if job is None:  # another process finished the document while this one waited
                known = self._known(raw_hash, request)
                assert known is not None  # committed by that process
                return self._answer_known(known, request, source)
            with claims.held(job):
                return self._complete(self._convert(job, source, request, path_ref=source.place))
        except Cancelled as error:
            return failed(error, source)

    def convert_claimed(
        self, job: Job, given: Given, request: IngestRequest, *, path_ref: str, above: int, urgent: bool
    ) -> ProcessedDocument | Committing:
        """Convert a document that was claimed by its hash, for a caller that holds its lock.

        Args:
            job: the claim.
            given: the source as the caller gave it.
            request: the request.
            path_ref: its path as a reference.
            above: the highest version number ever used for the document.
            urgent: whether to commit its completion immediately.

        Returns:
            The result of the document; or its completion, which waits to be committed.

        Raises:
            UsageError: an override or profile does not exist.
            StorageError: the library cannot be written; the job is released.
        """
        source: Source | None = None
        try:
            with self._steps.claims.held(job):
                try:
                    source, request = self._open(given, request)
                except OctavoError as error:
                    return self._unread(error, given, request, job=job)
                with source:
                    if source.raw_file_hash != job.raw_hash:
                        return self._changed(job, given, request)
                    pending = self._convert(job, source, request, path_ref=path_ref, above=above)
                    if pending.later is not None:
                        return self._complete(pending)
                return Committing(pending=pending, committed=self._steps.completer.submit(pending, urgent=urgent))
        except Cancelled as error:
            return failed(error, given if source is None else source)

    def resume(
        self,
        job: Job,
        open_source: Callable[[], Source],
        request: IngestRequest,
        *,
        path_ref: str | None,
        activate: bool | None,
    ) -> ResumeResult:
        """Resume a job that has no owner, or that a worker has taken.

        Args:
            job: as it was last read.
            open_source: opens its document. The attempt is counted before: opening may kill the process.
            request: its request.
            path_ref: the path of the document in that request, as a reference.
            activate: whether a reconversion's version becomes the active one; None: unless it loses pages or text.

        Raises:
            Cancelled: the caller cancelled; the job is open and waits as before, and the attempt does not count.
            NotOpened: the document cannot be opened; the job is claimed.
            OctavoError: the reconversion failed. The job stays open if the error has no reason code, or if the library
                cannot be written.
        """
        cancel, claims = request.options.cancel, self._steps.claims
        assert job.raw_hash is not None  # jobs without bytes are not resumed
        with self._context.document_locks.holding(job.raw_hash, cancel=cancel):
            self._context.throttle.wait(cancel=cancel)
            claimed = claims.resume(job, request)
            if claimed is None:
                return ResumeResult.ENDED
            with claims.resumed(claimed, before=job), opened(claimed, open_source) as source:
                if job.intent is Intent.RECONVERT:
                    work = ClaimedJob(
                        job=claimed, source=source, request=request, path_ref=path_ref, started=now_text()
                    )
                    self._steps.reconverter.convert(work, activate=activate)
                    return ResumeResult.ENDED
                pending = self._convert(claimed, source, request, path_ref=path_ref)
                self._complete(pending)
                return ResumeResult.WAITS if pending.completed is None else ResumeResult.ENDED

    def convert_taken(
        self, job: Job, source: Source, request: IngestRequest, *, path_ref: str | None, above: int
    ) -> Committing | None:
        """Convert a document that a worker took from the queue, for a caller that holds its lock.

        Args:
            job: the claim, in `conversion_pending`.
            source: its document, opened.
            request: its request.
            path_ref: the path of the document in that request, as a reference.
            above: the highest version number ever used for the document.

        Returns:
            The completion, which waits for its group; None if all is committed, because the document has several versions.

        Raises:
            OctavoError: cancelled; the library cannot be written; the plugin or profile does not exist.
        """
        pending = self._convert(job, source, request, path_ref=path_ref, above=above)
        if pending.later is not None:
            self._complete(pending)
            return None
        return Committing(pending=pending, committed=self._steps.completer.submit(pending, urgent=False))

    def give_up(self, job: Job, error: OctavoError, request: IngestRequest) -> None:
        """Fail a job that cannot be resumed because the original of its known document is unavailable."""
        assert job.raw_hash is not None  # it is about a document
        result = failed(error, job.raw_hash).result
        assert result is not None  # a failure is at hand
        document = DocumentFacts(raw_hash=job.raw_hash)
        self._steps.completer.fail(failed_job(job, result, request, path_ref=None, document=document), request)
        self._steps.completer.write_logs([job.raw_hash])

    def record_reuse(self, known: Sequence[tuple[KnownDocument, str | None]], request: IngestRequest) -> None:
        """Record that known documents were ingested again, all in one transaction.

        Args:
            known: each document with its path as a reference.
            request: the request.
        """
        reuse_events = [
            ReuseEvent(
                document_id=document.document_id,
                sighting=request.sighting(path_ref),
                outcome=_outcome(document),
            )
            for document, path_ref in known
        ]
        arrivals = [
            Arrival(document_id=document.document_id, request=request, has_attachments=document.has_attachments)
            for document, _ in known
        ]

        def write(index: Index) -> None:
            index.jobs.record_reuse(reuse_events)
            self._steps.follow_ups.open_jobs(index, arrivals)

        self._context.commits.call(write)
        self._emit_reuse([document for document, _ in known], request)

    def _emit_reuse(self, known: Sequence[KnownDocument], request: IngestRequest) -> None:
        """Emit the events of known documents; if they are new to the asker, those of a first ingestion (STO-5)."""
        events = self._context.events
        if again := tuple(one.document_id for one in known if one.is_told):
            events.emit(Reused(run_id=request.run_id, document_ids=again))
        for one in known if events.listened else ():
            if not one.is_told:
                events.emit(
                    JobEnded(
                        run_id=request.run_id,
                        job_id=new_job_id(),
                        document_id=one.document_id,
                        raw_hash=one.raw_hash,
                        intent=Intent.INGEST,
                        state=one.status,
                        reason=one.reason,
                        tool=None,
                        seconds=0.0,
                    )
                )

    # -- the steps ------------------------------------------------------------------------------------------

    def _open(
        self, given: Given | bytes, request: IngestRequest, *, name: str | None = None
    ) -> tuple[Source, IngestRequest]:
        """Open the source; its findings move to the request."""
        source = self._steps.incoming.open(given, request, name=name)
        if source.findings:
            request, source.findings = replace(request, findings=source.findings), ()
        return source, replace(request, name=source.name) if isinstance(given, bytes) else request

    def _convert(
        self, job: Job, source: Source, request: IngestRequest, *, path_ref: str | None, above: int | None = None
    ) -> PendingCompletion:
        """Convert a claimed document and store its files; the caller commits the completion."""
        work = ClaimedJob(job=job, source=source, request=request, path_ref=path_ref, started=now_text(), above=above)
        return self._steps.runner.work(work)

    def _complete(self, pending: PendingCompletion) -> ProcessedDocument:
        """Commit the completion of a job, then store and commit the later versions."""
        pending = self._steps.completer.complete(pending)
        result = pending.result
        if pending.later is not None:
            result = self._steps.reconverter.store_later(pending.claimed, pending.later) or result
        return fresh(result, pending.claimed.request)

    def _unread(
        self,
        error: OctavoError | Cancelled,
        given: Given | bytes,
        request: IngestRequest,
        *,
        name: str | None = None,
        job: Job | None = None,
    ) -> ProcessedDocument:
        """Build and record the failure of a source whose bytes could not be read; its document id is unknown.

        Raises:
            OctavoError: `error`, if it has no reason code.
        """
        processed = failed(error, given, name=name)
        result = processed.result
        assert result is not None  # a failure is at hand
        path_ref = None if isinstance(given, bytes) else result.original_artifact_ref
        if job is not None:
            self._steps.completer.fail(failed_job(job, result, request, path_ref=path_ref), request)
        elif not isinstance(error, Cancelled):
            self._steps.completer.fail_unread(result, request, path_ref=path_ref)
        return processed

    def _changed(self, job: Job, given: Given, request: IngestRequest) -> ProcessedDocument:
        """The file changed after it was hashed: fail the job of the old bytes and ingest the new ones."""
        error = SourceChanged("the file changed between hashing and reading", source=str(given))
        result = failed(error, given).result
        assert result is not None  # a failure is at hand
        failure = JobFailure(reason=result.failure_receipts[0].reason_code, result_json=result.to_json())
        # No event: the ingestion of the new bytes emits the event of this source.
        self._context.commits.call(lambda index: index.jobs.complete([CompletedJob(job=job, failure=failure)]))
        return self.take(given, request)

    # -- known documents ------------------------------------------------------------------------------------

    def _known(self, raw_hash: str, request: IngestRequest) -> KnownDocument | None:
        return self._index.documents.find_by_hash([raw_hash], policy=request.told_as).get(raw_hash)

    def _answer_known(self, known: KnownDocument, request: IngestRequest, source: Source) -> ProcessedDocument:
        """Return the stored result of a document, unless the document is locked for the asker."""
        try:
            self._steps.locked.check(known, source, request)
        except SourceEncrypted as error:
            # As for an unreadable source: the document belongs to another policy context, which must not show.
            level = self._context.runtime.pool.level
            result = failure_result(ConversionFailed(error), source, sandbox_level=level)
            result = result.model_copy(update={"document_id": None})
            self._steps.completer.fail_unread(result, request, path_ref=source.place)
            return ProcessedDocument(document_id=None, reused=False, result=result)
        if request.metadata is not None:
            paused = check_declared(self._context, self._steps.completer, known, source, request)
            if paused is not None:
                return paused
        is_by_its_owner = self._steps.claims.engines.is_by_its_owner(known)
        if is_by_its_owner and is_usable(self._artifacts, known):
            return self._reuse(known, request, source)
        if (
            is_by_its_owner
            and self._context.commits.call(lambda index: replace_damaged(self._artifacts, index, known)) is not None
        ):
            return self._reuse(known, request, source)
        failure = self._steps.reconverter.mend(source, request)
        if failure is not None:
            return failure
        self.record_reuse([(known, source.place)], request)
        return replace(reused(known, request), reused=False, is_shared=False)

    def _reuse(self, known: KnownDocument, request: IngestRequest, source: Source) -> ProcessedDocument:
        if not known.is_told and not any(self._artifacts.originals_of(source.raw_file_hash)):
            # This context may not open another context's file. Bytes without a path are stored in any case.
            self._steps.runner.versions.original_ref(source)
        self.record_reuse([(known, source.place)], request)
        return reused(known, request)


def _outcome(known: KnownDocument) -> Literal["reused", "reused_failure", "new", "failed"]:
    """The outcome to record for a known document: `new` in a policy context that did not have it."""
    if known.active_version is None:
        return "reused_failure" if known.is_told else "failed"
    return "reused" if known.is_told else "new"
