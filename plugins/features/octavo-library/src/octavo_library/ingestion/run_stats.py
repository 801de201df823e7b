"""What a run adds up to: counts, waits, what held it back, and the step that it waited for most (ENG-8, ENG-16)."""

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
"""Part of a run's time from which waiting for places is called its bottleneck."""


@dataclass(frozen=True, kw_only=True)
class Bottleneck:
    """The step that a run could be made faster at.

    Attributes:
        step: which.
        waited: seconds that its documents waited for it, together.
        worked: seconds that it worked on them, together.
        because: why, as a sentence.
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
        run_id: whose events; those of no run count too, as what they tell of holds for every run.
    """

    def __init__(self, run_id: str) -> None:
        self._run_id = run_id
        self._lock = threading.Lock()
        self.ended: Counter[str] = Counter()
        """Ended jobs by state, and by reason for those that hard-failed."""
        self.reused = 0
        """Documents that were known."""
        self._waiting: dict[str, str] = {}
        self.again = 0
        """Tries that were made again by themselves."""
        self.taken_over = 0
        """Jobs taken over from owners that were gone."""
        self.commits = 0
        """Transactions of the writer."""
        self._waited: defaultdict[StepName, float] = defaultdict(float)
        self._worked: defaultdict[StepName, float] = defaultdict(float)
        self._degraded: dict[str, None] = {}

    def __call__(self, event: EngineEvent, /) -> None:
        """Take one event."""
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
                self._say(f"{event.reason} was tried again")
            case Committed():
                self.commits += 1
                self._worked[StepName.INDEX_WRITE] += event.seconds
            case Paused() | Resumed() | PoolResized() | ToolHealth():
                self._say(_of_machine(event))

    def _say(self, sentence: str | None) -> None:
        if sentence is not None:
            self._degraded.setdefault(sentence)

    @property
    def waiting(self) -> Counter[str]:
        """Jobs put aside that have not ended since, by what they wait for."""
        with self._lock:
            return Counter(self._waiting.values())

    @property
    def degraded(self) -> tuple[str, ...]:
        """What was held back or given up, each in a sentence, in the order in which it first happened."""
        waiting = (f"{count} documents wait: {reason}" for reason, count in sorted(self.waiting.items()))
        return (*self._degraded, *waiting)

    def bottleneck(self, *, seconds: float, places: Mapping[StepName, int]) -> Bottleneck | None:
        """The step that documents waited for most; where nothing waited, the one that took longest.

        Args:
            seconds: how long the run took.
            places: how many documents each step takes at once.

        Returns:
            None where no step was at work.
        """
        with self._lock:
            if not self._worked:
                return None
            step, waited = max(self._waited.items(), key=lambda item: item[1], default=(None, 0.0))
            if step is None or waited < WORTH_NAMING * seconds:
                step = max(self._worked, key=lambda name: self._worked[name])
                because = f"it worked for {self._worked[step]:.1f} s, longer than any other; nothing waited for a place"
            else:
                size = places.get(step, 1)
                because = (
                    f"documents waited {waited:.1f} s in all for one of {size} place{'s' if size > 1 else ''}, "
                    f"each of which worked {self._worked[step] / size:.1f} s of {seconds:.1f} s"
                )
            return Bottleneck(step=step, waited=self._waited[step], worked=self._worked[step], because=because)


def _of_machine(event: Paused | Resumed | PoolResized | ToolHealth) -> str | None:
    match event:
        case Paused(cause=PauseCause.DISK):
            return f"work paused: {event.value / 1e6:.0f} MB were free on the disk. {event.advice}".strip()
        case Paused():
            return f"work paused: {event.cause} was at {event.value:.0f}"
        case PoolResized() if event.size < event.full_size:
            return f"{event.step} had {event.size} of {event.full_size} places for a time: {event.because}"
        case ToolHealth(healthy=False):
            return f"{event.tool} could not work: {event.detail}"
    return None
