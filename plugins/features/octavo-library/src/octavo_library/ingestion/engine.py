"""Assembles the ingestion engine of one open library."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path

from octavo.conversion.routing import RoutingOverride
from octavo.runtime import Runtime
from octavo_contracts import REASONS, HardFailReason, IllegalTransition, IngestionState, Intent, Retry, UsageError
from octavo_sandbox.keyed_lock import KeyedLock
from octavo_sandbox.pool import usable_cores

from ..storage import ArtifactStore, Index, Job, KnownDocument, Recovered, is_let_go
from ..storage.recognised_pages import LibraryPages
from .attached_documents import AttachmentStore
from .circuit_breaker import ToolBreaker
from .commit_queue import GROUP_LIMIT, CommitQueue
from .conversion_runner import ConversionRunner
from .damaged_versions import is_there
from .engine_context import EngineContext
from .events import EventHub, JobRecovered, Paused, Resumed
from .follow_ups import FollowUp, FollowUps
from .ingestor import Ingestor, IngestSteps
from .job_claims import JobClaims
from .job_completion import JobCompleter
from .job_resumer import JobResumer
from .leases import Heartbeat
from .locked_documents import LockedDocuments
from .machine_probe import MachineProbe, Probe
from .pause_recorder import PauseRecorder
from .plugin_fingerprint import PluginFingerprint
from .pools import StepPools
from .queued_jobs import TakenJobs, was_queued
from .reconversion import Reconverter
from .requests import IngestRequest
from .retry_scheduler import RetryScheduler
from .run_stats import Bottleneck
from .sampling.verdicts import preferences
from .source_opener import SourceOpener
from .startup_recovery import Recovery
from .throttle import Throttle
from .version_writer import VersionWriter


class Engine:
    """The ingestion engine of one open library. Thread-safe; ends with `close`.

    Args:
        runtime: plugins, workers and settings.
        artifacts: the library's files.
        index: the library's index.
        events: publishes its events; by default a hub of its own.
        probe: reads the machine's sensors; by default those of this machine.
        safe_to_purge: describes what a user could free immediately if the disk is full (ENG-12).
        follow_ups: factories of the follow-ups, in the order in which they run.

    Attributes:
        visit: admits a call to a tool that must not affect the tool's health.
        follow_ups: run by the caller that ingests a document; run here for a document whose job was resumed.
        last_bottleneck: bottleneck of the last completed run, or None.
    """

    def __init__(
        self,
        runtime: Runtime,
        artifacts: ArtifactStore,
        index: Index,
        *,
        events: EventHub | None = None,
        probe: Probe | None = None,
        safe_to_purge: Callable[[], str] = lambda: "",
        follow_ups: Sequence[Callable[[Engine], FollowUp]] = (),
    ) -> None:
        settings = self.settings = runtime.settings.engine
        self.index = index
        self.events = events or EventHub()
        self.document_locks = KeyedLock()
        self.commits = CommitQueue(index, events=self.events)
        self.pools = StepPools(
            settings.pools, settings.leases, cores=runtime.settings.workers or usable_cores(), events=self.events
        )
        self.throttle = Throttle(
            settings.care,
            probe or MachineProbe(Path(artifacts.root)),
            self.pools,
            events=self.events,
            safe_to_purge=safe_to_purge,
        )
        self.context = context = EngineContext(
            runtime=runtime,
            artifacts=artifacts,
            index=index,
            commits=self.commits,
            events=self.events,
            throttle=self.throttle,
            document_locks=self.document_locks,
        )
        self._breaker = ToolBreaker(
            self.pools,
            heavy=settings.heavy_plugins,
            examine=lambda plugin: runtime.dispatcher.check(plugin),
            events=self.events,
        )
        self.visit = self._breaker.visit
        self._pauses = PauseRecorder(self.commits, owner=artifacts.owner)
        self.events.subscribe(self._pauses, to=(Paused, Resumed))
        self.heartbeat = Heartbeat(index, owner=artifacts.owner)
        locked = LockedDocuments(runtime, artifacts)
        self.engines = PluginFingerprint(runtime, index, artifacts=artifacts, locked=locked)
        self.follow_ups = FollowUps(artifacts.owner)
        self.completer = JobCompleter(context, self.follow_ups, on_wait=self._on_wait)
        self.recovery = Recovery(context, self.completer)
        self.claims = JobClaims(context, self.engines, self.recovery, on_claim=self.heartbeat.start)
        self.incoming = SourceOpener(runtime, artifacts, index, self.events)
        versions = self.originals = VersionWriter(context, AttachmentStore(context))
        runner = ConversionRunner(
            context, pages=LibraryPages(artifacts), versions=versions, breaker=self._breaker, completer=self.completer
        )
        self.reconverter = Reconverter(
            context,
            incoming=self.incoming,
            claims=self.claims,
            runner=runner,
            versions=versions,
            completer=self.completer,
        )
        steps = IngestSteps(
            incoming=self.incoming,
            claims=self.claims,
            locked=locked,
            runner=runner,
            completer=self.completer,
            reconverter=self.reconverter,
            follow_ups=self.follow_ups,
        )
        self.ingestor = Ingestor(context, steps)
        for make in follow_ups:
            self.follow_ups.register(make(self))
        self.taken_jobs = TakenJobs(context, prefer=self._prefer)
        self.resumer = JobResumer(context, self.ingestor, self.follow_ups, prefer=self._prefer)
        self.retries = RetryScheduler(self.resumer, lacks=self._lacks, settings=settings.wake)
        self.last_bottleneck: Bottleneck | None = None

    def resume(self, found: Recovered) -> None:
        """Complete the jobs whose versions dead owners had stored, and schedule or release the others (ENG-6).

        The background scheduler restarts interrupted reconversions and resumes jobs of follow-ups and jobs whose tool
        is available again. Any other interrupted ingestion can be claimed when its bytes are given again: a user who
        killed a run of thousands may not want the few that were in work.

        Args:
            found: what dead owners left, as `octavo_library.storage.recover` found it.
        """
        for job in found.jobs:
            try:
                finished = self.recovery.adopt(job)
                if not finished:
                    self._give_back(job)
            except IllegalTransition:
                continue  # another process took it over meanwhile
            self.events.emit(JobRecovered(job_id=job.job_id, raw_hash=job.raw_hash, finished=finished))
        for job in self.index.jobs.open_jobs(queued=False):
            if job.owner == self.context.artifacts.owner:  # a follow-up of a job that was completed just now
                self.retries.add_interrupted(self.index.jobs.release(job))
            elif job.waiting_reason is not None:
                self.retries.add_waiting(job, None)
            elif is_let_go(job) and (job.intent is Intent.RECONVERT or self.follow_ups.owner_of(job)):
                self.retries.add_interrupted(job)
        if found.removed_temp:
            self.recovery.write_missing_logs(limit=2 * GROUP_LIMIT)

    def _give_back(self, job: Job) -> None:
        """Release a dead owner's job. One of a worker returns to the queue; so does any, in a library of several machines."""
        artifacts = self.context.artifacts
        if job.intent is Intent.INGEST and (artifacts.store.is_shared or was_queued(job)):
            self.index.queue.put_back(self.recovery.interrupted(job).job_id, owner=artifacts.owner)
        else:
            self.recovery.give_back(job)

    def holds(self, known: KnownDocument, request: IngestRequest) -> bool:
        """Whether a known document's stored result answers a request; its files must exist and are not read."""
        return self.engines.is_settled(known, request) and is_there(self.context.artifacts, known)

    def has_failed_for_good(self, known: KnownDocument, request: IngestRequest) -> bool:
        """Whether a known document failed, and would fail again with the plugins that are installed now."""
        if known.status is not IngestionState.HARD_FAILED or known.active_version is not None or known.reason is None:
            return False
        is_given_plugin = bool(request.options.overrides)
        if REASONS[known.reason].retry is Retry.NEVER and not is_given_plugin:
            return True
        return known.reason is HardFailReason.UNSUPPORTED_FORMAT and self.engines.is_settled(known, request)

    def close(self) -> None:
        """Cancel downloads, commit pending writes and stop the threads."""
        self.incoming.close()
        self.retries.close()
        self._pauses.close()
        self.commits.close()
        self.heartbeat.close()
        self.completer.fenced.sweep()

    def _on_wait(self, job: Job, request: IngestRequest, tool: str | None) -> None:
        self.retries.add_waiting(job, request, tool=tool)

    def _lacks(self, tool: str) -> bool:
        try:
            return self._breaker.lacks(self.context.runtime.catalogue.get(tool))
        except UsageError:
            return True  # it is not installed

    def _prefer(self, profile: str | None) -> tuple[tuple[str, RoutingOverride], ...]:
        rules = self.context.runtime.profile(profile)
        return preferences(self.index.comparisons.verdicts(profile=rules.key), profile=rules.name)
