"""OpenTelemetry metrics, with the names listed in `METRICS`.

Only the OpenTelemetry API is imported. Until the host configures a provider (`octavo-library[otel]` installs the SDK),
the instruments do nothing, and nothing leaves the process.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

from octavo._version import __version__

from ..ingestion.events import (
    Committed,
    EngineEvent,
    JobEnded,
    JobRecovered,
    JobWaiting,
    Paused,
    PoolResized,
    RetryPlanned,
    Reused,
    RunFinished,
    RunStarted,
    StepFinished,
)
from ..ingestion.use_events import ContextSent, RetrievalCalled, TurnRecorded

if TYPE_CHECKING:
    from opentelemetry.metrics import MeterProvider


@dataclass(frozen=True, kw_only=True)
class Metric:
    """A metric.

    Attributes:
        name: its exported name.
        kind: counter, up_down_counter, histogram or gauge.
        unit: in UCUM notation.
        description: what it measures.
        attributes: its dimensions. All have a closed set of values: plugins, steps, states, reasons.
    """

    name: str
    kind: Literal["counter", "up_down_counter", "histogram", "gauge"]
    unit: str
    description: str
    attributes: tuple[str, ...] = ()


DOCUMENTS = Metric(
    name="octavo.documents",
    kind="counter",
    unit="{document}",
    description="Jobs that ended, by final state, and by reason for failures.",
    attributes=("intent", "state", "reason"),
)
REUSED = Metric(
    name="octavo.documents.reused",
    kind="counter",
    unit="{document}",
    description="Repeated ingests of known documents.",
)
DOCUMENT_DURATION = Metric(
    name="octavo.document.duration",
    kind="histogram",
    unit="s",
    description="From the claim of a job to the commit of its end.",
    attributes=("intent", "state"),
)
STEP_DURATION = Metric(
    name="octavo.step.duration",
    kind="histogram",
    unit="s",
    description="Duration of a step.",
    attributes=("step", "tool", "outcome"),
)
STEP_WAIT = Metric(
    name="octavo.step.wait",
    kind="histogram",
    unit="s",
    description="Time that a document waited for a slot in a step's pool.",
    attributes=("step",),
)
POOL_SIZE = Metric(
    name="octavo.pool.size",
    kind="gauge",
    unit="{place}",
    description="Slots in a step's pool, after a change.",
    attributes=("step",),
)
RETRIES = Metric(
    name="octavo.retries",
    kind="counter",
    unit="{try}",
    description="Automatic retries.",
    attributes=("reason", "tool"),
)
WAITING = Metric(
    name="octavo.jobs.put_aside",
    kind="counter",
    unit="{job}",
    description="Jobs that wait until their cause is resolved.",
    attributes=("reason",),
)
RECOVERED = Metric(
    name="octavo.jobs.recovered",
    kind="counter",
    unit="{job}",
    description="Jobs of a dead process, recovered when the library was opened.",
    attributes=("finished",),
)
COMMIT_DURATION = Metric(
    name="octavo.commit.duration", kind="histogram", unit="s", description="Duration of a write transaction."
)
COMMIT_SIZE = Metric(
    name="octavo.commit.size", kind="histogram", unit="{write}", description="Writes in a write transaction."
)
PAUSES = Metric(
    name="octavo.pauses",
    kind="counter",
    unit="{pause}",
    description="Pauses in which no new work was started.",
    attributes=("cause",),
)
ACTIVE_RUNS = Metric(
    name="octavo.runs.active", kind="up_down_counter", unit="{run}", description="Runs in progress in this process."
)
RUN_DURATION = Metric(
    name="octavo.run.duration",
    kind="histogram",
    unit="s",
    description="Duration of a run.",
    attributes=("stopped",),
)

CONTEXT_SENDS = Metric(
    name="octavo.context.sends",
    kind="counter",
    unit="{send}",
    description="Documents sent to language models, as programs recorded it.",
    attributes=("tier", "cache"),
)
CONTEXT_TOKENS = Metric(
    name="octavo.context.tokens",
    kind="counter",
    unit="{token}",
    description="Tokens of those sends.",
    attributes=("tier", "cache"),
)
CONTEXT_SAVED = Metric(
    name="octavo.context.tokens.saved",
    kind="counter",
    unit="{token}",
    description="Tokens that sending whole documents each time would have taken besides.",
    attributes=("tier",),
)
CONTEXT_COST = Metric(
    name="octavo.context.cost",
    kind="counter",
    unit="{USD}",
    description="Cost of those sends whose price is known, in USD.",
    attributes=("tier", "cache"),
)
RETRIEVAL_DURATION = Metric(
    name="octavo.retrieval.duration",
    kind="histogram",
    unit="s",
    description="Duration of calls of retrieval tools.",
    attributes=("tool", "outcome"),
)
TURN_TOKENS = Metric(
    name="octavo.turn.tokens",
    kind="counter",
    unit="{token}",
    description="Tokens of turns of conversations, by part: documents, message, system, markers.",
    attributes=("part",),
)
TURN_COST = Metric(
    name="octavo.turn.cost",
    kind="counter",
    unit="{USD}",
    description="Cost of those turns whose price is known, in USD, for documents and for the rest.",
    attributes=("part",),
)
TURN_DURATION = Metric(
    name="octavo.turn.duration",
    kind="histogram",
    unit="s",
    description="From a message to the first token of the answer, by the lowest tier of its documents.",
    attributes=("tier",),
)

METRICS: tuple[Metric, ...] = (
    DOCUMENTS,
    REUSED,
    DOCUMENT_DURATION,
    STEP_DURATION,
    STEP_WAIT,
    POOL_SIZE,
    RETRIES,
    WAITING,
    RECOVERED,
    COMMIT_DURATION,
    COMMIT_SIZE,
    PAUSES,
    ACTIVE_RUNS,
    RUN_DURATION,
    CONTEXT_SENDS,
    CONTEXT_TOKENS,
    CONTEXT_SAVED,
    CONTEXT_COST,
    RETRIEVAL_DURATION,
    TURN_TOKENS,
    TURN_COST,
    TURN_DURATION,
)
"""All metrics of events. `octavo_library.telemetry` has those of the library's state."""


