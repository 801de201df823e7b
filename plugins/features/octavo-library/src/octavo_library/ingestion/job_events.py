"""What is told of jobs: events for whoever listens, and of those that wait, a word to what wakes them."""

from __future__ import annotations

import uuid
from collections.abc import Callable, Sequence

from octavo.documents.ids import document_id_for
from octavo.egress.gate import Owners
from octavo.settings.step_names import StepName
from octavo_contracts import HardFailReason, Intent, OctavoError

from ..storage import Job, KnownDocument
from .claimed_job import Task
from .cloud_owners import recorded
from .events import EventHub, JobEnded, JobWaiting, RetryPlanned, Reused, Sampled, StepFinished
from .requests import IngestRequest
from .sampling.sampler import Finding
from .version_writer import Ending

OnWait = Callable[[Job, IngestRequest, str | None], None]
"""Told of a job that waits, how it came in, and the plugin that could not work, where that is known."""


class Teller:
    """Tells of jobs, once what it tells is committed. Thread-safe.

    Args:
        events: is told.
        on_wait: told of each job that is left open until its cause is gone.
    """

    def __init__(self, events: EventHub, *, on_wait: OnWait) -> None:
        self._events = events
        self._on_wait = on_wait

    def step(self, task: Task, step: StepName, *, seconds: float, tool: str | None = None) -> None:
        """A step of a document is done."""
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

    def recorded(self, owners: Owners, task: Task) -> Owners:
        """Owners of a document whose decisions at the gate to cloud services are told."""
        request = task.request
        document_id = document_id_for(task.raw_hash)
        return recorded(owners, self._events, surface=request.surface, document_id=document_id, run_id=request.run_id)

    def sampled(self, task: Task, finding: Finding) -> None:
        """A document was converted a second time, for comparison."""
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

    def end_of(self, ending: Ending, job: Job, *, seconds: float) -> None:
        """The end of a job is committed, or that it waits."""
        request = ending.task.request
        if ending.waits:
            self.waits(job, request, tool=ending.tool)
        else:
            self.ended(job, request, reason=ending.reason, tool=ending.tool, seconds=seconds)

    def ended(
        self, job: Job, request: IngestRequest, *, reason: HardFailReason | None, tool: str | None, seconds: float
    ) -> None:
        """A job is final."""
        self._events.emit(
            JobEnded(
                run_id=request.run_id,
                job_id=job.job_id,
                document_id=job.document_id,
                raw_hash=job.raw_hash,
                intent=job.intent,
                state=job.state,
                reason=reason,
                tool=tool,
                seconds=seconds,
            )
        )

    def waits(self, job: Job, request: IngestRequest, *, tool: str | None) -> None:
        """A job was let go of until its cause is gone."""
        reason = str(job.waiting_reason)
        self._events.emit(
            JobWaiting(run_id=request.run_id, job_id=job.job_id, raw_hash=job.raw_hash, reason=reason, tool=tool)
        )
        self._on_wait(job, request, tool)

    def retry_planned(self, job: Job, request: IngestRequest, error: OctavoError, *, of: int, delay: float) -> None:
        """A try failed, and another one follows.

        Args:
            job: whose try.
            request: how it came in.
            error: what the try ended with.
            of: tries there are.
            delay: seconds until the next.
        """
        self._events.emit(
            RetryPlanned(
                run_id=request.run_id,
                job_id=job.job_id,
                reason=str(error.reason),
                attempt=job.attempts,
                of=of,
                delay=delay,
                tool=error.plugin,
            )
        )

    def reused(self, known: Sequence[KnownDocument], request: IngestRequest) -> None:
        """Known documents came again. Where they are new to the asker, what is told is what a first ingest tells (STO-5)."""
        if again := tuple(one.document_id for one in known if one.is_told):
            self._events.emit(Reused(run_id=request.run_id, document_ids=again))
        for one in known if self._events.listened else ():
            if not one.is_told:
                self._events.emit(
                    JobEnded(
                        run_id=request.run_id,
                        job_id=uuid.uuid4().hex,
                        document_id=one.document_id,
                        raw_hash=one.raw_hash,
                        intent=Intent.INGEST,
                        state=one.status,
                        reason=one.reason,
                        tool=None,
                        seconds=0.0,
                    )
                )
