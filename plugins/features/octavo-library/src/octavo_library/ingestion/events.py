"""What the engine tells of its work, while it works: one listener, plain data, no content of any document.

An event names documents by hash and id, tools by name, and times in seconds. Nothing here holds a text, a title or a
path, so a log of events may be kept where the documents themselves may not.
"""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import UTC, datetime
from enum import StrEnum
from typing import Protocol

from octavo.settings.step_names import StepName
from octavo_contracts import HardFailReason, IngestionState, Intent

_log = logging.getLogger("octavo.ingestion")


class PauseCause(StrEnum):
    """Why new work is held back (ENG-12, ENG-13)."""

    DISK = "disk"
    MEMORY = "memory"
    TEMPERATURE = "temperature"


def _now() -> str:
    return datetime.now(UTC).strftime("%Y-%m-%dT%H:%M:%S.%fZ")


@dataclass(frozen=True, kw_only=True)
class EngineEvent:
    """What every event has.

    Attributes:
        at: when, ISO 8601 in UTC with microseconds and a Z, as the index writes times.
        run_id: the run it belongs to; None for what no run asked for, such as recovery at opening.
    """

    at: str = field(default_factory=_now)
    run_id: str | None = None


@dataclass(frozen=True, kw_only=True)
class RunStarted(EngineEvent):
    """A run begins.

    Attributes:
        total: sources in it, or None while that is not known.
        surface: the way in (ENG-1).
        corpus_id: the corpus they join, or None.
        commit_policy: how often results are committed, in words (ENG-14, ENG-30).
    """

    total: int | None
    surface: str
    corpus_id: str | None
    commit_policy: str


@dataclass(frozen=True, kw_only=True)
class RunFinished(EngineEvent):
    """A run ended, by itself or because it was stopped.

    Attributes:
        done: sources answered.
        seconds: wall time.
        stopped: whether it was cancelled or its reader left before the end.
        bottleneck: the step that documents waited for most, in words; None where nothing waited (ENG-8).
        degraded: everything that was given up or held back, in words, one sentence each.
        unwatched: what of the machine could not be watched, in words.
    """

    done: int
    seconds: float
    stopped: bool
    bottleneck: str | None
    degraded: tuple[str, ...]
    unwatched: tuple[str, ...] = ()


@dataclass(frozen=True, kw_only=True)
class JobClaimed(EngineEvent):
    """This process took a job.

    Attributes:
        job_id: the job.
        raw_hash: SHA-256 of the document.
        intent: what the job is for.
        state: where it stands; beyond `conversion_pending`'s first entry it was begun before.
        taken_from: the owner it was taken over from, or None.
        claims: how often it was claimed, this time included.
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
        step: which.
        waited: seconds it waited for a place in the step's pool.
        seconds: seconds it took then.
        outcome: "ok", or the reason code it failed with.
        tool: the plugin, where one was at work.
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
        routing_type: the rule that is put to the test.
        tool: the tool that routing chose.
        second: the other one.
        seconds: that the second conversion took; 0 where routing had made it anyway.
        diverges: whether the two differ so much that the rule is to be reviewed.
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
    """A try failed in a way that another one may not; it is made again by itself (ENG-7).

    Attributes:
        job_id: the job.
        reason: reason code, or `retryable_tool_failure`.
        attempt: which try failed, from 1.
        of: tries there are.
        delay: seconds until the next.
        tool: the plugin that failed, where that is known.
    """

    job_id: str
    reason: str
    attempt: int
    of: int
    delay: float
    tool: str | None = None


@dataclass(frozen=True, kw_only=True)
class JobWaiting(EngineEvent):
    """A job was put aside, open, until its cause is gone (ENG-7).

    Attributes:
        job_id: the job.
        raw_hash: SHA-256 of the document.
        reason: what it waits for.
        tool: the plugin that could not work, where that is known.
    """

    job_id: str
    raw_hash: str | None
    reason: str
    tool: str | None = None


@dataclass(frozen=True, kw_only=True)
class JobEnded(EngineEvent):
    """A job entered a final state, and that is committed.

    Attributes:
        job_id: the job; where converted work of another policy context was shared, an id that no job of the index has.
        document_id: its document; None where the bytes could not be read.
        raw_hash: SHA-256 of the document, or None.
        intent: what the job was for.
        state: the final state.
        reason: of `hard_failed`, else None.
        tool: the plugin whose conversion was stored, or None.
        seconds: from the claim to the commit; 0 where converted work was shared.
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
    """Known documents came again, and nothing had to be converted (ENG-18).

    Attributes:
        document_ids: which.
    """

    document_ids: tuple[str, ...]


