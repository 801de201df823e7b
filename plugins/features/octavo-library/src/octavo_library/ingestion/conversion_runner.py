"""Converts and stores claimed documents; retries transient failures (ENG-7)."""

from __future__ import annotations

import time
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING

from octavo.conversion.conversion_services import ConversionServices
from octavo.conversion.ocr import PagesStore
from octavo.conversion.options import ConvertOptions
from octavo.conversion.pipeline import run
from octavo.conversion.states import ConversionFailed, ConversionOutcome
from octavo.settings.step_names import StepName
from octavo_contracts import IngestionState, Intent, OctavoError
from octavo_sandbox.errors import raise_if
from octavo_sandbox.keyed_lock import WAIT_SECONDS

from ..storage import CorpusRecord, Step, document_id_for
from .circuit_breaker import ToolBreaker
from .claimed_job import ClaimedJob
from .cloud_owners import recorded
from .completions import PendingCompletion
from .corpus_limits import limits_of
from .engine_context import EngineContext
from .events import RetryPlanned, StepFinished
from .job_completion import JobCompleter
from .retry_policy import RetryDecision, is_of_library, verdict
from .sampling.sampler import Finding, Sampler
from .stored_inspections import LibraryInspections
from .version_writer import VersionWriter

if TYPE_CHECKING:
    from octavo_sandbox.egress import CloudRequest

_S = IngestionState

DOCUMENT = "the user, for this document,"
"""Who chose the plugin of a document, in the words of a version's routing reason."""


