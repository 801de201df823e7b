"""The time that one document may take in all, however many plugins are tried on it."""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace

from octavo_contracts import ConversionTimeout

from .sandbox import SandboxLimits

LEAST_SECONDS = 0.05
"""Less time than this is none: no worker answers within it."""


class TimeBudget:
    """Seconds that the calls of one document share. Each call gets its own limit, or what is left where that is less.

    Without it a document that makes every engine run into its deadline costs the sum of their deadlines. A call that
    had to wait for a free worker counts for no more than its limit, so that a busy host fails no document by itself.

    Args:
        seconds: for all calls.
    """

    def __init__(self, seconds: float) -> None:
        self.seconds = seconds
        self._used = 0.0

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
            raise ConversionTimeout(f"the {self.seconds:g} s for all plugins together are used up")
        allowed = replace(limits, wall_seconds=min(limits.wall_seconds, self.seconds - self._used))
        started = time.monotonic()
        try:
            yield allowed
        finally:
            self._used += min(time.monotonic() - started, allowed.wall_seconds)
