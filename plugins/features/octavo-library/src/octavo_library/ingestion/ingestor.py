"""One document into the library: known already? reuse it; else convert it, store a version, commit the index.

A job is claimed before anything is converted and ended by one transaction after its version's files are published,
so that a crash at any instant leaves the old state or the new one (STO-8, ENG-6).
"""

from __future__ import annotations

import os
import time
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Literal

from octavo.conversion.outcome import ConversionFailed, Outcome
from octavo.conversion.results import failure_result, unreadable
from octavo.documents.source import Source
from octavo.sandbox import Cancelled
from octavo.sandbox.keyed_lock import Turns
from octavo_contracts import (
    HardFailReason,
    IngestionResult,
    IngestionState,
    Intent,
    NotAttempted,
    OctavoError,
    SourceEncrypted,
    StorageError,
)

from ..storage import ArtifactStore, DocumentFacts, Index, Job, KnownDocument, NewJob, ReuseEvent, document_id_for
from .activation import HeldBack
from .attachment_jobs import Owing
from .claimed_job import Task
from .commit_queue import Writer
from .conversion_runner import Trying
from .damaged_versions import is_usable, replace_damaged
from .job_claims import Claims
from .job_completion import now_text
from .job_events import Teller
from .locked_documents import LockedDocuments
from .plugin_fingerprint import EngineSet
from .predecessor import with_predecessor
from .requests import IngestRequest, Processed, cancelled, fresh, reused
from .retry_scheduler import Woken
from .shared_fields import shareable_reason
from .source_opener import Incoming
from .throttle import Throttle
from .version_writer import Ending, Filing

_S = IngestionState


@dataclass(frozen=True, kw_only=True)
class Reconverted:
    """A version that was made of a known document.

    Attributes:
        version: its number.
        is_active: whether it became the active one.
        held_back: why it did not, though nobody forbade it, or None.
    """

    version: int
    is_active: bool
    held_back: HeldBack | None = None


