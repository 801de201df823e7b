"""`library.engine`: events, throttles, resumed jobs and bottlenecks of the engine."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..ingestion.events import EventHub
from .context import LibraryContext

if TYPE_CHECKING:
    from ..ingestion.run_stats import Bottleneck
    from ..ingestion.throttle import ThrottleReason


class EngineStatus:
    """Monitors the engine of an open library.

    Args:
        context: the library's parts.
    """

    def __init__(self, context: LibraryContext) -> None:
        self._context = context

    @property
    def events(self) -> EventHub:
        """Publishes the engine's events as they happen; call `subscribe` to listen."""
        return self._context.events

    def notify_user_active(self) -> None:
        """Report that a person is using this machine: pools shrink for a minute, then grow again (ENG-9)."""
        self._context.engine.throttle.user_active()

    def throttles(self) -> list[ThrottleReason]:
        """Why new work is paused now, and the value at which it resumes; empty if it is not (ENG-30)."""
        engine = self._context.engine_if_made
        return engine.throttle.holds() if engine is not None else []

    def wait_until_resumed(self, *, seconds: float) -> bool:
        """Wait for the jobs that were resumed when the library was opened, such as reconversions (ENG-6).

        Args:
            seconds: maximum wait.

        Returns:
            Whether all of them have ended. The others are resumed when the library is next opened.
        """
        engine = self._context.engine_if_made
        return engine is None or engine.retries.wait_until_resumed(seconds)

    def wait_for_follow_ups(self, *, seconds: float) -> bool:
        """Wait for the work that follows ingestions in the background, such as briefs (INT-1).

        Args:
            seconds: maximum wait.

        Returns:
            Whether nothing is left. What is left at `Library.close` is done after the next opening.
        """
        engine = self._context.engine_if_made
        return engine is None or engine.retries.wait_for_follow_ups(seconds)

    def bottleneck(self) -> Bottleneck | None:
        """The step that the last run of `ingest_many` waited for most, and why (ENG-8); None before the first."""
        engine = self._context.engine_if_made
        return engine.last_bottleneck if engine is not None else None
