"""Engines without their weights read no document of a kind, by their own word: believed for a while, not asked each time.

Only of an engine whose manifest names weights. What another one misses may be missing for one document alone.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

from octavo_contracts import ToolUnavailable

BELIEVED_SECONDS: Final = 60.0
"""To ask costs a call into a worker for each document. After this time it is asked again: weights may have been put in place."""


@dataclass(frozen=True, slots=True)
class _Word:
    """What an engine said, and until when it is believed."""

    message: str
    remedy: str
    until: float


class UnavailableEngines:
    """What engines said of themselves: an engine without its model reads no document of the type, whichever it is. Thread-safe.

    Args:
        clock: seconds; must not jump.
    """

    def __init__(self, *, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._lock = threading.Lock()
        self._words: dict[tuple[str, str], _Word] = {}

    def note(self, error: ToolUnavailable, *, plugin: str, media_type: str) -> None:
        """Keep what ended a call, where the plugin said it; a worker that did not start says nothing of the engine."""
        if not hasattr(error, "worker_traceback"):  # which marks what came out of a worker
            return
        word = _Word(error.message, error.remedy, self._clock() + BELIEVED_SECONDS)
        with self._lock:
            self._words[plugin, media_type] = word

    def forget(self, plugin: str, media_type: str) -> None:
        """The plugin has read a document of the type: what it said before holds no more."""
        with self._lock:
            self._words.pop((plugin, media_type), None)

    def knows(self, plugin: str, media_type: str) -> bool:
        """Whether it is known that the plugin cannot read the type now."""
        return self._standing(plugin, media_type) is not None

    def refuse(self, plugin: str, media_type: str) -> None:
        """Say at once what the plugin would say.

        Raises:
            ToolUnavailable: it is known that the plugin cannot read the type now.
        """
        word = self._standing(plugin, media_type)
        if word is not None:
            raise ToolUnavailable(word.message, plugin=plugin, remedy=word.remedy)

    def _standing(self, plugin: str, media_type: str) -> _Word | None:
        with self._lock:
            word = self._words.get((plugin, media_type))
            return word if word is not None and self._clock() < word.until else None
