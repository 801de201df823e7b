"""Samples in the background while a library is open and idle: an ingestion is never delayed by a comparison (CNV-4)."""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from octavo_contracts import OctavoError

_log = logging.getLogger("octavo.library")

IDLE_SECONDS = 10.0
"""Seconds after the last ingestion before sampling begins. A command that ends sooner never samples."""


Sample = Callable[[threading.Event], None]
"""Makes the comparisons that wait, until its event is set."""


class IdleSampling:
    """Runs a function on a background thread while no ingestion runs. Thread-safe."""

    def __init__(self) -> None:
        self._sample: Sample = lambda _stop: None
        self._state = threading.Condition()
        self._active = 0
        self._due = 0.0
        self._stop = threading.Event()
        self._is_closed = False
        self._thread: threading.Thread | None = None

    @contextmanager
    def paused(self, sample: Sample) -> Iterator[None]:
        """Hold while an ingestion runs: a comparison in work is cancelled, and waits again.

        Args:
            sample: runs once the library is idle.
        """
        with self._state:
            self._sample = sample
            self._active += 1
            self._stop.set()
        try:
            yield
        finally:
            with self._state:
                self._active -= 1
                if not self._active and not self._is_closed:
                    self._due = time.monotonic() + IDLE_SECONDS
                    if self._thread is None:
                        self._thread = threading.Thread(target=self._work, name="octavo-sampling", daemon=True)
                        self._thread.start()
                    self._state.notify_all()

    def close(self) -> None:
        """Cancel the comparison in work and end the thread."""
        with self._state:
            self._is_closed = True
            self._stop.set()
            self._state.notify_all()
            thread = self._thread
        if thread is not None:
            thread.join()

    def _work(self) -> None:
        while (stop := self._idle()) is not None:
            try:
                self._sample(stop)
            except OctavoError as error:
                _log.info("sampling ended: %s", error)
            with self._state:
                if not stop.is_set():
                    self._thread = None
                    return

    def _idle(self) -> threading.Event | None:
        """Wait until no ingestion has run for a while; return the event that ends the sampling, None after `close`."""
        with self._state:
            while not self._is_closed:
                left = self._due - time.monotonic()
                if not self._active and left <= 0:
                    self._stop = threading.Event()
                    return self._stop
                self._state.wait(None if self._active else left)
        return None
