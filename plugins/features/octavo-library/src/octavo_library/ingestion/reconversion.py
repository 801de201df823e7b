"""Converts known documents again, each as a new version with a separate job (STO-6, STO-13)."""

from __future__ import annotations

import os
import threading
from dataclasses import dataclass, replace

from octavo.conversion.states import ConversionFailed, ConversionOutcome
from octavo.documents.source import Source
from octavo_contracts import HardFailReason, IngestionResult, Intent, NotAttempted, OctavoError
from octavo_sandbox import Cancelled

from ..storage import CompletedJob, JobFailure
from .activation import HeldBack
from .claimed_job import ClaimedJob
from .completions import now_text
from .conversion_runner import ConversionRunner
from .engine_context import EngineContext
from .job_claims import JobClaims
from .job_completion import JobCompleter
from .predecessor import with_predecessor
from .requests import IngestRequest, ProcessedDocument, SourceResult
from .retry_policy import is_of_library
from .settled import failed, not_attempted
from .shared_fields import shareable_reason
from .source_opener import SourceOpener
from .version_writer import VersionWriter


@dataclass(frozen=True, kw_only=True)
class Reconverted:
    """The new version of a known document.

    Attributes:
        version: its number.
        is_active: whether it became the active one.
        held_back: why the activation guard held it back, or None.
    """

    version: int
    is_active: bool
    held_back: HeldBack | None = None


