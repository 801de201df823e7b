"""Negative cache for engines that reported missing model weights. Entries expire after 60 s.

It applies only to engines whose manifest names weights: what other engines lack may concern a single document.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

from octavo_contracts import ToolUnavailable

BELIEVED_SECONDS: Final = 60.0
"""Lifetime of an entry. A retry costs a worker call per document, but weights may have been installed meanwhile."""


@dataclass(frozen=True, slots=True)
class _Entry:
    """The error of an engine, and when it expires."""

    message: str
    remedy: str
    until: float


class UnavailableEngines:
    """Engines that lack their model, and so read no document of a media type. Thread-safe.

    Args:
        clock: monotonic clock in seconds.
    """

    def __init__(self, *, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._lock = threading.Lock()
        self._entries: dict[tuple[str, str], _Entry] = {}

    def note(self, error: ToolUnavailable, *, plugin: str, media_type: str) -> None:
        """Store the error of a call if the plugin raised it; a worker that failed to start is no evidence."""
        if not hasattr(error, "worker_traceback"):  # set on errors raised in a worker
            return
        entry = _Entry(error.message, error.remedy, self._clock() + BELIEVED_SECONDS)
        with self._lock:
            self._entries[plugin, media_type] = entry

    def forget(self, plugin: str, media_type: str) -> None:
        """Remove an entry, after the plugin read a document of the type."""
        with self._lock:
            self._entries.pop((plugin, media_type), None)

    def knows(self, plugin: str, media_type: str) -> bool:
        """Return whether the plugin is known to be unable to read the type now."""
        return self._valid_entry(plugin, media_type) is not None

    def refuse(self, plugin: str, media_type: str) -> None:
        """Raise the cached error of a plugin, if any.

        Raises:
            ToolUnavailable: the plugin is known to be unable to read the type now.
        """
        entry = self._valid_entry(plugin, media_type)
        if entry is not None:
            raise ToolUnavailable(entry.message, plugin=plugin, remedy=entry.remedy)

    def _valid_entry(self, plugin: str, media_type: str) -> _Entry | None:
        with self._lock:
            entry = self._entries.get((plugin, media_type))
            return entry if entry is not None and self._clock() < entry.until else None
