"""Log lines of an outage: its beginning, now and then that it goes on, and its end."""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Callable

REMINDER_SECONDS = 300.0
"""Time between two warnings of an outage that goes on."""


class OutageLog:
    """Logs an error that is met at each try once, and its end. Thread-safe.

    Args:
        log: the logger.
        what: what cannot be done, in words that follow "cannot".
        clock: seconds; must not jump.
    """

    def __init__(self, log: logging.Logger, what: str, *, clock: Callable[[], float] = time.monotonic) -> None:
        self._log = log
        self._what = what
        self._clock = clock
        self._lock = threading.Lock()
        self._since: float | None = None
        self._told = 0.0

    def failed(self, error: BaseException) -> None:
        """A try failed: a warning for the first one and every five minutes, information for the others."""
        with self._lock:
            now = self._clock()
            is_first = self._since is None
            if is_first:
                self._since = now
            level = logging.WARNING if is_first or now - self._told >= REMINDER_SECONDS else logging.INFO
            if level == logging.WARNING:
                self._told = now
        self._log.log(level, "cannot %s, trying again: %s", self._what, error)

    def succeeded(self) -> None:
        """A try succeeded: a warning if one had failed before."""
        with self._lock:
            since, self._since = self._since, None
        if since is not None:
            self._log.warning("can %s again, after %.0f s", self._what, self._clock() - since)
