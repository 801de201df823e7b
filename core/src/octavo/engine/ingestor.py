"""One document into the library: known already? reuse it; else convert it, store a version, commit the index.

A job is claimed before anything is converted and ended by one transaction after its version's files are published,
so that a crash at any instant leaves the old state or the new one (STO-8, ENG-6).
"""

from __future__ import annotations

import os
import time
from collections.abc import Sequence
from dataclasses import replace
from functools import cached_property, partial
from typing import TYPE_CHECKING

from octavo_contracts import (
    HardFailReason,
    IngestionResult,
    IngestionState,
    Intent,
    NotAttempted,
    OctavoError,
    StorageError,
)

from ..conversion import open_source, unreadable
from ..ocr import LibraryPages
from ..pipeline import ConversionFailed, ConvertOptions, Outcome, run
from ..places import is_url, place_ref
from ..runtime import Runtime
from ..sampling.sampler import Finding, Sampler
from ..sandbox import Cancelled
from ..sandbox.errors import raise_if
from ..sources import Source
from ..store import ArtifactStore, DocumentFacts, Index, Job, KnownDocument, NewJob, ReuseEvent, Step, document_id_for
from .claims import Claims
from .config import RetrySettings
from .filing import Ending, Filing, Task, now_text
from .requests import IngestRequest, Processed, cancelled, reused
from .retries import Verdict, verdict
from .steps import StepName
from .telling import Teller
from .throttle import Throttle
from .tools import ToolDesk
from .turns import WAIT_SECONDS, Turns
from .waking import Woken
from .writer import Writer

if TYPE_CHECKING:
    from ..egress import CloudRequest
    from ..web.pages import WebPages

_S = IngestionState


