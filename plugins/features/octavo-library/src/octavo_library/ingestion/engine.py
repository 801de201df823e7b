"""The engine of one opened library, put together."""

from __future__ import annotations

import threading
from collections.abc import Callable
from pathlib import Path

from octavo.conversion.routing import Preference
from octavo.runtime import Runtime
from octavo.sandbox.keyed_lock import Turns
from octavo.sandbox.pool import usable_cores
from octavo.sandbox.tempdirs import sweep_stale
from octavo_contracts import Intent, UsageError

from ..storage import ArtifactStore, Index, Job, KnownDocument, document_id_for, is_let_go, recover
from ..storage.recognised_pages import LibraryPages
from .attachment_ingestor import TakingIn
from .attachment_jobs import Owing
from .circuit_breaker import ToolDesk
from .commit_queue import GROUP_LIMIT, Writer
from .conversion_runner import Trying
from .damaged_versions import is_there
from .events import EventHub, JobRecovered
from .follow_ups import Afterwards, Nothing
from .ingestor import Ingestor
from .job_claims import Claims
from .job_events import Teller
from .job_resumer import Resuming
from .leases import Heartbeat
from .locked_documents import LockedDocuments
from .machine_probe import MachineProbe, Probe
from .plugin_fingerprint import EngineSet
from .pools import StepPools
from .requests import IngestRequest, is_attachment
from .retry_scheduler import Waking
from .run_stats import Bottleneck
from .sampling.verdicts import preferences
from .source_opener import Incoming
from .startup_recovery import Recovery
from .throttle import Throttle
from .version_writer import Filing


class Engine:
    """Everything that the documents of one opened library share. Thread-safe; ends with `close`.

    Args:
        runtime: plugins, workers and settings.
        artifacts: the library's files.
        index: the library's index.
        probe: takes readings of the machine; by default of this one.
        safe_to_purge: says what a person could free at once, where the disk is full (ENG-12).
        afterwards: what a request asks for besides the conversion. It is done here for a document whose job went on by
            itself; whoever asks for a document does it with the answer.

    Attributes:
        last_bottleneck: of the run that ended last, or None.
    """

    def __init__(
        self,
        runtime: Runtime,
        artifacts: ArtifactStore,
        index: Index,
        *,
        probe: Probe | None = None,
        safe_to_purge: Callable[[], str] = lambda: "",
        afterwards: Afterwards | None = None,
    ) -> None:
        settings = self.settings = runtime.settings.engine
        self.index = index
        self._artifacts = artifacts
        self.afterwards: Afterwards = afterwards or Nothing()
        self.events = EventHub()
        self.turns = Turns()
        self.writer = Writer(index, events=self.events)
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
        self._runtime = runtime
        self._desk = ToolDesk(
            self.pools,
            heavy=settings.heavy_plugins,
            examine=lambda plugin: runtime.dispatcher.check(plugin),
            events=self.events,
        )
        self.heartbeat = Heartbeat(index, owner=artifacts.owner)
        locked = LockedDocuments(runtime, artifacts)
        self.engines = EngineSet(runtime, index, locked=locked)

        def reserve(size: int, cancel: threading.Event | None) -> None:
            self.throttle.before_write(size, cancel=cancel)

        owing = Owing(runtime, artifacts, index, self.engines, reserve=reserve)
        self.filing = Filing(runtime, artifacts, index, reserve=reserve, afterwards=self.afterwards, owing=owing)
        self.recovery = Recovery(runtime, artifacts, index, self.filing)
        self.claims = Claims(
            self.engines,
            artifacts,
            index,
            self.writer,
            self.recovery,
            events=self.events,
            on_claim=self.heartbeat.start,
        )
        self.teller = Teller(self.events, on_wait=self._on_wait)
        self.incoming = Incoming(runtime, artifacts, index, self.events)
        self.trying = Trying(
            runtime,
            index,
            self.writer,
            pages=LibraryPages(artifacts),
            filing=self.filing,
            throttle=self.throttle,
            desk=self._desk,
            teller=self.teller,
            retries=settings.retries,
        )
        self.ingestor = Ingestor(
            artifacts,
            index,
            self.writer,
            incoming=self.incoming,
            claims=self.claims,
            engines=self.engines,
            locked=locked,
            owing=owing,
            trying=self.trying,
            filing=self.filing,
            throttle=self.throttle,
            turns=self.turns,
            teller=self.teller,
        )
        self.attached = TakingIn(
            artifacts,
            index,
            self.ingestor,
            engines=self.engines,
            turns=self.turns,
            afterwards=self.afterwards,
        )
        self.waking = Waking(
            Resuming(
                artifacts,
                index,
                self.ingestor,
                prefer=self._prefer,
                afterwards=self.afterwards,
                attached=self.attached,
                tries=settings.retries.tries,
            ),
            lacks=self._lacks,
            settings=settings.wake,
        )
        self.last_bottleneck: Bottleneck | None = None

    def recover(self) -> None:
        """Finish what dead owners had stored, and have what they had not go on (ENG-6).

        Reconversions that were cut short are begun anew in the background, so is what waits for a tool that is back, and
        what was owed to a converted document is done, what came inside it is taken in. Any other ingestion that was cut short is free to be claimed when its
        bytes come again: whoever killed a run of thousands may not want the few that were on their way.

        The folders of dead hosts' workers go now: no worker may be needed before the next opening.
        """
        sweep_stale()
        found = recover(self._artifacts, self.index)
        for job in found.jobs:
            finished = self.recovery.adopt(job)
            if not finished:
                self.recovery.give_back(job)
            self.events.emit(JobRecovered(job_id=job.job_id, raw_hash=job.raw_hash, finished=finished))
        for job in self.index.jobs.open_jobs():
            if job.owner == self._artifacts.owner:  # owed to a document whose job was finished just now
                self.waking.cut_short(self.index.jobs.release(job))
            elif job.waiting_reason is not None:
                self.waking.waits(job, None)
            elif is_let_go(job) and (job.intent is not Intent.INGEST or self._is_owed(job)):
                self.waking.cut_short(job)
        if found.removed_temp:
            self.recovery.write_missing_logs(limit=2 * GROUP_LIMIT)

    def holds(self, known: KnownDocument, request: IngestRequest) -> bool:
        """Whether a known document's stored result answers a request; its files are looked for, and not read."""
        return self.engines.is_settled(known, request) and is_there(self._artifacts, known)

    def close(self) -> None:
        """Cut off what is being fetched, commit what is pending and end the threads."""
        self.incoming.close()
        self.waking.close()
        self.writer.close()
        self.heartbeat.close()

    def _is_owed(self, job: Job) -> bool:
        """Whether an ingestion goes on by itself: nobody would bring bytes again that came inside a document."""
        return is_attachment(job) or (
            job.raw_hash is not None and self.index.attachments.is_attached(document_id_for(job.raw_hash))
        )

    def _on_wait(self, job: Job, request: IngestRequest, tool: str | None) -> None:
        self.waking.waits(job, request, tool=tool)

    def _lacks(self, tool: str) -> bool:
        try:
            return self._desk.lacks(self._runtime.catalogue.get(tool))
        except UsageError:
            return True  # it is not installed

    def _prefer(self, profile: str | None) -> tuple[tuple[str, Preference], ...]:
        rules = self._runtime.profile(profile)
        return preferences(self.index.comparisons.verdicts(profile=rules.key), profile=rules.name)
