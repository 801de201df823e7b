"""Events of the running engine: plain data for listeners, without the content of any document.

An event identifies documents by hash and id, tools by name, and gives times in seconds. No event has a text, a title or
a path, so a log of events may be kept where the documents themselves may not.
"""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Protocol

from octavo.settings.step_names import StepName
from octavo_contracts import HardFailReason, IngestionState, Intent

from ..text.times import time_text, utc_now

_log = logging.getLogger("octavo.ingestion")


class PauseCause(StrEnum):
    """Why new work is paused (ENG-12, ENG-13)."""

    DISK = "disk"
    MEMORY = "memory"
    TEMPERATURE = "temperature"


@dataclass(frozen=True, kw_only=True)
class EngineEvent:
    """Base class of all events.

    Attributes:
        at: when, ISO 8601 in UTC with microseconds and a Z, as the index writes times.
        run_id: the run to which it belongs; None outside runs, such as during recovery at opening.
    """

    at: str = field(default_factory=lambda: time_text(utc_now()))
    run_id: str | None = None


@dataclass(frozen=True, kw_only=True)
class RunStarted(EngineEvent):
    """A run began.

    Attributes:
        total: number of its sources, or None if that is unknown.
        surface: how the documents enter (ENG-1).
        corpus_id: the corpus they join, or None.
        commit_policy: how often results are committed, in words (ENG-14, ENG-30).
    """

    total: int | None
    surface: str
    corpus_id: str | None
    commit_policy: str


@dataclass(frozen=True, kw_only=True)
class RunFinished(EngineEvent):
    """A run ended or was stopped.

    Attributes:
        done: sources with a result.
        seconds: wall time.
        stopped: whether it was cancelled or its caller stopped reading.
        bottleneck: the step that documents waited for most, in words; None if no step did any work (ENG-8).
        degraded: one sentence for each kind of delay or failure.
        unwatched: one sentence for each missing sensor of the machine.
    """

    done: int
    seconds: float
    stopped: bool
    bottleneck: str | None
    degraded: tuple[str, ...]
    unwatched: tuple[str, ...] = ()


@dataclass(frozen=True, kw_only=True)
class JobClaimed(EngineEvent):
    """This process claimed a job.

    Attributes:
        job_id: the job.
        raw_hash: SHA-256 of the document.
        intent: what the job is for.
        state: its state; one beyond the first `conversion_pending` means that it was started before.
        taken_from: its previous owner, if the job was taken over, or None.
        claims: number of claims so far, this one included.
    """

    job_id: str
    raw_hash: str | None
    intent: Intent
    state: IngestionState
    taken_from: str | None
    claims: int


@dataclass(frozen=True, kw_only=True)
class StepFinished(EngineEvent):
    """A step of a document ended.

    Attributes:
        job_id: its job.
        step: the step.
        waited: seconds of waiting for a slot in the step's pool.
        seconds: duration after the wait.
        outcome: "ok", or the reason code of the failure.
        tool: the plugin, if the step used one.
    """

    job_id: str
    step: StepName
    waited: float
    seconds: float
    outcome: str
    tool: str | None = None


@dataclass(frozen=True, kw_only=True)
class Sampled(EngineEvent):
    """A document was converted by a second tool as well, and the two were compared (CNV-4).

    Attributes:
        job_id: its job.
        routing_type: the rule under test.
        tool: the tool that routing chose.
        second: the second tool.
        seconds: duration of the conversions that were made for it.
        diverges: whether the two differ so much that the rule should be reviewed.
        compared: whether the second tool could convert it.
    """

    job_id: str
    routing_type: str
    tool: str
    second: str
    seconds: float
    diverges: bool
    compared: bool


@dataclass(frozen=True, kw_only=True)
class RetryPlanned(EngineEvent):
    """An attempt failed and will be retried automatically (ENG-7).

    Attributes:
        job_id: the job.
        reason: reason code, or `retryable_tool_failure`.
        attempt: number of the failed attempt, from 1.
        of: maximum number of attempts.
        delay: seconds until the next attempt.
        tool: the plugin that failed, if known.
    """

    job_id: str
    reason: str
    attempt: int
    of: int
    delay: float
    tool: str | None = None


@dataclass(frozen=True, kw_only=True)
class JobWaiting(EngineEvent):
    """A job was released and waits until the cause is gone (ENG-7).

    Attributes:
        job_id: the job.
        raw_hash: SHA-256 of the document.
        reason: why it waits.
        tool: the unavailable plugin, if known.
    """

    job_id: str
    raw_hash: str | None
    reason: str
    tool: str | None = None


