"""One document into the library: known already? reuse it; else convert it, store a version, commit the index.

A job is claimed before anything is converted and ended by one transaction after its version's files are published,
so that a crash at any instant leaves the old state or the new one (STO-8, ENG-6). A document by itself and those of a run
take the same steps: opened, claimed, converted, completed. A run claims many at once, and leaves the ends to be committed
in groups.
"""

from __future__ import annotations

import uuid
from collections.abc import Sequence
from concurrent.futures import Future
from dataclasses import dataclass, replace
from typing import Literal

from octavo.conversion.outcome import ConversionFailed
from octavo.conversion.results import failure_result
from octavo.documents.source import Source
from octavo_contracts import Intent, OctavoError, SourceChanged, SourceEncrypted
from octavo_sandbox import Cancelled

from ..storage import CompletedJob, DocumentFacts, Index, Job, JobFailure, KnownDocument, ReuseEvent
from .claimed_job import ClaimedJob
from .conversion_runner import ConversionRunner
from .damaged_versions import is_usable, replace_damaged
from .engine_context import EngineContext
from .events import JobEnded, Reused
from .follow_ups import Arrival, FollowUps
from .job_claims import JobClaims
from .job_completion import JobCompleter, PendingCompletion, failed_job, now_text
from .locked_documents import LockedDocuments
from .reconversion import Reconverter
from .requests import Given, IngestRequest, ProcessedDocument, fresh, reused
from .retry_scheduler import ResumeResult
from .settled import failed
from .source_opener import SourceOpener


@dataclass(frozen=True, kw_only=True, slots=True)
class Committing:
    """A document whose files are stored, and the end of whose job the writer has.

    Attributes:
        ending: the end.
        committed: done once the end is durable.
    """

    ending: PendingCompletion
    committed: Future[Job]


@dataclass(frozen=True, kw_only=True, eq=False)
class IngestSteps:
    """The steps that a document takes.

    Attributes:
        incoming: opens what is given.
        claims: starts jobs and takes them over.
        locked: whether a request opens a document that needs a password.
        runner: converts, and stores versions.
        completer: commits the ends of jobs.
        reconverter: converts known documents again.
        follow_ups: whose jobs are opened when a known document comes again.
    """

    incoming: SourceOpener
    claims: JobClaims
    locked: LockedDocuments
    runner: ConversionRunner
    completer: JobCompleter
    reconverter: Reconverter
    follow_ups: FollowUps