class Ingestor:
    """Takes documents into a library, one call a document. Thread-safe.

    Args:
        artifacts: the library's files.
        index: the library's index, for reading.
        writer: makes every write to it.
        incoming: opens what comes in.
        claims: starts jobs and takes them over.
        engines: which stored results hold.
        locked: whether a request opens a document that needs a password.
        owing: sees that what came inside known documents comes in as they do.
        trying: converts.
        filing: stores versions.
        throttle: says when to wait.
        turns: who works on what in this process.
        teller: tells.
    """

    def __init__(
        self,
        artifacts: ArtifactStore,
        index: Index,
        writer: Writer,
        *,
        incoming: Incoming,
        claims: Claims,
        engines: EngineSet,
        locked: LockedDocuments,
        owing: Owing,
        trying: Trying,
        filing: Filing,
        throttle: Throttle,
        turns: Turns,
        teller: Teller,
    ) -> None:
        self._artifacts = artifacts
        self._index = index
        self._writer = writer
        self._incoming = incoming
        self._claims = claims
        self._engines = engines
        self._locked = locked
        self._owing = owing
        self._trying = trying
        self._filing = filing
        self._throttle = throttle
        self._turns = turns
        self._teller = teller

    def take(
        self, source: str | os.PathLike[str] | bytes, request: IngestRequest, *, name: str | None = None
    ) -> Processed:
        """Open a source and take it in. Never raises for the document itself.

        Raises:
            UsageError: an override or profile does not exist, or bytes came without a name.
            StorageError: the library cannot be written.
        """
        try:
            opened = self._incoming.open(source, request, name=name)
        except Cancelled:
            stopped = NotAttempted("the run was cancelled")
            return Processed(document_id=None, reused=False, result=unreadable(stopped, source=source, name=name))
        except OctavoError as error:
            if error.reason is None:
                raise
            result = unreadable(error, source=source, name=name)
            self._record_unreadable(
                result, request, None if isinstance(source, bytes) else result.original_artifact_ref
            )
            return Processed(document_id=None, reused=False, result=result)
        with opened:
            request, opened.findings = replace(request, findings=opened.findings), ()
            return self.process(opened, request)

    def process(self, source: Source, request: IngestRequest) -> Processed:
        """Take one opened document in; as `take`."""
        try:
            with self._turns.alone(source.raw_file_hash, cancel=request.options.cancel):
                return self.process_held(source, request)
        except Cancelled:
            return _stopped(source)

    def process_held(self, source: Source, request: IngestRequest, *, patient: bool = True) -> Processed:
        """As `process`, for a caller who has the document's turn.

        Args:
            source: the document, opened.
            request: how it comes in.
            patient: whether to wait while another process is at work on it.

        Raises:
            Busy: another process is, and the caller is not patient.
        """
        self._index.check_writable()
        path_ref = source.place
        raw_hash = source.raw_file_hash
        try:
            known = self._known(raw_hash, request)
            if known is not None and (known.active_version is not None or self._engines.is_settled(known, request)):
                return self._give(known, request, source)
            self._wait(request)
            job = self._claims.claim(raw_hash, Intent.INGEST, request, path_ref, patient=patient)
            if job is None:  # another process finished it while we waited
                known = self._known(raw_hash, request)
                assert known is not None  # that process committed it
                return self._give(known, request, source)
            with self._claims.held(job):
                task = Task(job=job, source=source, request=request, path_ref=path_ref, started=now_text())
                return self.end(self._trying.work(task))
        except Cancelled:
            return _stopped(source)

    def reconvert(self, source: Source, request: IngestRequest, *, activate: bool | None) -> Reconverted:
        """Convert a known document again, as a new version.

        Args:
            source: the document, opened.
            request: how it is asked for.
            activate: whether the version becomes the active one; None: unless it loses pages or text.

        Raises:
            OctavoError: it could not be converted; the versions it has are untouched.
        """
        self._index.check_writable()
        with self._turns.alone(source.raw_file_hash, cancel=request.options.cancel):
            return self._reconvert_held(source, request, activate=activate)

    def resume(
        self, job: Job, source: Source, request: IngestRequest, *, path_ref: str | None, activate: bool | None
    ) -> Woken:
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
        with self._turns.alone(source.raw_file_hash, cancel=request.options.cancel):
            self._throttle.wait(cancel=request.options.cancel)
            claimed = self._claims.resume(job, request)
            if claimed is None:
                return Woken.ENDED
            task = Task(job=claimed, source=source, request=request, path_ref=path_ref, started=now_text())
            with self._claims.resumed(claimed, before=job):
                if job.intent is Intent.RECONVERT:
                    self._convert_again(task, activate=activate)
                    return Woken.ENDED
                ending = self._trying.work(task)
                self.end(ending)
                return Woken.WAITS if ending.waits else Woken.ENDED

    def give_up(self, job: Job, error: OctavoError, request: IngestRequest) -> None:
        """End a job that cannot go on, as the original of its known document is not to be had."""
        assert job.raw_hash is not None  # it is about a document
        document = DocumentFacts(raw_hash=job.raw_hash)
        result = unreadable(error, source=job.raw_hash, name=None)
        reason = result.failure_receipts[0].reason_code
        ended = self._writer.call(
            lambda index: index.jobs.finish_failure(job, reason=reason, result_json=result.to_json(), document=document)
        )
        self._teller.ended(ended, request, reason=reason, tool=None, seconds=0.0)
        self._filing.write_logs([job.raw_hash])

    # -- for runs of many documents -------------------------------------------------------------------------

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
        carriers = [document.document_id for document, _ in known if document.has_attachments]

        def write(index: Index) -> None:
            index.jobs.record_reuse(came)
            for document_id in carriers:
                self._owing.bring(index, document_id, request)

        self._writer.call(write)
        self._teller.reused([document for document, _ in known], request)

    def end(self, ending: Ending) -> Processed:
        """Commit the end of a job and of those that its further versions need, and write the log."""
        self._end_one(ending)
        result = ending.result
        if ending.outcome is not None:
            result = self._store_later(ending.task, ending.outcome) or result
        return fresh(result, ending.task.request)

    def _wait(self, request: IngestRequest) -> None:
        """Wait until a document may be begun: of a run as long as the run does, else no longer than its time allows."""
        patience = request.options.timeout if request.run_id is None else None
        self._throttle.wait(cancel=request.options.cancel, patience=patience)

    # -- inside ---------------------------------------------------------------------------------------------

    def _reconvert_held(self, source: Source, request: IngestRequest, *, activate: bool | None) -> Reconverted:
        """As `reconvert`, for a caller who has the document's turn."""
        self._wait(request)
        job = self._claims.claim(source.raw_file_hash, Intent.RECONVERT, request, None, activate=activate)
        if job is None:
            raise NotAttempted("another process has just reconverted it", source=source.display)
        task = Task(job=job, source=source, request=request, path_ref=None, started=now_text())
        with self._claims.held(job):
            try:
                return self._convert_again(task, activate=activate)
            except Cancelled:
                # Nobody asks for it any more: left open, it would go on by itself at the next opening.
                self._writer.call(lambda index: index.jobs.finish_failure(job, reason=HardFailReason.NOT_ATTEMPTED))
                raise

    def _mend(self, known: KnownDocument, source: Source, request: IngestRequest) -> Processed:
        """Answer for a known document whose active version is damaged: by an intact one, or by converting it again."""
        if self._writer.call(lambda index: replace_damaged(self._artifacts, index, known)) is not None:
            return self._reuse(known, request, source)
        try:
            self._reconvert_held(source, request, activate=True)
        except OctavoError as error:
            if error.reason is None or isinstance(error, StorageError):
                raise
            failed = unreadable(error, source=source.raw_file_hash, name=None)
            result = failed.model_copy(update={"document_id": known.document_id})
            return Processed(document_id=known.document_id, reused=False, result=result)
        self.record_reuse([(known, source.place)], request)
        return replace(reused(known, request), reused=False, is_shared=False)

    def _convert_again(self, task: Task, *, activate: bool | None) -> Reconverted:
        """Convert a claimed document as a new version; the job has ended then, also where this raises an error of it.

        Raises:
            OctavoError: it could not be converted.
        """
        source = task.source
        task = self._with_predecessor(task)
        try:
            outcome = self._trying.once(task)
        except (ConversionFailed, OctavoError) as error:
            failed = error if isinstance(error, ConversionFailed) else ConversionFailed(error)
            if failed.error.reason is None:
                raise
            self._end_one(self._filing.failure(task, failed, waits=False))
            raise failed.error.located(source=source.display) from error
        version = outcome.versions[outcome.active]
        original = self._filing.original_ref(source)
        ending = self._filing.success(task, outcome, version, original=original, activate=activate)
        self._end_one(ending)
        assert ending.version is not None  # a success has one
        return Reconverted(
            version=ending.version,
            is_active=activate is not False and ending.held_back is None,
            held_back=ending.held_back,
        )

    def _with_predecessor(self, task: Task) -> Task:
        known = self._index.documents.find_by_hash([task.raw_hash]).get(task.raw_hash)
        options, earlier = with_predecessor(task.request.options, known, self._artifacts)
        return replace(task, request=replace(task.request, options=options, earlier=earlier))

    def _known(self, raw_hash: str, request: IngestRequest) -> KnownDocument | None:
        return self._index.documents.find_by_hash([raw_hash], policy=request.told_as).get(raw_hash)

    def _give(self, known: KnownDocument, request: IngestRequest, source: Source) -> Processed:
        """Answer for a document whose stored result is the answer, unless it is locked for who asks."""
        try:
            self._locked.check(known, source, request)
        except SourceEncrypted as error:
            # As of a source that could not be read: the document is another policy context's, and stays its own.
            failed = failure_result(ConversionFailed(error), source, sandbox_level=self._filing.runtime.pool.level)
            result = failed.model_copy(update={"document_id": None})
            self._record_unreadable(result, request, source.place)
            return Processed(document_id=None, reused=False, result=result)
        if is_usable(self._artifacts, known):
            return self._reuse(known, request, source)
        return self._mend(known, source, request)

    def _reuse(self, known: KnownDocument, request: IngestRequest, source: Source) -> Processed:
        if not known.is_told and not any(self._artifacts.originals_of(source.raw_file_hash)):
            # Another context's file is not this one's to open: bytes without a path are kept as they always are.
            self._filing.original_ref(source)
        self.record_reuse([(known, source.place)], request)
        return reused(known, request)

    def _record_unreadable(self, result: IngestionResult, request: IngestRequest, path_ref: str | None) -> None:
        """Store the failure of a source whose bytes could not be read: a job that starts and ends at once."""
        reason = result.failure_receipts[0].reason_code
        owner, sighting = self._artifacts.owner, request.sighting(path_ref)

        def write(index: Index) -> Job:
            started = index.jobs.start(NewJob(raw_hash=None, run_id=request.run_id), owner=owner)
            return index.jobs.finish_failure(
                started.job, reason=reason, result_json=result.to_json(), sighting=sighting
            )

        self._teller.ended(self._writer.call(write), request, reason=reason, tool=None, seconds=0.0)

    def _store_later(self, task: Task, outcome: Outcome) -> IngestionResult | None:
        """Store the versions after the first, each by a job of its own; the result of the one that takes over."""
        best = None
        original = self._filing.original_ref(task.source)
        for version in outcome.versions[1:]:
            takes_over = outcome.versions[outcome.active] is version
            # As this plugin's, so that one that is cut short goes on as the version it was to be.
            chosen = version.candidate
            because = shareable_reason(chosen.because, task.request)
            options = replace(task.request.options, plugin=chosen.plugin.name, asked_by=because)
            request = replace(task.request, options=options)
            job = self._claims.claim(task.raw_hash, Intent.RECONVERT, request, task.path_ref, activate=takes_over)
            if job is None:
                continue
            again = replace(task, job=job, path_ref=None, above=None)
            with self._claims.held(job):
                ending = self._filing.success(again, outcome, version, original=original, activate=takes_over)
                self._end_one(ending)
            best = ending.result if takes_over else best
        return best

    def _end_one(self, ending: Ending) -> None:
        started = time.monotonic()
        job = self._writer.call(ending.end)
        self._teller.end_of(ending, job, seconds=time.monotonic() - started)
        if not ending.waits:
            self._filing.write_logs([ending.task.raw_hash])


def _outcome(known: KnownDocument) -> Literal["reused", "reused_failure", "new", "failed"]:
    """What is noted of a known document's coming: in a policy context that did not have it, that it is new there."""
    if known.active_version is None:
        return "reused_failure" if known.is_told else "failed"
    return "reused" if known.is_told else "new"


def _stopped(source: Source) -> Processed:
    return Processed(document_id=document_id_for(source.raw_file_hash), reused=False, result=cancelled(source))
