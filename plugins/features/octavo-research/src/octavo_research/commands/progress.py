"""Tells on stderr what a long run is doing."""

from __future__ import annotations

import threading
import time
from collections import Counter

EVERY = 2.0
"""Seconds between two lines, and before the first one: a short run says nothing."""

_DOING = {
    "plan": "planning",
    "gather": "searching",
    "search": "searching",
    "select": "choosing sources",
    "read": "reading source {count}",
    "refine": "comparing what was read",
    "model": "asking the model, request {count}",
    "synthesis": "writing the report",
}
"""Beginning of a step's name → what the run does in it."""


class ProgressLines:
    """An observer of a run's steps. Safe for many threads."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._began = self._last = time.monotonic()
        self._counts: Counter[str] = Counter()

    def __call__(self, event: str, name: str) -> None:
        """Print a line where a step begins, unless the last one is too recent."""
        from octavo_cli.toolkit.output import note

        kind = name.partition(":")[0]
        if event != "start" or kind not in _DOING:
            return
        with self._lock:
            self._counts[kind] += 1
            now = time.monotonic()
            if now - self._last < EVERY:
                return
            self._last = now
            told = _DOING[kind].format(count=self._counts[kind])
        note(f"octavo: {told} ({now - self._began:.0f} s)")