@dataclass(frozen=True, kw_only=True)
class JobRecovered(EngineEvent):
    """A job whose owner died was settled when the library was opened (ENG-6).

    Attributes:
        job_id: the job.
        raw_hash: SHA-256 of the document, or None.
        finished: True where the version it had stored was committed. False where it is open: a reconversion goes on by
            itself, an ingestion when its bytes come again.
    """

    job_id: str
    raw_hash: str | None
    finished: bool


@dataclass(frozen=True, kw_only=True)
class Committed(EngineEvent):
    """The writer committed a group (ENG-14).

    Attributes:
        operations: writes in it.
        seconds: that the transaction took.
    """

    operations: int
    seconds: float


@dataclass(frozen=True, kw_only=True)
class Paused(EngineEvent):
    """New work is held back; what runs goes on.

    Attributes:
        cause: why.
        value: what was read: bytes free, percent of memory, or degrees Celsius.
        resumes_at: the value at which work begins again.
        advice: what a person can do now; empty where waiting is enough.
    """

    cause: PauseCause
    value: float
    resumes_at: float
    advice: str = ""


@dataclass(frozen=True, kw_only=True)
class Resumed(EngineEvent):
    """What held new work back is over.

    Attributes:
        cause: what it was.
        value: what is read now.
        seconds: how long it lasted.
    """

    cause: PauseCause
    value: float
    seconds: float


@dataclass(frozen=True, kw_only=True)
class PoolResized(EngineEvent):
    """A step's pool has another size now (ENG-9).

    Attributes:
        step: which step.
        size: places in it now.
        full_size: places when nothing holds it back.
        because: why, in words.
    """

    step: StepName
    size: int
    full_size: int
    because: str


@dataclass(frozen=True, kw_only=True)
class ToolHealth(EngineEvent):
    """A tool was found unable to work, or able again (ENG-10).

    Attributes:
        tool: the plugin.
        healthy: which of the two.
        detail: what is wrong, in words; empty where nothing is.
    """

    tool: str
    healthy: bool
    detail: str = ""


@dataclass(frozen=True, kw_only=True)
class CloudDecided(EngineEvent):
    """The gate refused to show a document to a service elsewhere, or a permission was used (CNV-15).

    Attributes:
        document_id: the document; None where it has no id yet.
        surface: what was asked for: `ocr`, `digest`, or the way in of an ingestion.
        service: who was to see it.
        allowed: whether it was shown.
        reason: why not; None where it was.
    """

    document_id: str | None
    surface: str
    service: str
    allowed: bool
    reason: str | None


class EngineListener(Protocol):
    """Whoever wants to know. Called on the engine's threads, one call at a time: return soon, and do not raise."""

    def __call__(self, event: EngineEvent, /) -> None:
        """Take one event."""


class EventHub:
    """Hands each event to every listener, in the order in which they came. Thread-safe.

    A listener that raises is logged and dropped: work on documents does not end because a log cannot be written.
    """

    def __init__(self) -> None:
        self._listeners: list[EngineListener] = []
        self._lock = threading.RLock()

    @property
    def listened(self) -> bool:
        """Whether anybody listens; for callers that would have to compute what they tell."""
        return bool(self._listeners)

    def subscribe(self, listener: EngineListener) -> Callable[[], None]:
        """Add a listener.

        Returns:
            Call it to remove the listener again; a second call does nothing.
        """
        with self._lock:
            self._listeners.append(listener)

        def leave() -> None:
            with self._lock:
                if listener in self._listeners:
                    self._listeners.remove(listener)

        return leave

    def emit(self, event: EngineEvent) -> None:
        """Tell everybody."""
        if not self._listeners:
            return
        with self._lock:
            for listener in list(self._listeners):
                try:
                    listener(event)
                except (OSError, ValueError, TypeError, RuntimeError, LookupError, AttributeError) as error:
                    _log.warning("a listener failed and hears no more: %r", error)
                    self._listeners.remove(listener)
