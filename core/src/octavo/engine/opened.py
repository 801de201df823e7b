"""The engine of one opened library, put together."""

from __future__ import annotations

from pathlib import Path

from ..runtime import Runtime
from ..sandbox.pool import usable_cores
from ..store import ArtifactStore, Index, recover
from .claims import Claims
from .events import EventHub, JobRecovered
from .filing import Filing
from .ingestor import Ingestor
from .leases import Heartbeat
from .pools import StepPools
from .readings import MachineProbe, Probe
from .recovery import Recovery
from .tally import Bottleneck
from .throttle import Throttle
from .tools import ToolDesk
from .turns import Turns
from .writer import GROUP_LIMIT, Writer


class Engine:
    """Everything that the documents of one opened library share. Thread-safe; ends with `close`.

    Args:
        runtime: plugins, workers and settings.
        artifacts: the library's files.
        index: the library's index.
        probe: takes readings of the machine; by default of this one.

    Attributes:
        last_bottleneck: of the run that ended last, or None.
    """

    def __init__(self, runtime: Runtime, artifacts: ArtifactStore, index: Index, *, probe: Probe | None = None) -> None:
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
            settings.care, probe or MachineProbe(Path(artifacts.root)), self.pools, events=self.events
        )
        desk = ToolDesk(
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
        self.ingestor = Ingestor(
            runtime,
            artifacts,
            index,
            self.writer,
            claims=self.claims,
            filing=self.filing,
            throttle=self.throttle,
            desk=desk,
            turns=self.turns,
            events=self.events,
            retries=settings.retries,
        )
        self.last_bottleneck: Bottleneck | None = None

    def recover(self) -> None:
        """Finish what dead owners had stored; what they had not is free to be claimed when its bytes come again."""
        found = recover(self._artifacts, self.index)
        for job in found.jobs:
            finished = self.recovery.adopt(job)
            if not finished:
                self.recovery.give_back(job)
            self.events.emit(JobRecovered(job_id=job.job_id, raw_hash=job.raw_hash, finished=finished))
        if found.removed_temp:
            self.recovery.write_missing_logs(limit=2 * GROUP_LIMIT)

    def close(self) -> None:
        """Commit what is pending and end the threads."""
        self.writer.close()
        self.heartbeat.close()
