"""Metrics by OpenTelemetry, under the names that `METRICS` lists.

Only OpenTelemetry's interface is imported. Until the host configures a provider (`octavo-library[otel]` brings the SDK) each
instrument does nothing, and nothing leaves the process.
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

if TYPE_CHECKING:
    from opentelemetry.metrics import MeterProvider


@dataclass(frozen=True, kw_only=True)
class Metric:
    """One metric.

    Attributes:
        name: under which it is exported.
        kind: counter, up_down_counter, histogram or gauge.
        unit: as UCUM writes it.
        description: what it counts.
        attributes: what it is split by. All are closed sets of words: plugins, steps, states, reasons.
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
    description="Jobs that ended, by their final state, and by reason where they failed.",
    attributes=("intent", "state", "reason"),
)
REUSED = Metric(
    name="octavo.documents.reused",
    kind="counter",
    unit="{document}",
    description="Documents that came again and were known.",
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
    description="What a step took.",
    attributes=("step", "tool", "outcome"),
)
STEP_WAIT = Metric(
    name="octavo.step.wait",
    kind="histogram",
    unit="s",
    description="What a document waited for a place in a step's pool.",
    attributes=("step",),
)
POOL_SIZE = Metric(
    name="octavo.pool.size",
    kind="gauge",
    unit="{place}",
    description="Places in a step's pool, after a change.",
    attributes=("step",),
)
RETRIES = Metric(
    name="octavo.retries",
    kind="counter",
    unit="{try}",
    description="Tries that are made again by themselves.",
    attributes=("reason", "tool"),
)
WAITING = Metric(
    name="octavo.jobs.put_aside",
    kind="counter",
    unit="{job}",
    description="Jobs put aside until their cause is gone.",
    attributes=("reason",),
)
RECOVERED = Metric(
    name="octavo.jobs.recovered",
    kind="counter",
    unit="{job}",
    description="Jobs of a process that died, settled when the library was opened.",
    attributes=("finished",),
)
COMMIT_DURATION = Metric(
    name="octavo.commit.duration", kind="histogram", unit="s", description="What a transaction of the writer took."
)
COMMIT_SIZE = Metric(
    name="octavo.commit.size", kind="histogram", unit="{write}", description="Writes in a transaction of the writer."
)
PAUSES = Metric(
    name="octavo.pauses",
    kind="counter",
    unit="{pause}",
    description="How often new work was held back.",
    attributes=("cause",),
)
ACTIVE_RUNS = Metric(
    name="octavo.runs.active", kind="up_down_counter", unit="{run}", description="Runs at work in this process."
)
RUN_DURATION = Metric(
    name="octavo.run.duration",
    kind="histogram",
    unit="s",
    description="What a run took.",
    attributes=("stopped",),
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
)
"""Every metric there is."""


class Metrics:
    """Counts what it hears.

    Args:
        provider: whose instruments; by default the process's, which the host may configure before or after.
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
        """Take one event."""
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

    def _count(self, metric: Metric, value: float, **attributes: str | bool | None) -> None:
        known = {name: given for name, given in attributes.items() if given is not None}
        instrument = self._instruments[metric.name]
        if metric.kind == "histogram":
            instrument.record(value, known)
        elif metric.kind == "gauge":
            instrument.set(value, known)
        else:
            instrument.add(value, known)