class Metrics:
    """Records metrics for engine events.

    Args:
        provider: the provider of the instruments; by default the process's, which the host may configure at any time.
    """

    def __init__(self, provider: MeterProvider | None = None) -> None:
        from opentelemetry.metrics import get_meter

        meter = get_meter("octavo", __version__, meter_provider=provider)
        makers: dict[str, Any] = {
            "counter": meter.create_counter,
            "up_down_counter": meter.create_up_down_counter,
            "histogram": meter.create_histogram,
            "gauge": meter.create_gauge,
        }
        self._instruments = {
            metric.name: makers[metric.kind](metric.name, unit=metric.unit, description=metric.description)
            for metric in METRICS
        }

    def __call__(self, event: EngineEvent, /) -> None:
        """Record one event."""
        match event:
            case JobEnded():
                intent, state = event.intent.value, event.state.value
                self._count(DOCUMENTS, 1, intent=intent, state=state, reason=event.reason and event.reason.value)
                self._count(DOCUMENT_DURATION, event.seconds, intent=intent, state=state)
            case Reused():
                self._count(REUSED, len(event.document_ids))
            case StepFinished():
                step = event.step.value
                self._count(STEP_DURATION, event.seconds, step=step, tool=event.tool, outcome=event.outcome)
                self._count(STEP_WAIT, event.waited, step=step)
            case Committed():
                self._count(COMMIT_DURATION, event.seconds)
                self._count(COMMIT_SIZE, event.operations)
            case RunStarted():
                self._count(ACTIVE_RUNS, 1)
            case RunFinished():
                self._count(ACTIVE_RUNS, -1)
                self._count(RUN_DURATION, event.seconds, stopped=event.stopped)
            case _:
                self._count_trouble(event)

    def _count_trouble(self, event: EngineEvent) -> None:
        match event:
            case RetryPlanned():
                self._count(RETRIES, 1, reason=event.reason, tool=event.tool)
            case JobWaiting():
                self._count(WAITING, 1, reason=event.reason)
            case JobRecovered():
                self._count(RECOVERED, 1, finished=event.finished)
            case Paused():
                self._count(PAUSES, 1, cause=event.cause.value)
            case PoolResized():
                self._count(POOL_SIZE, event.size, step=event.step.value)
            case _:
                self._count_use(event)

    def _count_use(self, event: EngineEvent) -> None:
        match event:
            case ContextSent():
                tier = str(event.tier)
                self._count(CONTEXT_SENDS, 1, tier=tier, cache=event.cache)
                self._count(CONTEXT_TOKENS, event.tokens, tier=tier, cache=event.cache)
                self._count(CONTEXT_SAVED, event.saved, tier=tier)
                if event.cost is not None:
                    self._count(CONTEXT_COST, event.cost, tier=tier, cache=event.cache)
            case RetrievalCalled():
                self._count(RETRIEVAL_DURATION, event.seconds, tool=event.tool, outcome=event.outcome)
            case TurnRecorded():
                self._count_turn(event)

    def _count_turn(self, event: TurnRecorded) -> None:
        for part in ("documents", "message", "system", "markers"):
            self._count(TURN_TOKENS, getattr(event, part), part=part)
        for part, cost in (("documents", event.document_cost), ("other", event.other_cost)):
            if cost is not None:
                self._count(TURN_COST, cost, part=part)
        if event.seconds is not None:
            self._count(TURN_DURATION, event.seconds, tier="none" if event.tier is None else str(event.tier))

    def _count(self, metric: Metric, value: float, **attributes: str | bool | None) -> None:
        known = {name: given for name, given in attributes.items() if given is not None}
        instrument = self._instruments[metric.name]
        if metric.kind == "histogram":
            instrument.record(value, known)
        elif metric.kind == "gauge":
            instrument.set(value, known)
        else:
            instrument.add(value, known)
