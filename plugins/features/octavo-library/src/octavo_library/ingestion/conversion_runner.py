"""A claimed document converted and filed; what may pass is tried again (ENG-7)."""

from __future__ import annotations

import time
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING

from octavo.conversion.conversion_services import ConversionServices
from octavo.conversion.ocr import PagesStore
from octavo.conversion.options import ConvertOptions
from octavo.conversion.outcome import ConversionFailed, ConversionOutcome
from octavo.conversion.pipeline import run
from octavo.settings.step_names import StepName
from octavo_contracts import IngestionState, Intent, OctavoError, StorageError
from octavo_sandbox.errors import raise_if
from octavo_sandbox.keyed_lock import WAIT_SECONDS

from ..storage import Step, document_id_for
from .circuit_breaker import ToolBreaker
from .claimed_job import ClaimedJob
from .cloud_owners import recorded
from .engine_context import EngineContext
from .events import RetryPlanned, Sampled, StepFinished
from .job_completion import JobCompleter, PendingCompletion
from .retry_policy import RetryDecision, verdict
from .sampling.sampler import Finding, Sampler
from .version_writer import VersionWriter

if TYPE_CHECKING:
    from octavo.egress import CloudRequest

_S = IngestionState

DOCUMENT = "the user, for this document,"
"""Who set the plugin of a document, as a version's reason names it."""


class ConversionRunner:
    """Converts documents whose jobs are claimed. Thread-safe.

    Args:
        context: what the engine's parts share.
        pages: where recognised pages are kept.
        versions: stores versions.
        breaker: lets calls to tools through.
        completer: lets go of jobs that wait.
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
        self._writer = context.writer
        self._throttle = context.throttle
        self._events = context.events
        self._pages = pages
        self.versions = versions
        self._breaker = breaker
        self._completer = completer
        self._retries = context.runtime.settings.engine.retries
        self._sampler = Sampler(
            context.runtime, sampled=context.index.comparisons.sampled, is_memory_low=context.throttle.is_memory_low
        )

    def work(self, task: ClaimedJob) -> PendingCompletion:
        """Convert a claimed document and store its files. What may pass is tried again here.

        Returns:
            How its job is to end.

        Raises:
            Cancelled: the caller stopped it.
            StorageError: the library cannot be written; the job is let go of, and waits.
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
                    pressed=self._throttle.is_memory_low(),
                    settings=self._retries,
                )
                if said is RetryDecision.AGAIN:
                    task = self._again(task, failed.error)
                elif isinstance(failed.error, StorageError):
                    self._completer.put_aside(task.job, task.request, failed.error)
                    raise
                else:
                    return self.versions.failure(task, failed, waits=said is RetryDecision.WAIT)

    def once(self, task: ClaimedJob) -> ConversionOutcome:
        """Convert a claimed document; whatever happens is the caller's to file.

        Raises:
            ConversionFailed: it cannot be converted.
            OctavoError: as `octavo.conversion.pipeline.run`.
        """
        return run(self._runtime, task.source, self._options(task), self._services(task))

    # -- inside ---------------------------------------------------------------------------------------------

    def _attempt(self, task: ClaimedJob) -> PendingCompletion:
        started = time.monotonic()
        original = self.versions.original_ref(task.source)
        outcome = self.once(task)
        converted = time.monotonic()
        first = outcome.versions[0]
        plugin = first.candidate.plugin.name
        self._tell_step(task, self._breaker.step_of(plugin), seconds=converted - started, tool=plugin)
        finding = self._sampled(task, outcome)
        stored = time.monotonic()
        try:
            with self._breaker.slot(StepName.INDEX_WRITE, cancel=task.request.options.cancel):
                ending = self.versions.success(task, outcome, first, original=original, activate=None, finding=finding)
        except BaseException:
            if finding is not None:
                self._sampler.give_back(finding.profile, document_id_for(task.raw_hash))
            raise
        self._tell_step(task, StepName.INDEX_WRITE, seconds=time.monotonic() - stored)
        return replace(ending, later=outcome) if len(outcome.versions) > 1 else ending

    def _sampled(self, task: ClaimedJob, outcome: ConversionOutcome) -> Finding | None:
        """What came of a second conversion, where the document's turn for one has come (CNV-4)."""
        if task.job.intent is not Intent.INGEST:
            return None
        services = replace(self._services(task), admission=self._breaker.visit)
        finding = self._sampler.sample(outcome, services, document_id=document_id_for(task.raw_hash))
        if finding is not None:
            self._events.emit(
                Sampled(
                    run_id=task.request.run_id,
                    job_id=task.job.job_id,
                    routing_type=finding.routing_type,
                    tool=finding.first.name,
                    second=finding.second.name,
                    seconds=finding.seconds,
                    diverges=finding.diverges,
                    compared=finding.measured is not None,
                )
            )
        return finding

    def _options(self, task: ClaimedJob) -> ConvertOptions:
        return replace(task.request.options, standing=self._standing(task))

    def _services(self, task: ClaimedJob) -> ConversionServices:
        request = task.request
        owners = recorded(
            partial(self._owners, task),
            self._events,
            surface=request.surface,
            document_id=document_id_for(task.raw_hash),
            run_id=request.run_id,
        )
        return ConversionServices(
            admission=self._breaker.admit,
            recognition=partial(self._breaker.slot, StepName.OCR),
            owners=owners,
            types=partial(self._index.document_types.by_hand, policy=request.policy),
            pages=self._pages,
            earlier=request.earlier,
        )

    def _standing(self, task: ClaimedJob) -> tuple[tuple[str, str], ...]:
        """What a user set for the document as it is now, then what was set for its corpus."""
        options = task.request.options
        own = self._index.corpora.get_override(document_id=document_id_for(task.raw_hash))
        wishes = (*(((own, DOCUMENT),) if own is not None else ()), *options.standing)
        before = options.engine_before
        return wishes if before is None else tuple(one for one in wishes if one[0] == before)

    def _owners(self, task: ClaimedJob) -> tuple[CloudRequest, ...]:
        """The corpora that a document is in, and the one it is to join, as they are now: a request may be days old."""
        known = self._index.corpora.cloud_requests(document_id_for(task.raw_hash))
        joins = task.request.corpus_id
        return known if joins is None else (*known, self._index.corpora.get(joins).cloud_request)

    def _tell_step(self, task: ClaimedJob, step: StepName, *, seconds: float, tool: str | None = None) -> None:
        if self._events.listened:
            self._events.emit(
                StepFinished(
                    run_id=task.request.run_id,
                    job_id=task.job.job_id,
                    step=step,
                    waited=0.0,
                    seconds=seconds,
                    outcome="ok",
                    tool=tool,
                )
            )

    def _again(self, task: ClaimedJob, error: OctavoError) -> ClaimedJob:
        """Log the failed try, wait, and begin the next."""
        attempt = task.job.attempts
        delay = self._retries.delay(attempt)
        reason = str(error.reason)
        failed = Step(state=_S.CONVERSION_FAILED, step="convert", outcome="again", error=f"{reason}: {error.message}")
        job = self._writer.call(lambda index: index.jobs.advance(task.job, failed))
        self._events.emit(
            RetryPlanned(
                run_id=task.request.run_id,
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
            raise_if(task.request.options.cancel)
            time.sleep(WAIT_SECONDS)
        return replace(task, job=self._writer.call(lambda index: index.jobs.advance(job, _S.CONVERSION_PENDING)))
