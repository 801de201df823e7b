"""What sampling costs while documents come in, added up from the engine's events."""

from __future__ import annotations

import threading
from dataclasses import dataclass

from ...ingestion.events import EngineEvent, Sampled


@dataclass(frozen=True, kw_only=True)
class SamplingCost:
    """What the second conversions of some documents cost.

    Attributes:
        documents: documents that were converted by a second plugin as well.
        seconds: that their second conversions took, together.
        diverging: documents whose two conversions differ too much, by routing type.
    """

    documents: int
    seconds: float
    diverging: dict[str, int]


class CostMeter:
    """Adds up the `Sampled` events that it hears. Thread-safe."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._events: list[Sampled] = []

    def __call__(self, event: EngineEvent, /) -> None:
        """Take one event."""
        if isinstance(event, Sampled):
            with self._lock:
                self._events.append(event)

    @property
    def cost(self) -> SamplingCost:
        """What it comes to so far."""
        with self._lock:
            heard = list(self._events)
        diverging = [event.routing_type for event in heard if event.diverges]
        return SamplingCost(
            documents=len(heard),
            seconds=round(sum(event.seconds for event in heard), 3),
            diverging={kind: diverging.count(kind) for kind in sorted(set(diverging))},
        )