@dataclass(frozen=True, kw_only=True)
class JobEnded(EngineEvent):
    """The final state of a job was committed.

    Attributes:
        job_id: the job; an id without a job in the index if the conversion of another policy context was shared.
        document_id: its document; None if the bytes could not be read.
        raw_hash: SHA-256 of the document, or None.
        intent: the purpose of the job.
        state: the final state.
        reason: the reason of `hard_failed`, else None.
        tool: the plugin whose conversion was stored, or None.
        seconds: from the claim to the commit; 0 if a conversion was shared.
    """

    job_id: str
    document_id: str | None
    raw_hash: str | None
    intent: Intent
    state: IngestionState
    reason: HardFailReason | None
    tool: str | None
    seconds: float


@dataclass(frozen=True, kw_only=True)
class Reused(EngineEvent):
    """Known documents were ingested again, without a conversion (ENG-18).

    Attributes:
        document_ids: the documents.
    """

    document_ids: tuple[str, ...]


@dataclass(frozen=True, kw_only=True)
class JobRecovered(EngineEvent):
    """A job whose owner died was recovered when the library was opened, or by a worker (ENG-6).

    Attributes:
        job_id: the job.
        raw_hash: SHA-256 of the document, or None.
        finished: True if its stored version was committed. False if the job is open: a queued one is in the queue again, a
            reconversion is resumed automatically, any other ingestion when its bytes are given again.
    """

    job_id: str
    raw_hash: str | None
    finished: bool


@dataclass(frozen=True, kw_only=True)
class Committed(EngineEvent):
    """The writer committed a group (ENG-14).

    Attributes:
        operations: number of writes.
        seconds: duration of the transaction.
    """

    operations: int
    seconds: float


@dataclass(frozen=True, kw_only=True)
class Paused(EngineEvent):
    """New work was paused; running work continues.

    Attributes:
        cause: the cause.
        value: the reading: bytes free, percent of memory, or degrees Celsius.
        resumes_at: the value at which work resumes.
        advice: what a user can do now; empty if waiting is enough.
    """

    cause: PauseCause
    value: float
    resumes_at: float
    advice: str = ""


@dataclass(frozen=True, kw_only=True)
class Resumed(EngineEvent):
    """A cause of a pause is gone.

    Attributes:
        cause: the cause.
        value: the current reading.
        seconds: duration of the pause.
    """

    cause: PauseCause
    value: float
    seconds: float


@dataclass(frozen=True, kw_only=True)
class PoolResized(EngineEvent):
    """The size of a step's pool changed (ENG-9).

    Attributes:
        step: the step.
        size: current number of slots.
        full_size: number of slots at full size.
        because: the reason, in words.
    """

    step: StepName
    size: int
    full_size: int
    because: str


@dataclass(frozen=True, kw_only=True)
class ToolHealth(EngineEvent):
    """A tool failed its examination, or recovered (ENG-10).

    Attributes:
        tool: the plugin.
        healthy: True if it recovered.
        detail: the error, in words; empty for a healthy tool.
    """

    tool: str
    healthy: bool
    detail: str = ""


@dataclass(frozen=True, kw_only=True)
class CloudDecided(EngineEvent):
    """The gate refused to send a document to a remote service, or a permission was used (CNV-15).

    Attributes:
        document_id: the document; None if it has no id yet.
        surface: the operation: `ocr`, `digest`, or the surface of an ingestion.
        service: the remote service.
        allowed: whether the document may be sent.
        reason: why not; None if it may.
    """

    document_id: str | None
    surface: str
    service: str
    allowed: bool
    reason: str | None


class EngineListener(Protocol):
    """Receives events. Called on the engine's threads, one call at a time: return quickly and do not raise."""

    def __call__(self, event: EngineEvent, /) -> None:
        """Handle one event."""


class EventHub:
    """Sends each event to every listener, in the order of subscription. Thread-safe.

    A listener that raises is logged and removed: a log that cannot be written must not stop the work on documents.
    """

    def __init__(self) -> None:
        self._listeners: list[tuple[EngineListener, tuple[type[EngineEvent], ...]]] = []
        self._lock = threading.RLock()

    @property
    def listened(self) -> bool:
        """Whether there are listeners; lets callers skip the computation of events."""
        return bool(self._listeners)

    def subscribe(
        self, listener: EngineListener, *, to: tuple[type[EngineEvent], ...] = (EngineEvent,)
    ) -> Callable[[], None]:
        """Add a listener.

        Args:
            listener: called with each event.
            to: the classes of events that it is called with.

        Returns:
            A function that removes the listener again; a second call does nothing.
        """
        subscription = (listener, to)
        with self._lock:
            self._listeners.append(subscription)

        def leave() -> None:
            with self._lock:
                if subscription in self._listeners:
                    self._listeners.remove(subscription)

        return leave

    def emit(self, event: EngineEvent) -> None:
        """Send an event to all listeners."""
        if not self._listeners:
            return
        with self._lock:
            for listener, classes in list(self._listeners):
                if not isinstance(event, classes):
                    continue
                try:
                    listener(event)
                except (OSError, ValueError, TypeError, RuntimeError, LookupError, AttributeError) as error:
                    _log.warning("a listener failed and was removed: %r", error)
                    self._listeners.remove((listener, classes))
