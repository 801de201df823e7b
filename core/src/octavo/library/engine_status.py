"""What a library offers of its engine: events, what holds it back, what goes on. `Library` is built on it."""

from __future__ import annotations

from ..ingestion.engine import Engine
from ..ingestion.events import EventHub
from ..ingestion.run_stats import Bottleneck
from ..ingestion.throttle import Hold


class HasEngine:
    """The part of `Library` that tells how its engine gets on."""

    engine: Engine

    @property
    def events(self) -> EventHub:
        """Where to listen to what the engine does, while it does it."""
        return self.engine.events

    def user_active(self) -> None:
        """Say that a person uses this machine now: pools shrink for a minute, and grow again by themselves (ENG-9)."""
        self.engine.throttle.user_active()

    def holds(self) -> list[Hold]:
        """Why new work is held back at this moment, and at which value it goes on; empty while it is not (ENG-30)."""
        return self.engine.throttle.holds()

    def wait_for_resumed(self, *, seconds: float) -> bool:
        """Wait until what was cut short, and goes on since this opening, has ended: reconversions, searches for entities (ENG-6).

        Args:
            seconds: at most so long.

        Returns:
            Whether it has. What is left goes on at the next opening.
        """
        return self.engine.waking.wait(seconds)

    def bottleneck(self) -> Bottleneck | None:
        """The step that the last run of `ingest_many` waited for most, and why (ENG-8); None before the first."""
        return self.engine.last_bottleneck
