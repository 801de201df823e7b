"""Which tools can work at the moment, and how many documents each kind of them takes at once (ENG-10)."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass

from octavo.plugins import PluginInfo
from octavo.settings.step_names import StepName
from octavo_contracts import OctavoError, RetryableToolFailure, ToolUnavailable

from .events import EventHub, ToolHealth
from .pools import StepPools

SUSPECT_AFTER = 3
"""Deaths in a row, of whatever documents, after which a tool is examined before it gets another one."""
BELIEVED_SECONDS = 1.0
"""How long a look at what is installed holds: it costs a search through Python's folders."""
REST_SECONDS = 2.0
"""How long a tool that failed its examination is left alone before the next one."""


@dataclass(slots=True)
class _Record:
    """What is known of one tool."""

    looked: float = float("-inf")
    lacking: str | None = None
    deaths: int = 0
    ill_until: float = float("-inf")
    illness: str = ""


class ToolBreaker:
    """Lets calls to converters through: to tools that are there and well, as many at once as have places.

    Args:
        pools: the places.
        heavy: names of the plugins that take a place of `convert_heavy`.
        examine: loads a plugin in a worker and says what is wrong with it, or None.
        events: is told when a tool falls ill or recovers.
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

    def step_of(self, plugin: str) -> StepName:
        """The step whose places a plugin takes."""
        return StepName.CONVERT_HEAVY if plugin in self._heavy else StepName.CONVERT

    @contextmanager
    def admit(self, plugin: PluginInfo, cancel: threading.Event | None) -> Iterator[None]:
        """Around one call: checks the tool, waits for a place, and learns from how the call ended.

        Raises:
            ToolUnavailable: the tool is not there, or was found unable to work and has not recovered.
            Cancelled: `cancel` was set while it waited.
        """
        self._check(plugin)
        with self._pools[self.step_of(plugin.name)].slot(cancel=cancel):
            try:
                yield
            except RetryableToolFailure:
                self._died(plugin)
                raise
            self._lived(plugin)

    @contextmanager
    def visit(self, plugin: PluginInfo, cancel: threading.Event | None) -> Iterator[None]:
        """As `admit`, around a call that says nothing of the tool's health: one that is made only for a comparison.

        Raises:
            ToolUnavailable, Cancelled: as `admit`.
        """
        self._check(plugin)
        with self._pools[self.step_of(plugin.name)].slot(cancel=cancel):
            yield

    def slot(self, step: StepName, *, cancel: threading.Event | None) -> AbstractContextManager[object]:
        """Around a step of one document that calls no converter: waits for one of its places, and holds it.

        Raises:
            Cancelled: `cancel` was set while it waited.
        """
        return self._pools[step].slot(cancel=cancel)

    def lacks(self, plugin: PluginInfo) -> bool:
        """Whether a tool is known to be unable to work, without calling it."""
        if plugin.missing() is not None:
            return True
        with self._lock:
            return self._clock() < self._record(plugin).ill_until

    def _record(self, plugin: PluginInfo) -> _Record:
        return self._records.setdefault(plugin.name, _Record())

    def _check(self, plugin: PluginInfo) -> None:
        with self._lock:
            record = self._record(plugin)
            now = self._clock()
            if now - record.looked >= BELIEVED_SECONDS:
                record.lacking = plugin.missing()
                record.looked = now
            if record.lacking is not None:
                raise ToolUnavailable(record.lacking, plugin=plugin.name)
            if now < record.ill_until:
                raise self._ill(plugin, record)
            if record.deaths < SUSPECT_AFTER:
                return
        # Outside the lock: a cold start of a heavy engine takes seconds, and other tools are well.
        error = self._examine(plugin)
        with self._lock:
            was_ill = bool(record.illness)
            if error is None:
                record.deaths, record.illness = 0, ""
                if was_ill:
                    self._events.emit(ToolHealth(tool=plugin.name, healthy=True))
                return
            record.illness, record.ill_until = error.message, self._clock() + REST_SECONDS
            if not was_ill:
                self._events.emit(ToolHealth(tool=plugin.name, healthy=False, detail=error.message))
            raise self._ill(plugin, record)

    def _ill(self, plugin: PluginInfo, record: _Record) -> ToolUnavailable:
        return ToolUnavailable(
            f"it died {record.deaths} times in a row and cannot be loaded: {record.illness}", plugin=plugin.name
        )

    def _died(self, plugin: PluginInfo) -> None:
        with self._lock:
            self._record(plugin).deaths += 1

    def _lived(self, plugin: PluginInfo) -> None:
        with self._lock:
            self._record(plugin).deaths = 0
