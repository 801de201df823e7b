"""The engine of one opened library, put together."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from octavo_contracts import Intent, UsageError

from ..routing import Preference
from ..runtime import Runtime
from ..sampling.verdicts import preferences
from ..sandbox.pool import usable_cores
from ..sandbox.temp import sweep_stale
from ..store import ArtifactStore, Index, Job, is_let_go, recover
from .claims import Claims
from .events import EventHub, JobRecovered
from .filing import Filing
from .ingestor import Ingestor
from .leases import Heartbeat
from .pools import StepPools
from .readings import MachineProbe, Probe
from .recovery import Recovery
from .requests import IngestRequest
from .resuming import Afterwards, Resuming
from .tally import Bottleneck
from .telling import Teller
from .throttle import Throttle
from .tools import ToolDesk
from .turns import Turns
from .waking import Waking
from .writer import GROUP_LIMIT, Writer


class Engine:
    """Everything that the documents of one opened library share. Thread-safe; ends with `close`.

    Args:
        runtime: plugins, workers and settings.
        artifacts: the library's files.
        index: the library's index.
        probe: takes readings of the machine; by default of this one.
        safe_to_purge: says what a person could free at once, where the disk is full (ENG-12).
        afterwards: does what a request asks for besides the conversion, for a document whose job went on by itself;
            whoever asks for a document does that with the answer.

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
        afterwards: Afterwards = lambda _document_id, _request: None,
    ) -> None:
        settings = self.settings = runtime.settings.engine
        self.index = index
        self._artifacts = artifacts
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
        self.filing = Filing(
            runtime,
            artifacts,
            index,
            reserve=lambda size, cancel: self.throttle.before_write(size, cancel=cancel),
        )
        self.recovery = Recovery(runtime, artifacts, index, self.filing)
        self.claims = Claims(
            runtime,
            artifacts,
            index,
            self.writer,
            self.recovery,
            events=self.events,
            on_claim=self.heartbeat.start,
        )
        self.teller = Teller(self.events, on_wait=self._on_wait)
        self.ingestor = Ingestor(
            runtime,
            artifacts,
            index,
            self.writer,
            claims=self.claims,
            filing=self.filing,
            throttle=self.throttle,
            desk=self._desk,
            turns=self.turns,
            teller=self.teller,
            retries=settings.retries,
        )
        self.waking = Waking(
            Resuming(
                artifacts,
                index,
                self.ingestor,
                prefer=self._prefer,
                afterwards=afterwards,
                tries=settings.retries.tries,
            ),
            lacks=self._lacks,
            settings=settings.wake,
        )
        self.last_bottleneck: Bottleneck | None = None

    def recover(self) -> None:
        """Finish what dead owners had stored, and have what they had not go on (ENG-6).

        Reconversions that were cut short are begun anew in the background, and so is what waits for a tool that is
        back. An ingestion that was cut short is free to be claimed when its bytes come again: whoever killed a run of
        thousands may not want the few that were on their way.

        The folders of dead hosts' workers go now: no worker may be needed before the next opening.
        """
        sweep_stale()
        free = [job for job in self.index.open_jobs() if job.owner is None]
        found = recover(self._artifacts, self.index)
        for job in found.jobs:
            finished = self.recovery.adopt(job)
            if not finished and (left := self.recovery.give_back(job)).intent is Intent.RECONVERT:
                self.waking.cut_short(left)
            self.events.emit(JobRecovered(job_id=job.job_id, raw_hash=job.raw_hash, finished=finished))
        for job in free:
            if job.waiting_reason is not None:
                self.waking.waits(job, None)
            elif is_let_go(job) and job.intent is Intent.RECONVERT:
                self.waking.cut_short(job)
        if found.removed_temp:
            self.recovery.write_missing_logs(limit=2 * GROUP_LIMIT)

    def close(self) -> None:
        """Commit what is pending and end the threads."""
        self.waking.close()
        self.writer.close()
        self.heartbeat.close()

    def _on_wait(self, job: Job, request: IngestRequest, tool: str | None) -> None:
        self.waking.waits(job, request, tool=tool)

    def _lacks(self, tool: str) -> bool:
        try:
            return self._desk.lacks(self._runtime.catalogue.get(tool))
        except UsageError:
            return True  # it is not installed

    def _prefer(self, profile: str | None) -> tuple[tuple[str, Preference], ...]:
        rules = self._runtime.profile(profile)
        return preferences(self.index.routing_verdicts(profile=rules.key), profile=rules.name)
