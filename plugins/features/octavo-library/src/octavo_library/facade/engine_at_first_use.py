"""The ingestion engine of an open library, made at its first use: a library that is only read loads no converter code."""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import TYPE_CHECKING

from octavo_contracts import UsageError

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
        self._is_closed = False

    @property
    def made(self) -> Engine | None:
        """The engine if it was made, or None."""
        return self._made

    def get(self) -> Engine:
        """The engine.

        Raises:
            UsageError: the library is closed, and nothing has used the engine before.
        """
        if (made := self._made) is not None:
            return made
        with self._lock:
            if self._made is None:
                if self._is_closed:
                    raise UsageError("the library is closed", remedy="Open it with Library.open")
                self._made = self._make()
            return self._made

    def close(self) -> None:
        """End the engine if it was made; no other is made."""
        with self._lock:
            self._is_closed = True
            made = self._made
        if made is not None:
            made.close()
