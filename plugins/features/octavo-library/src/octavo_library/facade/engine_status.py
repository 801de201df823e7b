"""`library.engine`: what the engine does, what slows it down, and what it resumed."""

from __future__ import annotations

from ..ingestion.events import EventHub
from ..ingestion.run_stats import Bottleneck
from ..ingestion.throttle import ThrottleReason
from .context import LibraryContext


class EngineStatus:
    """The engine of an open library, as a host watches it.

    Args:
        context: the library's parts.
    """

    def __init__(self, context: LibraryContext) -> None:
        self._context = context

    @property
    def events(self) -> EventHub:
        """Publishes what the engine does, while it does it; subscribe to listen."""
        return self._context.events

    def notify_user_active(self) -> None:
        """Tell the engine that a person uses this machine now: pools shrink for a minute, then grow again (ENG-9)."""
        self._context.engine.throttle.user_active()

    def throttles(self) -> list[ThrottleReason]:
        """Why new work is held back now, and the value at which it goes on; empty while it is not (ENG-30)."""
        return self._context.engine.throttle.holds()

    def wait_until_resumed(self, *, seconds: float) -> bool:
        """Wait for the jobs that this opening resumed: reconversions, searches for entities (ENG-6).

        Args:
            seconds: the longest wait.

        Returns:
            Whether they have ended. What is left goes on at the next opening.
        """
        return self._context.engine.retries.wait_until_resumed(seconds)

    def bottleneck(self) -> Bottleneck | None:
        """The step that the last run of `ingest_many` waited for most, and why (ENG-8); None before the first."""
        return self._context.engine.last_bottleneck