class ConversionRunner:
    """Converts documents whose jobs are claimed. Thread-safe.

    Args:
        context: the shared components of the engine.
        pages: the store of recognised pages.
        versions: stores versions.
        breaker: admits calls to tools.
        completer: releases jobs that wait.
    """

    def __init__(
        self,
        context: EngineContext,
        *,
        pages: PagesStore,
        versions: VersionWriter,
        breaker: ToolBreaker,
        completer: JobCompleter,
    ) -> None:
        self._runtime = context.runtime
        self._index = context.index
        self._commits = context.commits
        self._throttle = context.throttle
        self._events = context.events
        self._pages = pages
        self.versions = versions
        self._breaker = breaker
        self._completer = completer
        self._retries = context.runtime.settings.engine.retries
        self._sampler = Sampler(context.runtime, sampled=context.index.comparisons.sampled)

    def work(self, claimed: ClaimedJob) -> PendingCompletion:
        """Convert a claimed document and store its files; retry transient failures.

        Returns:
            The completion of its job, to be committed.

        Raises:
            Cancelled: the caller cancelled.
            StorageError: the library cannot be written; the job is released and waits.
        """
        while True:
            self._throttle.wait(cancel=claimed.request.options.cancel)
            try:
                return self._attempt(claimed)
            except (ConversionFailed, OctavoError) as error:
                failed = error if isinstance(error, ConversionFailed) else ConversionFailed(error)
                if failed.error.reason is None:
                    raise
                decision = verdict(
                    failed.error,
                    tries=claimed.job.attempts,
                    pressed=self._throttle.is_memory_low(),
                    settings=self._retries,
                )
                if decision is RetryDecision.AGAIN:
                    claimed = self._retry(claimed, failed.error)
                elif is_of_library(failed.error):
                    self._completer.put_aside(claimed.job, claimed.request, failed.error)
                    raise
                else:
                    return self.versions.failure(claimed, failed, waits=decision is RetryDecision.WAIT)

    def once(self, claimed: ClaimedJob) -> ConversionOutcome:
        """Convert a claimed document once; the caller stores the outcome or the failure.

        Raises:
            ConversionFailed: it cannot be converted.
            OctavoError: as `octavo.conversion.pipeline.run`.
        """
        return run(self._runtime, claimed.source, self._options(claimed), self._services(claimed))

    # -- inside ---------------------------------------------------------------------------------------------

    def _attempt(self, claimed: ClaimedJob) -> PendingCompletion:
        started = time.monotonic()
        original = self.versions.original_ref(claimed.source)
        outcome = self.once(claimed)
        converted = time.monotonic()
        first = outcome.versions[0]
        plugin = first.candidate.plugin.name
        self._emit_step(claimed, self._breaker.step_of(plugin), seconds=converted - started, tool=plugin)
        finding = self._selected(claimed, outcome)
        stored = time.monotonic()
        try:
            with self._breaker.slot(StepName.INDEX_WRITE, cancel=claimed.request.options.cancel):
                pending = self.versions.success(
                    claimed, outcome, first, original=original, activate=None, finding=finding
                )
        except BaseException:
            if finding is not None:
                self._sampler.give_back(finding.profile, document_id_for(claimed.source.raw_file_hash))
            raise
        self._emit_step(claimed, StepName.INDEX_WRITE, seconds=time.monotonic() - stored)
        return replace(pending, later=outcome) if len(outcome.versions) > 1 else pending

    def _selected(self, claimed: ClaimedJob, outcome: ConversionOutcome) -> Finding | None:
        """Select the document for a second conversion if it is due for sampling (CNV-4)."""
        if claimed.job.intent is not Intent.INGEST:
            return None
        return self._sampler.select(outcome, document_id=document_id_for(claimed.source.raw_file_hash))

    def _options(self, claimed: ClaimedJob) -> ConvertOptions:
        corpora = self._corpora(claimed)
        return replace(
            claimed.request.options, standing=self._standing(claimed), limits=limits_of(corpora) if corpora else {}
        )

    def _services(self, claimed: ClaimedJob) -> ConversionServices:
        request = claimed.request
        owners = recorded(
            partial(self._owners, claimed),
            self._events,
            surface=request.surface,
            document_id=document_id_for(claimed.source.raw_file_hash),
            run_id=request.run_id,
        )
        return ConversionServices(
            admission=self._breaker.admit,
            recognition=partial(self._breaker.slot, StepName.OCR),
            models=partial(self._breaker.slot, StepName.MODEL),
            owners=owners,
            types=partial(self._index.document_types.by_hand, policy=request.policy),
            marks=partial(self._index.page_marks.pages_to_recognise, policy=request.policy),
            inspections=LibraryInspections(self._index, claimed.inspection),
            pages=self._pages,
            earlier=request.earlier,
        )

    def _standing(self, claimed: ClaimedJob) -> tuple[tuple[str, str], ...]:
        """The plugin that a user set for the document, read now, then the one that was set for its corpus."""
        if claimed.request.is_by_rules:
            return ()
        options = claimed.request.options
        own = self._index.corpora.get_override(document_id=document_id_for(claimed.source.raw_file_hash))
        wishes = (*(((own, DOCUMENT),) if own is not None else ()), *options.standing)
        before = options.engine_before
        return wishes if before is None else tuple(one for one in wishes if one[0] == before)

    def _owners(self, claimed: ClaimedJob) -> tuple[CloudRequest, ...]:
        """The corpora that contain a document, and the one it joins, read now: a request may be days old."""
        return tuple(corpus.cloud_request for corpus in self._corpora(claimed))

    def _corpora(self, claimed: ClaimedJob) -> tuple[CorpusRecord, ...]:
        """The corpora of a document, and the one that it joins, as they are now."""
        known = self._index.corpora.of_document(document_id_for(claimed.source.raw_file_hash))
        joins = claimed.request.corpus_id
        return known if joins is None else (*known, self._index.corpora.get(joins))

    def _emit_step(self, claimed: ClaimedJob, step: StepName, *, seconds: float, tool: str | None = None) -> None:
        if self._events.listened:
            self._events.emit(
                StepFinished(
                    run_id=claimed.request.run_id,
                    job_id=claimed.job.job_id,
                    step=step,
                    waited=0.0,
                    seconds=seconds,
                    outcome="ok",
                    tool=tool,
                )
            )

    def _retry(self, claimed: ClaimedJob, error: OctavoError) -> ClaimedJob:
        """Log the failed attempt, wait for the delay, and begin the next attempt."""
        attempt = claimed.job.attempts
        delay = self._retries.delay(attempt)
        reason = str(error.reason)
        failed = Step(state=_S.CONVERSION_FAILED, step="convert", outcome="again", error=f"{reason}: {error.message}")
        job = self._commits.call(lambda index: index.jobs.advance(claimed.job, failed))
        self._events.emit(
            RetryPlanned(
                run_id=claimed.request.run_id,
                job_id=job.job_id,
                reason=reason,
                attempt=job.attempts,
                of=self._retries.tries,
                delay=delay,
                tool=error.plugin,
            )
        )
        ends = time.monotonic() + delay
        while time.monotonic() < ends:
            raise_if(claimed.request.options.cancel)
            time.sleep(WAIT_SECONDS)
        return replace(claimed, job=self._commits.call(lambda index: index.jobs.advance(job, _S.CONVERSION_PENDING)))