class Ingestor:
    """Takes documents into a library, one call a document. Thread-safe.

    Args:
        runtime: plugins and workers.
        artifacts: the library's files.
        index: the library's index, for reading.
        writer: makes every write to it.
        claims: starts jobs and takes them over.
        filing: stores versions.
        throttle: says when to wait.
        desk: lets calls to tools through.
        turns: who works on what in this process.
        teller: tells.
        retries: how often what may pass is tried again.
    """

    def __init__(
        self,
        runtime: Runtime,
        artifacts: ArtifactStore,
        index: Index,
        writer: Writer,
        *,
        claims: Claims,
        filing: Filing,
        throttle: Throttle,
        desk: ToolDesk,
        turns: Turns,
        teller: Teller,
        retries: RetrySettings,
    ) -> None:
        self._runtime = runtime
        self._artifacts = artifacts
        self._pages = LibraryPages(artifacts)
        self._sampler = Sampler(runtime, sampled=index.sampled, pages=self._pages, is_pressed=throttle.is_pressed)
        self._index = index
        self._writer = writer
        self._claims = claims
        self._filing = filing
        self._throttle = throttle
        self._desk = desk
        self._turns = turns
        self._teller = teller
        self._retries = retries

    def open_known(
        self,
        source: str | os.PathLike[str] | bytes,
        request: IngestRequest,
        *,
        document_id: str | None,
        name: str | None = None,
    ) -> Source:
        """The bytes of a document that has just been found to be known; of a page, those that are stored: it may have changed.

        Args:
            source: as it was given.
            request: how it comes in.
            document_id: the document.
            name: the name of bytes.

        Raises:
            OctavoError: as `open`.
        """
        if document_id is not None and is_url(source):
            from .resuming import open_original  # which asks the ingestor to go on

            record = self._index.document(document_id)
            refs = [record.original_ref] if record.original_ref else []
            opened = open_original(refs, self._artifacts, raw_hash=record.raw_hash, shown=record.title)
            opened.place = place_ref(source)
            return opened
        return self.open(source, request, name=name)

    @cached_property
    def _web_pages(self) -> WebPages:
        from ..web.pages import WebPages  # an HTTP client, which most libraries never need

        return WebPages(self._runtime)

    def is_settled(self, known: KnownDocument, request: IngestRequest) -> bool:
        """Whether a known document's stored result answers a request: a conversion, or a failure not worth a new try."""
        if known.active_version is not None:
            return True
        if request.retry or request.options.password is not None or known.status is not _S.HARD_FAILED:
            return False
        failure = self._index.stored_failure(known.raw_hash)
        return failure is not None and failure.engine_set == self._claims.engine_set(request)

    def take(
        self, source: str | os.PathLike[str] | bytes, request: IngestRequest, *, name: str | None = None
    ) -> Processed:
        """Open a source and take it in. Never raises for the document itself.

        Raises:
            UsageError: an override or profile does not exist, or bytes came without a name.
            StorageError: the library can not be written.
        """
        try:
            opened = self.open(source, request, name=name)
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
            return self.process(opened, request)

    def open(
        self, source: str | os.PathLike[str] | bytes, request: IngestRequest, *, name: str | None = None
    ) -> Source:
        """Open a path, take bytes, or fetch a page; close it.

        Args:
            source: see above.
            request: how it comes in.
            name: the name of bytes.

        Raises:
            OctavoError: with a reason where the document can not be had.
            UsageError: bytes came without a name, or the settings of the web can not be used.
        """
        if is_url(source):
            return self._web_pages.open(source, request)
        return open_source(source, name=name)

    def process(self, source: Source, request: IngestRequest) -> Processed:
        """Take one opened document in; as `take`."""
        path_ref = source.place
        raw_hash = source.raw_file_hash
        try:
            with self._turns.alone(raw_hash, cancel=request.options.cancel):
                known = self._index.find_by_hash([raw_hash]).get(raw_hash)
                if known is not None and self.is_settled(known, request):
                    return self._reuse(known, request, path_ref)
                self._throttle.wait(cancel=request.options.cancel)
                job = self._claims.claim(raw_hash, Intent.INGEST, request, path_ref)
                if job is None:  # another process finished it while we waited
                    return self._reuse(self._index.find_by_hash([raw_hash])[raw_hash], request, path_ref)
                with self._claims.held(job):
                    task = Task(job=job, source=source, request=request, path_ref=path_ref, started=now_text())
                    return self.end(self.work(task))
        except Cancelled:
            return Processed(document_id=document_id_for(raw_hash), reused=False, result=cancelled(source))

    def reconvert(self, source: Source, request: IngestRequest, *, activate: bool) -> int:
        """Convert a known document again, as a new version.

        Returns:
            The new version's number.

        Raises:
            OctavoError: it could not be converted; the versions it has are untouched.
        """
        with self._turns.alone(source.raw_file_hash, cancel=request.options.cancel):
            self._throttle.wait(cancel=request.options.cancel)
            job = self._claims.claim(source.raw_file_hash, Intent.RECONVERT, request, None, activate=activate)
            if job is None:
                raise NotAttempted("another process has just reconverted it", source=source.display)
            task = Task(job=job, source=source, request=request, path_ref=None, started=now_text())
            with self._claims.held(job):
                try:
                    return self._convert_again(task, activate=activate)
                except Cancelled:
                    # Nobody asks for it any more: left open, it would go on by itself at the next opening.
                    self._writer.call(lambda index: index.finish_failure(job, reason=HardFailReason.NOT_ATTEMPTED))
                    raise

    def resume(
        self, job: Job, source: Source, request: IngestRequest, *, path_ref: str | None, activate: bool
    ) -> Woken:
        """Go on with a job that nobody has.

        Args:
            job: as it was last read.
            source: its document, opened.
            request: how it was asked for.
            path_ref: the path it came by, as a reference.
            activate: whether a reconversion's version is to become the active one.

        Raises:
            Cancelled: the caller stopped it; the job is open and waits as it did, and the try does not count.
            OctavoError: of a reconversion, what it has ended with. The job is open after one without a reason code, and
                where the library can not be written.
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
                ending = self.work(task)
                self.end(ending)
                return Woken.WAITS if ending.waits else Woken.ENDED

    def give_up(self, job: Job, error: OctavoError, request: IngestRequest) -> None:
        """End a job that can not go on, as the original of its known document is not to be had."""
        assert job.raw_hash is not None  # it is about a document
        document = DocumentFacts(raw_hash=job.raw_hash)
        result = unreadable(error, source=job.raw_hash, name=None)
        reason = result.failure_receipts[0].reason_code
        ended = self._writer.call(
            lambda index: index.finish_failure(job, reason=reason, result_json=result.to_json(), document=document)
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
                outcome="reused" if document.active_version is not None else "reused_failure",
            )
            for document, path_ref in known
        ]
        self._writer.call(lambda index: index.record_reuse(came))
        self._teller.reused([document.document_id for document, _ in known], request)

    def work(self, task: Task) -> Ending:
        """Convert a claimed document and store its files. What may pass is tried again here.

        Returns:
            How its job is to end.

        Raises:
            Cancelled: the caller stopped it.
            StorageError: the library can not be written; the job is let go of, and waits.
        """
        while True:
            self._throttle.wait(cancel=task.request.options.cancel)
            try:
                return self._attempt(task)
            except (ConversionFailed, OctavoError) as error:
                failed = error if isinstance(error, ConversionFailed) else ConversionFailed(error)
                if failed.error.reason is None:
                    raise
                said = verdict(
                    failed.error,
                    tries=task.job.attempts,
                    pressed=self._throttle.is_pressed(),
                    settings=self._retries,
                )
                if said is Verdict.AGAIN:
                    task = self._again(task, failed.error)
                elif isinstance(failed.error, StorageError):
                    self._put_aside(task, failed.error)
                    raise
                else:
                    return self._filing.failure(task, failed, waits=said is Verdict.WAIT)

    def end(self, ending: Ending) -> Processed:
        """Commit the end of a job and of those that its further versions need, and write the log."""
        self._end_one(ending)
        result = ending.result
        if ending.outcome is not None:
            result = self._store_later(ending.task, ending.outcome) or result
        return Processed(document_id=result.document_id, reused=False, result=result)

    # -- inside ---------------------------------------------------------------------------------------------

    def _convert_again(self, task: Task, *, activate: bool) -> int:
        """Convert a claimed document as a new version; the job has ended then, also where this raises an error of it.

        Raises:
            OctavoError: it could not be converted.
        """
        source = task.source
        try:
            outcome = run(self._runtime, source, self._admitted(task), pages=self._pages)
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
        return ending.version

    def _attempt(self, task: Task) -> Ending:
        started = time.monotonic()
        original = self._filing.original_ref(task.source)
        outcome = run(self._runtime, task.source, self._admitted(task), pages=self._pages)
        converted = time.monotonic()
        first = outcome.versions[0]
        plugin = first.candidate.plugin.name
        self._teller.step(task, self._desk.step_of(plugin), seconds=converted - started, tool=plugin)
        finding = self._sampled(task, outcome)
        stored = time.monotonic()
        try:
            ending = self._filing.success(task, outcome, first, original=original, activate=True, finding=finding)
        except BaseException:
            if finding is not None:
                self._sampler.give_back(finding.profile, document_id_for(task.raw_hash))
            raise
        self._teller.step(task, StepName.INDEX_WRITE, seconds=time.monotonic() - stored)
        return replace(ending, outcome=outcome) if len(outcome.versions) > 1 else ending

    def _sampled(self, task: Task, outcome: Outcome) -> Finding | None:
        """What came of a second conversion, where the document's turn for one has come (CNV-4)."""
        if task.job.intent is not Intent.INGEST:
            return None
        options = replace(self._admitted(task), admit=self._desk.visit)
        finding = self._sampler.sample(task.source, options, outcome, document_id=document_id_for(task.raw_hash))
        if finding is not None:
            self._teller.sampled(task, finding)
        return finding

    def _admitted(self, task: Task) -> ConvertOptions:
        return replace(task.request.options, admit=self._desk.admit, owners=partial(self._owners, task))

    def _owners(self, task: Task) -> tuple[CloudRequest, ...]:
        """The corpora that a document is in, and the one it is to join, as they are now: a request may be days old."""
        known = self._index.cloud_requests(document_id_for(task.raw_hash))
        joins = task.request.corpus_id
        return known if joins is None else (*known, self._index.get_corpus(joins).cloud_request)

    def _put_aside(self, task: Task, error: OctavoError) -> None:
        job = self._writer.call(lambda index: index.release(task.job, waiting_reason=error.reason))
        self._teller.waits(job, task.request, tool=None)

    def _again(self, task: Task, error: OctavoError) -> Task:
        """Log the failed try, wait, and begin the next."""
        attempt = task.job.attempts
        delay = self._retries.delay(attempt)
        reason = str(error.reason)
        failed = Step(state=_S.CONVERSION_FAILED, step="convert", outcome="again", error=f"{reason}: {error.message}")
        job = self._writer.call(lambda index: index.advance(task.job, failed))
        self._teller.retry_planned(job, task.request, error, of=self._retries.tries, delay=delay)
        ends = time.monotonic() + delay
        while time.monotonic() < ends:
            raise_if(task.request.options.cancel)
            time.sleep(WAIT_SECONDS)
        return replace(task, job=self._writer.call(lambda index: index.advance(job, _S.CONVERSION_PENDING)))

    def _reuse(self, known: KnownDocument, request: IngestRequest, path_ref: str | None) -> Processed:
        self.record_reuse([(known, path_ref)], request)
        return reused(known, request)

    def _record_unreadable(self, result: IngestionResult, request: IngestRequest, path_ref: str | None) -> None:
        """Store the failure of a source whose bytes could not be read: a job that starts and ends at once."""
        reason = result.failure_receipts[0].reason_code
        owner, sighting = self._artifacts.owner, request.sighting(path_ref)

        def write(index: Index) -> Job:
            started = index.start_job(NewJob(raw_hash=None, run_id=request.run_id), owner=owner)
            return index.finish_failure(started.job, reason=reason, result_json=result.to_json(), sighting=sighting)

        self._teller.ended(self._writer.call(write), request, reason=reason, tool=None, seconds=0.0)

    def _store_later(self, task: Task, outcome: Outcome) -> IngestionResult | None:
        """Store the versions after the first, each by a job of its own; the result of the one that takes over."""
        best = None
        original = self._filing.original_ref(task.source)
        for version in outcome.versions[1:]:
            takes_over = outcome.versions[outcome.active] is version
            # As this plugin's, so that one that is cut short goes on as the version it was to be.
            chosen = ((version.candidate.plugin.name, version.candidate.because),)
            request = replace(task.request, options=replace(task.request.options, overrides=chosen))
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
