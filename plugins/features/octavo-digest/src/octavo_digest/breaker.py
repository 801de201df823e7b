"""Circuit breaker: stops calls after repeated failures (DIG-21)."""

from __future__ import annotations

import threading
import time
from collections import deque
from collections.abc import Callable
from typing import Literal

State = Literal["closed", "open", "half_open"]
Pass = Literal["attempt", "probe"]
"""Permits an attempt: a normal one, or the single probe of a half-open breaker."""

WINDOW = 10
MIN_SAMPLES = 5
MAX_FAILED = 0.7
"""Tolerated share of failures; a higher share opens the breaker."""
COOL_DOWN_SECONDS = 60.0


class CircuitBreaker:
    """Counts the most recent attempts. Thread-safe.

    Closed: attempts are allowed. Open: none is. Half open, after the cool-down: one probe is allowed; if it succeeds, the
    breaker closes with an empty window; if it fails, the breaker opens for another cool-down.

    Args:
        clock: a monotonic clock, seconds.
        on_open: called with (failures, attempts in the window) each time the breaker opens.
    """

    def __init__(
        self,
        *,
        clock: Callable[[], float] = time.monotonic,
        on_open: Callable[[int, int], None] | None = None,
    ) -> None:
        self._clock = clock
        self._on_open = on_open
        self._lock = threading.Lock()
        self._window: deque[bool] = deque(maxlen=WINDOW)
        self._opened_at: float | None = None
        self._probing = False

    @property
    def state(self) -> State:
        """The current state, which applies to the next attempt."""
        with self._lock:
            return self._state()

    def enter(self) -> Pass | None:
        """Request a permit for an attempt, to be returned with `record` or `leave`; None if it is refused."""
        with self._lock:
            state = self._state()
            if state == "closed":
                return "attempt"
            if state == "open" or self._probing:
                return None
            self._probing = True
            return "probe"

    def record(self, kind: Pass, *, failed: bool) -> None:
        """Record the result of a completed attempt; a timeout is a failure."""
        opened = None
        with self._lock:
            if kind == "probe":
                opened = self._end_probe(failed=failed)
            elif self._opened_at is None:
                # An attempt that began before the breaker opened says nothing about the current state.
                opened = self._count(failed=failed)
        if opened is not None and self._on_open is not None:
            self._on_open(*opened)

    def leave(self, kind: Pass) -> None:
        """Return the permit of an attempt without a result: it was cancelled or skipped."""
        if kind == "probe":
            with self._lock:
                self._probing = False

    def reset(self) -> None:
        """Close the breaker and clear its window, for a new iteration of the host."""
        with self._lock:
            self._window.clear()
            self._opened_at = None
            self._probing = False

    def _count(self, *, failed: bool) -> tuple[int, int] | None:
        self._window.append(failed)
        failures, attempts = sum(self._window), len(self._window)
        if attempts < MIN_SAMPLES or failures / attempts <= MAX_FAILED:
            return None
        self._opened_at = self._clock()
        return failures, attempts

    def _end_probe(self, *, failed: bool) -> tuple[int, int] | None:
        self._probing = False
        if self._opened_at is None:  # the breaker was reset meanwhile
            return None
        self._window.clear()
        self._opened_at = self._clock() if failed else None
        return (1, 1) if failed else None

    def _state(self) -> State:
        if self._opened_at is None:
            return "closed"
        return "half_open" if self._clock() - self._opened_at >= COOL_DOWN_SECONDS else "open"