class Reconverter:
    """Converts known documents again. Thread-safe.

    Args:
        context: the shared components of the engine.
        incoming: opens sources.
        claims: starts jobs.
        runner: converts documents.
        versions: stores versions.
        completer: commits completions of jobs.
    """

    def __init__(
        self,
        context: EngineContext,
        *,
        incoming: SourceOpener,
        claims: JobClaims,
        runner: ConversionRunner,
        versions: VersionWriter,
        completer: JobCompleter,
    ) -> None:
        self._context = context
        self._incoming = incoming
        self._claims = claims
        self._runner = runner
        self._versions = versions
        self._completer = completer

    def reconvert(self, source: Source, request: IngestRequest, *, activate: bool | None) -> Reconverted:
        """Convert a known document again, as a new version.

        Args:
            source: the opened document.
            request: the request.
            activate: whether the version becomes the active one; None: unless it loses pages or text.

        Raises:
            OctavoError: the conversion failed; existing versions are untouched.
        """
        self._context.index.check_writable()
        with self._context.document_locks.holding(source.raw_file_hash, cancel=request.options.cancel):
            return self.reconvert_held(source, request, activate=activate)

    def reconvert_known(
        self,
        given: str | os.PathLike[str] | bytes,
        request: IngestRequest,
        known: ProcessedDocument,
        *,
        name: str | None = None,
        activate: bool | None,
    ) -> ProcessedDocument:
        """Convert a source again that turned out to be known.

        Args:
            given: the source as the caller gave it.
            request: the request.
            known: the result of its ingestion.
            name: the name of bytes.
            activate: as for `reconvert`.

        Raises:
            OctavoError: as `reconvert`.
        """
        with self._incoming.open_known(given, request, document_id=known.document_id, name=name) as source:
            made = self.reconvert(source, request, activate=activate)
        return ProcessedDocument(
            document_id=known.document_id,
            reused=False,
            request=request,
            has_attachments=True,
            held_back=made.held_back,
            was_told=known.was_told,
        )

    def reconvert_held(self, source: Source, request: IngestRequest, *, activate: bool | None) -> Reconverted:
        """As `reconvert`, for a caller that holds the document's lock."""
        self._context.throttle.wait(cancel=request.options.cancel, patience=request.patience)
        job = self._claims.claim(source.raw_file_hash, Intent.RECONVERT, request, None, activate=activate)
        if job is None:
            raise NotAttempted("another process has just reconverted the document", source=source.display)
        claimed = ClaimedJob(job=job, source=source, request=request, path_ref=None, started=now_text())
        with self._claims.held(job):
            try:
                return self.convert(claimed, activate=activate)
            except Cancelled:
                # The caller cancelled. An open job would be resumed when the library is next opened.
                failure = JobFailure(reason=HardFailReason.NOT_ATTEMPTED)
                self._context.commits.call(lambda index: index.jobs.complete([CompletedJob(job=job, failure=failure)]))
                raise

    def convert(self, claimed: ClaimedJob, *, activate: bool | None) -> Reconverted:
        """Convert a claimed document as a new version and end its job, also if the conversion fails.

        Raises:
            OctavoError: the conversion failed.
        """
        source, index = claimed.source, self._context.index
        known = index.documents.find_by_hash([claimed.source.raw_file_hash]).get(claimed.source.raw_file_hash)
        options, earlier = with_predecessor(claimed.request.options, known, self._context.artifacts)
        claimed = replace(claimed, request=replace(claimed.request, options=options, earlier=earlier))
        try:
            outcome = self._runner.once(claimed)
        except (ConversionFailed, OctavoError) as error:
            failure = error if isinstance(error, ConversionFailed) else ConversionFailed(error)
            if failure.error.reason is None:
                raise
            self._completer.complete(self._versions.failure(claimed, failure, waits=False))
            raise failure.error.located(source=source.display) from error
        version = outcome.versions[outcome.active]
        original = self._versions.original_ref(source)
        pending = self._versions.success(claimed, outcome, version, original=original, activate=activate)
        pending = self._completer.complete(pending)
        if pending.refused is not None:
            raise pending.refused
        assert pending.completed is not None  # a success ends the job
        assert pending.completed.conversion is not None  # with a version
        return Reconverted(
            version=pending.completed.conversion.version,
            is_active=pending.completed.conversion.activate,
            held_back=pending.held_back,
        )

    def mend(self, source: Source, request: IngestRequest) -> ProcessedDocument | None:
        """Convert a document again whose active version is damaged; the caller holds its lock.

        Returns:
            None on success; else the failure.
        """
        try:
            self.reconvert_held(source, request, activate=True)
        except OctavoError as error:
            if is_of_library(error):
                raise
            return failed(error, source)
        return None

    def store_later(self, claimed: ClaimedJob, outcome: ConversionOutcome) -> IngestionResult | None:
        """Store the versions after the first, each with its own job; return the result of the activated one."""
        best = None
        original = self._versions.original_ref(claimed.source)
        for version in outcome.versions[1:]:
            takes_over = outcome.versions[outcome.active] is version
            # Request this plugin by name, so that an interrupted job resumes with the same plugin.
            chosen = version.candidate
            reason = shareable_reason(chosen.because, claimed.request)
            options = replace(claimed.request.options, plugin=chosen.plugin.name, asked_by=reason)
            request = replace(claimed.request, options=options)
            job = self._claims.claim(
                claimed.source.raw_file_hash, Intent.RECONVERT, request, claimed.path_ref, activate=takes_over
            )
            if job is None:
                continue
            again = replace(claimed, job=job, path_ref=None, above=None)
            with self._claims.held(job):
                later = self._versions.success(again, outcome, version, original=original, activate=takes_over)
                later = self._completer.complete(later)
            best = later.result if takes_over and later.refused is None else best
        return best


class RunReconversion:
    """Converts the known documents of a run again: each document once, however many paths it has.

    Args:
        reconverter: converts documents again.
        request: the request.
        stop: set it to end the run.
        activate: whether the new versions become active; None: unless they lose pages or text.
    """

    def __init__(
        self, reconverter: Reconverter, request: IngestRequest, *, stop: threading.Event, activate: bool | None = None
    ) -> None:
        self._reconverter = reconverter
        self._request = request
        self._stop = stop
        self._activate = activate
        self._seen: set[str] = set()

    def is_due(self, processed: ProcessedDocument) -> bool:
        """Whether a document was known and has not yet occurred in this run."""
        if processed.document_id is None or processed.document_id in self._seen:
            return False
        self._seen.add(processed.document_id)
        return processed.is_shared

    def convert(self, answer: SourceResult) -> SourceResult:
        """Convert a known document again; a failure leaves the existing versions untouched.

        Raises:
            UsageError: an override or profile does not exist.
            StorageError: the library cannot be written.
        """
        given, known = answer
        if self._stop.is_set():
            return given, not_attempted(given)
        try:
            return given, self._reconverter.reconvert_known(given, self._request, known, activate=self._activate)
        except Cancelled:
            return given, not_attempted(given)
        except OctavoError as error:
            if is_of_library(error):
                raise
            return given, failed(error, given, document_id=known.document_id)
