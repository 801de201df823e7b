"""The time that work on one document may take in all: calls of the plugins tried on it, of those for its pictures, the host's own."""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace

from octavo_contracts import ConversionTimeout
from octavo_sandbox import SandboxLimits

from ..text.deadline import DeadlineExceeded, deadline

LEAST_SECONDS = 0.05
"""Less time than this is none: no worker answers within it."""


class TimeBudget:
    """Seconds that the calls of one document share. Each call gets its own limit, or what is left where that is less.

    Without it a document that makes every engine run into its deadline costs the sum of their deadlines. A call that
    had to wait for a free worker counts for no more than its limit, so that a busy host fails no document by itself.
    Thread-safe: of calls made at once each counts in full.

    Args:
        seconds: for all calls.
        of: what shares them, for the message.
    """

    def __init__(self, seconds: float, *, of: str = "all plugins together") -> None:
        self.seconds = seconds
        self._of = of
        self._used = 0.0
        self._lock = threading.Lock()

    @property
    def is_used_up(self) -> bool:
        """Whether no further call can be made."""
        return self.seconds - self._used < LEAST_SECONDS

    @contextmanager
    def call(self, limits: SandboxLimits) -> Iterator[SandboxLimits]:
        """Give the limits of a call that is made inside, and take its time off.

        Raises:
            ConversionTimeout: nothing is left.
        """
        if self.is_used_up:
            raise ConversionTimeout(f"the {self.seconds:g} s for {self._of} are used up")
        allowed = replace(limits, wall_seconds=min(limits.wall_seconds, self.seconds - self._used))
        started = time.monotonic()
        try:
            yield allowed
        finally:
            with self._lock:
                self._used += min(time.monotonic() - started, allowed.wall_seconds)

    @contextmanager
    def work(self, limits: SandboxLimits) -> Iterator[None]:
        """Hold what the host itself computes inside to the limits of a call, and take its time off.

        The work stops at its next `octavo.text.deadline.checkpoint`: nobody can stop it from outside.

        Raises:
            ConversionTimeout: nothing is left, or the work was not done in time.
        """
        with self.call(limits) as allowed:
            try:
                with deadline(allowed.wall_seconds):
                    yield
            except DeadlineExceeded as error:
                raise ConversionTimeout(
                    f"the converted text could not be cut, hashed and scored: {error}",
                    remedy="Try again with a longer --timeout",
                ) from error
