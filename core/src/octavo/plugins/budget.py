"""Time budget for all work on one document: plugin calls, OCR of its pictures, and the host's own processing."""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace

from octavo_contracts import ConversionTimeout
from octavo_sandbox import SandboxLimits
from octavo_text.deadline import DeadlineExceeded, deadline

LEAST_SECONDS = 0.05
"""A smaller remainder counts as used up: no worker responds that fast."""


class TimeBudget:
    """Seconds that the calls for one document share. Each call gets its own limit, or the rest of the budget if less.

    Without it a document that makes every engine time out costs the sum of their timeouts. Waiting for a free worker
    never counts for more than the call's limit, so that a busy host alone fails no document. Thread-safe: parallel
    calls each count in full.

    Args:
        seconds: for all calls.
        of: what shares the budget, for the message.
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
        """Yield the limits of a call, and subtract its time from the budget.

        Raises:
            ConversionTimeout: the budget is used up.
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
        """Apply the limits of a call to the host's own processing, and subtract its time from the budget.

        The code stops at its next `octavo_text.deadline.checkpoint`: it cannot be stopped from outside.

        Raises:
            ConversionTimeout: the budget is used up, or the processing exceeded it.
        """
        with self.call(limits) as allowed:
            try:
                with deadline(allowed.wall_seconds):
                    yield
            except DeadlineExceeded as error:
                raise ConversionTimeout(
                    f"the converted text could not be chunked, hashed and scored: {error}",
                    remedy="Try again with a longer --timeout",
                ) from error
