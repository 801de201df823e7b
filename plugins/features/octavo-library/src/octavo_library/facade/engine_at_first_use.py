"""The ingestion engine of an open library, made at its first use: a library that is only read loads no converter code."""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from ..ingestion.engine import Engine


class EngineAtFirstUse:
    """Makes an engine when it is first asked for, and ends it. Thread-safe.

    Args:
        make: makes the engine.
    """

    def __init__(self, make: Callable[[], Engine]) -> None:
        self._make = make
        self._lock = threading.Lock()
        self._made: Engine | None = None

    @property
    def made(self) -> Engine | None:
        """The engine if it was made, or None."""
        return self._made

    def get(self) -> Engine:
        """The engine."""
        if (made := self._made) is not None:
            return made
        with self._lock:
            if self._made is None:
                self._made = self._make()
            return self._made

    def close(self) -> None:
        """End the engine if it was made."""
        if self._made is not None:
            self._made.close()
