"""A claimed document converted and filed; what may pass is tried again (ENG-7)."""

from __future__ import annotations

import time
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING

from octavo_contracts import IngestionState, Intent, OctavoError, StorageError

from ..conversion.conversion_services import ConversionServices
from ..conversion.ocr import PagesStore
from ..conversion.options import ConvertOptions
from ..conversion.outcome import ConversionFailed, Outcome
from ..conversion.pipeline import run
from ..runtime import Runtime
from ..sandbox.errors import raise_if
from ..sandbox.keyed_lock import WAIT_SECONDS
from ..settings.engine import RetrySettings
from ..settings.step_names import StepName
from ..storage import Index, Step, document_id_for
from .circuit_breaker import ToolDesk
from .claimed_job import Task
from .commit_queue import Writer
from .job_events import Teller
from .retry_policy import Verdict, verdict
from .sampling.sampler import Finding, Sampler
from .throttle import Throttle
from .version_writer import Ending, Filing

if TYPE_CHECKING:
    from ..egress import CloudRequest

_S = IngestionState

DOCUMENT = "the user, for this document,"
"""Who set the plugin of a document, as a version's reason names it."""


class Trying:
    """Converts documents whose jobs are claimed. Thread-safe.

    Args:
        runtime: plugins and workers.
        index: the library's index, for reading.
        writer: makes every write to it.
        pages: where recognised pages are kept.
        filing: stores versions.
        throttle: says when to wait.
        desk: lets calls to tools through.
        teller: tells.
        retries: how often what may pass is tried again.
    """

    def __init__(
        self,
        runtime: Runtime,
        index: Index,
        writer: Writer,
        *,
        pages: PagesStore,
        filing: Filing,
        throttle: Throttle,
        desk: ToolDesk,
        teller: Teller,
        retries: RetrySettings,
    ) -> None:
        self._runtime = runtime
        self._index = index
        self._writer = writer
        self._pages = pages
        self._filing = filing
        self._throttle = throttle
        self._desk = desk
        self._teller = teller
        self._retries = retries
        self._sampler = Sampler(runtime, sampled=index.comparisons.sampled, is_pressed=throttle.is_pressed)

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

    def once(self, task: Task) -> Outcome:
        """Convert a claimed document; whatever happens is the caller's to file.

        Raises:
            ConversionFailed: it can not be converted.
            OctavoError: as `octavo.conversion.pipeline.run`.
        """
        return run(self._runtime, task.source, self._options(task), self._services(task))

    # -- inside ---------------------------------------------------------------------------------------------

    def _attempt(self, task: Task) -> Ending:
        started = time.monotonic()
        original = self._filing.original_ref(task.source)
        outcome = self.once(task)
        converted = time.monotonic()
        first = outcome.versions[0]
        plugin = first.candidate.plugin.name
        self._teller.step(task, self._desk.step_of(plugin), seconds=converted - started, tool=plugin)
        finding = self._sampled(task, outcome)
        stored = time.monotonic()
        try:
            with self._desk.place(StepName.INDEX_WRITE, cancel=task.request.options.cancel):
                ending = self._filing.success(task, outcome, first, original=original, activate=None, finding=finding)
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
        services = replace(self._services(task), admission=self._desk.visit)
        finding = self._sampler.sample(outcome, services, document_id=document_id_for(task.raw_hash))
        if finding is not None:
            self._teller.sampled(task, finding)
        return finding

    def _options(self, task: Task) -> ConvertOptions:
        return replace(task.request.options, standing=self._standing(task))

    def _services(self, task: Task) -> ConversionServices:
        return ConversionServices(
            admission=self._desk.admit,
            recognition=partial(self._desk.place, StepName.OCR),
            owners=self._teller.recorded(partial(self._owners, task), task),
            types=partial(self._index.document_types.by_hand, policy=task.request.policy),
            pages=self._pages,
            earlier=task.request.earlier,
        )

    def _standing(self, task: Task) -> tuple[tuple[str, str], ...]:
        """What a user set for the document as it is now, then what was set for its corpus."""
        options = task.request.options
        own = self._index.corpora.get_override(document_id=document_id_for(task.raw_hash))
        wishes = (*(((own, DOCUMENT),) if own is not None else ()), *options.standing)
        before = options.engine_before
        return wishes if before is None else tuple(one for one in wishes if one[0] == before)

    def _owners(self, task: Task) -> tuple[CloudRequest, ...]:
        """The corpora that a document is in, and the one it is to join, as they are now: a request may be days old."""
        known = self._index.corpora.cloud_requests(document_id_for(task.raw_hash))
        joins = task.request.corpus_id
        return known if joins is None else (*known, self._index.corpora.get(joins).cloud_request)

    def _put_aside(self, task: Task, error: OctavoError) -> None:
        job = self._writer.call(lambda index: index.jobs.release(task.job, waiting_reason=error.reason))
        self._teller.waits(job, task.request, tool=None)

    def _again(self, task: Task, error: OctavoError) -> Task:
        """Log the failed try, wait, and begin the next."""
        attempt = task.job.attempts
        delay = self._retries.delay(attempt)
        reason = str(error.reason)
        failed = Step(state=_S.CONVERSION_FAILED, step="convert", outcome="again", error=f"{reason}: {error.message}")
        job = self._writer.call(lambda index: index.jobs.advance(task.job, failed))
        self._teller.retry_planned(job, task.request, error, of=self._retries.tries, delay=delay)
        ends = time.monotonic() + delay
        while time.monotonic() < ends:
            raise_if(task.request.options.cancel)
            time.sleep(WAIT_SECONDS)
        return replace(task, job=self._writer.call(lambda index: index.jobs.advance(job, _S.CONVERSION_PENDING)))