class Ingestor:
    """Takes documents into a library, one call a document. Thread-safe.

    Args:
        context: what the engine's parts share.
        steps: the steps that a document takes.
    """

    def __init__(self, context: EngineContext, steps: IngestSteps) -> None:
        self._context = context
        self._artifacts = context.artifacts
        self._index = context.index
        self._steps = steps

    def take(self, given: Given | bytes, request: IngestRequest, *, name: str | None = None) -> ProcessedDocument:
        """Open a source and take it in. Never raises for the document itself.

        Raises:
            UsageError: an override or profile does not exist, or bytes came without a name.
            StorageError: the library cannot be written.
        """
        try:
            source, request = self._open(given, request, name=name)
        except (Cancelled, OctavoError) as error:
            return self._unread(error, given, request, name=name)
        with source:
            return self.process(source, request)

    def process(self, source: Source, request: IngestRequest) -> ProcessedDocument:
        """Take one opened document in; as `take`."""
        try:
            with self._context.document_locks.holding(source.raw_file_hash, cancel=request.options.cancel):
                return self.process_held(source, request)
        except Cancelled as error:
            return failed(error, source)

    def process_held(self, source: Source, request: IngestRequest, *, patient: bool = True) -> ProcessedDocument:
        """As `process`, for a caller who has the document's turn.

        Args:
            source: the document, opened.
            request: how it comes in.
            patient: whether to wait while another process is at work on it.

        Raises:
            Busy: another process is, and the caller is not patient.
        """
        self._index.check_writable()
        claims, raw_hash = self._steps.claims, source.raw_file_hash
        try:
            known = self._known(raw_hash, request)
            if known is not None and (known.active_version is not None or claims.engines.is_settled(known, request)):
                return self._give(known, request, source)
            self._context.throttle.wait(cancel=request.options.cancel, patience=request.patience)
            job = claims.claim(raw_hash, Intent.INGEST, request, source.place, patient=patient)
            if job is None:  # another process finished it while we waited
                known = self._known(raw_hash, request)
                assert known is not None  # that process committed it
                return self._give(known, request, source)
            with claims.held(job):
                return self._complete(self._convert(job, source, request, path_ref=source.place))
        except Cancelled as error:
            return failed(error, source)

    def convert_claimed(
        self, job: Job, given: Given, request: IngestRequest, *, path_ref: str, above: int, urgent: bool
    ) -> ProcessedDocument | Committing:
        """Convert a document that was claimed by its hash, for a caller who has its turn.

        Args:
            job: the claim.
            given: the document, as it was given.
            request: how it comes in.
            path_ref: its path as a reference.
            above: the highest version ever given out for it.
            urgent: whether the end of its job is committed at once.

        Returns:
            What came of it; or the end of its job, on its way to the index.

        Raises:
            UsageError: an override or profile does not exist.
            StorageError: the library cannot be written; the job is let go of.
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
                    ending = self._convert(job, source, request, path_ref=path_ref, above=above)
                    if ending.later is not None:
                        return self._complete(ending)
                return Committing(ending=ending, committed=self._steps.completer.submit(ending, urgent=urgent))
        except Cancelled as error:
            return failed(error, given if source is None else source)

    def resume(
        self, job: Job, source: Source, request: IngestRequest, *, path_ref: str | None, activate: bool | None
    ) -> ResumeResult:
        """Go on with a job that nobody has.

        Args:
            job: as it was last read.
            source: its document, opened.
            request: how it was asked for.
            path_ref: the path it came by, as a reference.
            activate: whether a reconversion's version is to become the active one; None: unless it loses pages or text.

        Raises:
            Cancelled: the caller stopped it; the job is open and waits as it did, and the try does not count.
            OctavoError: of a reconversion, what it has ended with. The job is open after one without a reason code, and
                where the library cannot be written.
        """
        cancel, claims = request.options.cancel, self._steps.claims
        with self._context.document_locks.holding(source.raw_file_hash, cancel=cancel):
            self._context.throttle.wait(cancel=cancel)
            claimed = claims.resume(job, request)
            if claimed is None:
                return ResumeResult.ENDED
            with claims.resumed(claimed, before=job):
                if job.intent is Intent.RECONVERT:
                    task = ClaimedJob(
                        job=claimed, source=source, request=request, path_ref=path_ref, started=now_text()
                    )
                    self._steps.reconverter.convert(task, activate=activate)
                    return ResumeResult.ENDED
                ending = self._convert(claimed, source, request, path_ref=path_ref)
                self._complete(ending)
                return ResumeResult.WAITS if ending.completed is None else ResumeResult.ENDED

    def give_up(self, job: Job, error: OctavoError, request: IngestRequest) -> None:
        """End a job that cannot go on, as the original of its known document is not to be had."""
        assert job.raw_hash is not None  # it is about a document
        result = failed(error, job.raw_hash).result
        assert result is not None  # a failure is at hand
        document = DocumentFacts(raw_hash=job.raw_hash)
        self._steps.completer.fail(failed_job(job, result, request, path_ref=None, document=document), request)
        self._steps.completer.write_logs([job.raw_hash])

    def record_reuse(self, known: Sequence[tuple[KnownDocument, str | None]], request: IngestRequest) -> None:
        """Record that settled documents came again, all in one transaction.

        Args:
            known: each with its path as a reference.
            request: how they came.
        """
        came = [
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
            index.jobs.record_reuse(came)
            self._steps.follow_ups.open_jobs(index, arrivals)

        self._context.writer.call(write)
        self._tell_reuse([document for document, _ in known], request)

    def _tell_reuse(self, known: Sequence[KnownDocument], request: IngestRequest) -> None:
        """Emit what is told of known documents: where they are new to the asker, what a first ingestion tells (STO-5)."""
        events = self._context.events
        if again := tuple(one.document_id for one in known if one.is_told):
            events.emit(Reused(run_id=request.run_id, document_ids=again))
        for one in known if events.listened else ():
            if not one.is_told:
                events.emit(
                    JobEnded(
                        run_id=request.run_id,
                        job_id=uuid.uuid4().hex,
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
        """The opened source, and the request with what the way to it showed."""
        source = self._steps.incoming.open(given, request, name=name)
        if source.findings:
            request, source.findings = replace(request, findings=source.findings), ()
        return source, request

    def _convert(
        self, job: Job, source: Source, request: IngestRequest, *, path_ref: str | None, above: int | None = None
    ) -> PendingCompletion:
        """Convert a claimed document and store its files; what is left is the end of its job."""
        task = ClaimedJob(job=job, source=source, request=request, path_ref=path_ref, started=now_text(), above=above)
        return self._steps.runner.work(task)

    def _complete(self, ending: PendingCompletion) -> ProcessedDocument:
        """Commit the end of a job, and the versions that are stored after the first."""
        self._steps.completer.complete(ending)
        result = ending.result
        if ending.later is not None:
            result = self._steps.reconverter.store_later(ending.task, ending.later) or result
        return fresh(result, ending.task.request)

    def _unread(
        self,
        error: OctavoError | Cancelled,
        given: Given | bytes,
        request: IngestRequest,
        *,
        name: str | None = None,
        job: Job | None = None,
    ) -> ProcessedDocument:
        """Answer for a source whose bytes could not be read; nothing is known of its document.

        Raises:
            OctavoError: `error`, where it has no reason code.
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
        """Other bytes stand there than were hashed: the job of the old ones ends, the new ones are taken in by themselves."""
        error = SourceChanged("the file changed between hashing and reading", source=str(given))
        result = failed(error, given).result
        assert result is not None  # a failure is at hand
        failure = JobFailure(reason=result.failure_receipts[0].reason_code, result_json=result.to_json())
        # Without an event: what is told of the source is what comes of the new bytes.
        self._context.writer.call(lambda index: index.jobs.complete([CompletedJob(job=job, failure=failure)]))
        return self.take(given, request)

    # -- known documents ------------------------------------------------------------------------------------

    def _known(self, raw_hash: str, request: IngestRequest) -> KnownDocument | None:
        return self._index.documents.find_by_hash([raw_hash], policy=request.told_as).get(raw_hash)

    def _give(self, known: KnownDocument, request: IngestRequest, source: Source) -> ProcessedDocument:
        """Answer for a document whose stored result is the answer, unless it is locked for who asks."""
        try:
            self._steps.locked.check(known, source, request)
        except SourceEncrypted as error:
            # As of a source that could not be read: the document is another policy context's, and stays its own.
            level = self._context.runtime.pool.level
            result = failure_result(ConversionFailed(error), source, sandbox_level=level)
            result = result.model_copy(update={"document_id": None})
            self._steps.completer.fail_unread(result, request, path_ref=source.place)
            return ProcessedDocument(document_id=None, reused=False, result=result)
        if is_usable(self._artifacts, known):
            return self._reuse(known, request, source)
        if self._context.writer.call(lambda index: replace_damaged(self._artifacts, index, known)) is not None:
            return self._reuse(known, request, source)
        failure = self._steps.reconverter.mend(source, request)
        if failure is not None:
            return failure
        self.record_reuse([(known, source.place)], request)
        return replace(reused(known, request), reused=False, is_shared=False)

    def _reuse(self, known: KnownDocument, request: IngestRequest, source: Source) -> ProcessedDocument:
        if not known.is_told and not any(self._artifacts.originals_of(source.raw_file_hash)):
            # Another context's file is not this one's to open: bytes without a path are kept as they always are.
            self._steps.runner.versions.original_ref(source)
        self.record_reuse([(known, source.place)], request)
        return reused(known, request)


def _outcome(known: KnownDocument) -> Literal["reused", "reused_failure", "new", "failed"]:
    """What is noted of a known document's coming: in a policy context that did not have it, that it is new there."""
    if known.active_version is None:
        return "reused_failure" if known.is_told else "failed"
    return "reused" if known.is_told else "new"
