"""The cost of sampling during ingestion, computed from the engine's events."""

from __future__ import annotations

import threading
from dataclasses import dataclass

from ...ingestion.events import EngineEvent, Sampled


@dataclass(frozen=True, kw_only=True)
class SamplingCost:
    """The cost of second conversions.

    Attributes:
        documents: documents that were also converted by a second plugin.
        seconds: total duration of the second conversions.
        diverging: documents whose two conversions diverge, by routing type.
    """

    documents: int
    seconds: float
    diverging: dict[str, int]


class CostMeter:
    """Sums up the `Sampled` events that it receives. Thread-safe."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._events: list[Sampled] = []

    def __call__(self, event: EngineEvent, /) -> None:
        """Count one event."""
        if isinstance(event, Sampled):
            with self._lock:
                self._events.append(event)

    @property
    def cost(self) -> SamplingCost:
        """The cost so far."""
        with self._lock:
            events = list(self._events)
        diverging = [event.routing_type for event in events if event.diverges]
        return SamplingCost(
            documents=len(events),
            seconds=round(sum(event.seconds for event in events), 3),
            diverging={kind: diverging.count(kind) for kind in sorted(set(diverging))},
        )
