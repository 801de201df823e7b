"""Circuit breaker: stops calls to tools that are missing or keep dying, and limits parallel calls (ENG-10)."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass

from octavo.plugins import PluginInfo
from octavo.settings.step_names import StepName
from octavo_contracts import Capability, OctavoError, RetryableToolFailure, ToolUnavailable

from .events import EventHub, ToolHealth
from .pools import StepPools

SUSPECT_AFTER = 3
"""Consecutive deaths, of any documents, after which a tool is examined before its next call."""
BELIEVED_SECONDS = 1.0
"""How long the check for a missing tool is cached: it searches through Python's folders."""
REST_SECONDS = 2.0
"""How long the circuit stays open after a failed examination."""


@dataclass(slots=True)
class _Record:
    """State of one tool."""

    checked_at: float = float("-inf")
    missing: str | None = None
    deaths: int = 0
    open_until: float = float("-inf")
    failure: str = ""


class ToolBreaker:
    """Admits calls to converters whose tools are installed and healthy, as many at once as there are slots.

    Args:
        pools: the slots.
        heavy: names of the plugins that take a slot of `convert_heavy`.
        examine: loads a plugin in a worker; returns the error, or None if it loads.
        events: receives an event when a tool fails or recovers.
        clock: seconds; must not jump.
    """

    def __init__(
        self,
        pools: StepPools,
        *,
        heavy: frozenset[str],
        examine: Callable[[PluginInfo], OctavoError | None],
        events: EventHub,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._pools = pools
        self._heavy = heavy
        self._examine = examine
        self._events = events
        self._clock = clock
        self._lock = threading.Lock()
        self._records: dict[str, _Record] = {}

    def _step_of(self, plugin: PluginInfo) -> StepName:
        """The step whose slots a call of a plugin takes: one that asks a server waits, and holds no slot of conversion."""
        return StepName.MODEL if Capability.NETWORK in plugin.manifest.capabilities else self.step_of(plugin.name)

    def step_of(self, plugin: str) -> StepName:
        """The step whose slots a plugin takes."""
        return StepName.CONVERT_HEAVY if plugin in self._heavy else StepName.CONVERT

    @contextmanager
    def admit(self, plugin: PluginInfo, cancel: threading.Event | None) -> Iterator[None]:
        """Guard one call: check the tool, wait for a slot, and record whether the worker survived.

        Raises:
            ToolUnavailable: the tool is missing, or failed its examination and has not recovered.
            Cancelled: `cancel` was set while it waited.
        """
        self._check(plugin)
        with self._pools[self._step_of(plugin)].slot(cancel=cancel):
            try:
                yield
            except RetryableToolFailure:
                self._record_death(plugin)
                raise
            self._record_success(plugin)

    @contextmanager
    def visit(self, plugin: PluginInfo, cancel: threading.Event | None) -> Iterator[None]:
        """As `admit`, for a call that must not affect the tool's health, such as one for a comparison.

        Raises:
            ToolUnavailable, Cancelled: as `admit`.
        """
        self._check(plugin)
        with self._pools[self._step_of(plugin)].slot(cancel=cancel):
            yield

    def slot(self, step: StepName, *, cancel: threading.Event | None) -> AbstractContextManager[object]:
        """Guard a step that calls no converter: wait for one of its slots and hold it.

        Raises:
            Cancelled: `cancel` was set while it waited.
        """
        return self._pools[step].slot(cancel=cancel)

    def lacks(self, plugin: PluginInfo) -> bool:
        """Whether a tool is known to be unavailable, without calling it."""
        if plugin.missing() is not None:
            return True
        with self._lock:
            return self._clock() < self._record(plugin).open_until

    def _record(self, plugin: PluginInfo) -> _Record:
        return self._records.setdefault(plugin.name, _Record())

    def _check(self, plugin: PluginInfo) -> None:
        with self._lock:
            record = self._record(plugin)
            now = self._clock()
            if now - record.checked_at >= BELIEVED_SECONDS:
                record.missing = plugin.missing()
                record.checked_at = now
            if record.missing is not None:
                raise ToolUnavailable(record.missing, plugin=plugin.name)
            if now < record.open_until:
                raise self._unavailable(plugin, record)
            if record.deaths < SUSPECT_AFTER:
                return
        # Outside the lock: a cold start of a heavy engine takes seconds and must not block the other tools.
        error = self._examine(plugin)
        with self._lock:
            was_open = bool(record.failure)
            if error is None:
                record.deaths, record.failure = 0, ""
                if was_open:
                    self._events.emit(ToolHealth(tool=plugin.name, healthy=True))
                return
            record.failure, record.open_until = error.message, self._clock() + REST_SECONDS
            if not was_open:
                self._events.emit(ToolHealth(tool=plugin.name, healthy=False, detail=error.message))
            raise self._unavailable(plugin, record)

    def _unavailable(self, plugin: PluginInfo, record: _Record) -> ToolUnavailable:
        return ToolUnavailable(
            f"the plugin died {record.deaths} times in a row and cannot be loaded: {record.failure}", plugin=plugin.name
        )

    def _record_death(self, plugin: PluginInfo) -> None:
        with self._lock:
            self._record(plugin).deaths += 1

    def _record_success(self, plugin: PluginInfo) -> None:
        with self._lock:
            self._record(plugin).deaths = 0
