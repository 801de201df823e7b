"""How many documents a worker takes from the queue at a time."""

from __future__ import annotations

import threading
import time
from collections import deque
from collections.abc import Callable

AHEAD_SECONDS = 1.0
"""Work that a worker takes at a time: what it has taken, no other worker can convert."""

MOST = 50
"""Most documents that are taken at a time."""

_REMEMBERED = 32


class QueuePace:
    """The number of documents to take: one for each slot, and more while conversions are short. Thread-safe.

    A claim costs a transaction, however many documents it takes.

    Args:
        slots: documents converted in parallel.
        clock: seconds; must not jump.
    """

    def __init__(self, slots: int, *, clock: Callable[[], float] = time.monotonic) -> None:
        self._slots = slots
        self._clock = clock
        self._lock = threading.Lock()
        self._ended: deque[float] = deque(maxlen=_REMEMBERED)

    def note(self) -> None:
        """A conversion has ended."""
        with self._lock:
            self._ended.append(self._clock())

    def limit(self) -> int:
        """How many documents to take now."""
        with self._lock:
            if len(self._ended) < 2:
                return self._slots
            seconds = max(self._clock() - self._ended[0], 0.001)
            expected = int((len(self._ended) - 1) / seconds * AHEAD_SECONDS)
        return max(self._slots, min(MOST, expected))
