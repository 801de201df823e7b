"""Statistics of a run: counts, waits, causes of delay, and its bottleneck (ENG-8, ENG-16)."""

from __future__ import annotations

import threading
from collections import Counter, defaultdict
from collections.abc import Mapping
from dataclasses import dataclass

from octavo.settings.step_names import StepName

from .events import (
    Committed,
    EngineEvent,
    JobClaimed,
    JobEnded,
    JobWaiting,
    PauseCause,
    Paused,
    PoolResized,
    Resumed,
    RetryPlanned,
    Reused,
    StepFinished,
    ToolHealth,
)

WORTH_NAMING = 0.05
"""Share of a run's time that documents must have waited for slots before the step is called the bottleneck."""


@dataclass(frozen=True, kw_only=True)
class Bottleneck:
    """The step that limits the speed of a run.

    Attributes:
        step: the step.
        waited: seconds that documents waited for the step, in total.
        worked: seconds that the step worked on them, in total.
        because: the reason, as a sentence.
    """

    step: StepName
    waited: float
    worked: float
    because: str

    def __str__(self) -> str:
        return f"{self.step}: {self.because}"


class RunStats:
    """Adds up the events of one run. Thread-safe.

    Args:
        run_id: id of the run. Events without a run id are counted too, because they concern every run.
    """

    def __init__(self, run_id: str) -> None:
        self._run_id = run_id
        self._lock = threading.Lock()
        self.ended: Counter[str] = Counter()
        """Ended jobs by state; hard failures by reason."""
        self.reused = 0
        """Known documents."""
        self._waiting: dict[str, str] = {}
        self.again = 0
        """Automatic retries."""
        self.taken_over = 0
        """Jobs taken over from dead owners."""
        self.commits = 0
        """Transactions of the writer."""
        self._waited: defaultdict[StepName, float] = defaultdict(float)
        self._worked: defaultdict[StepName, float] = defaultdict(float)
        self._degraded: dict[str, None] = {}

    def __call__(self, event: EngineEvent, /) -> None:
        """Count one event."""
        if event.run_id not in (None, self._run_id):
            return
        with self._lock:
            self._add(event)

    def _add(self, event: EngineEvent) -> None:
        match event:
            case StepFinished():
                self._waited[event.step] += event.waited
                self._worked[event.step] += event.seconds
            case JobEnded():
                self.ended[str(event.reason or event.state)] += 1
                self._waiting.pop(event.job_id, None)
            case Reused():
                self.reused += len(event.document_ids)
            case JobWaiting():
                self._waiting[event.job_id] = event.reason
            case JobClaimed():
                self.taken_over += event.claims > 1
            case RetryPlanned():
                self.again += 1
                self._note(f"{event.reason} was retried")
            case Committed():
                self.commits += 1
                self._worked[StepName.INDEX_WRITE] += event.seconds
            case Paused() | Resumed() | PoolResized() | ToolHealth():
                self._note(_describe(event))

    def _note(self, sentence: str | None) -> None:
        if sentence is not None:
            self._degraded.setdefault(sentence)

    @property
    def waiting(self) -> Counter[str]:
        """Jobs that still wait, by the reason why they wait."""
        with self._lock:
            return Counter(self._waiting.values())

    @property
    def degraded(self) -> tuple[str, ...]:
        """One sentence for each kind of delay or failure, in the order of first occurrence."""
        waiting = (f"{count} documents wait: {reason}" for reason, count in sorted(self.waiting.items()))
        return (*self._degraded, *waiting)

    def bottleneck(self, *, seconds: float, places: Mapping[StepName, int]) -> Bottleneck | None:
        """The step that documents waited for most; if no document waited, the step that took longest.

        Args:
            seconds: how long the run took.
            places: slots of each step.

        Returns:
            None if no step did any work.
        """
        with self._lock:
            if not self._worked:
                return None
            step, waited = max(self._waited.items(), key=lambda item: item[1], default=(None, 0.0))
            if step is None or waited < WORTH_NAMING * seconds:
                step = max(self._worked, key=lambda name: self._worked[name])
                because = f"it worked for {self._worked[step]:.1f} s, the longest of all steps; no document waited"
            else:
                # Pools shrink and grow during a run, so that the work of a slot cannot be told from their last size.
                because = (
                    f"documents waited {waited:.1f} s in total for one of its slots (now {places.get(step, 1)}); "
                    f"the slots together worked {self._worked[step]:.1f} s in a run of {seconds:.1f} s"
                )
            return Bottleneck(step=step, waited=self._waited[step], worked=self._worked[step], because=because)


def _describe(event: Paused | Resumed | PoolResized | ToolHealth) -> str | None:
    match event:
        case Paused(cause=PauseCause.DISK):
            return f"work paused: only {event.value / 1e6:.0f} MB were free on the disk. {event.advice}".strip()
        case Paused():
            return f"work paused: {event.cause} was at {event.value:.0f}"
        case PoolResized() if event.size < event.full_size:
            return f"{event.step} was reduced to {event.size} of {event.full_size} slots for a time: {event.because}"
        case ToolHealth(healthy=False):
            return f"{event.tool} was unable to work: {event.detail}"
    return None
