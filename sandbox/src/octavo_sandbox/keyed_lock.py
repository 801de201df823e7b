"""A lock for each key, so that threads of one process work on different documents at once and never on the same one."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager

from .errors import raise_if

WAIT_SECONDS = 0.05
"""Seconds between two checks of a waiting thread whether its caller has cancelled."""


class _Entry:
    """The lock of one key, and the number of threads that hold it or wait for it."""

    def __init__(self) -> None:
        self.lock = threading.Lock()
        self.users = 0


class KeyedLock:
    """Locks by key: the hash of a document (ENG-22), or the name of a web host. Thread-safe.

    The entry of a key is dropped when the last thread that holds it or waits for it leaves.
    """

    def __init__(self) -> None:
        self._entries: dict[str, _Entry] = {}
        self._lock = threading.Lock()

    @contextmanager
    def holding(self, key: str, *, cancel: threading.Event | None) -> Iterator[None]:
        """Hold the lock of a key, waiting until it is free.

        Raises:
            Cancelled: the caller cancelled while another thread held the lock.
        """
        self.acquire(key, cancel=cancel)
        try:
            yield
        finally:
            self.release(key)

    def acquire(self, key: str, *, cancel: threading.Event | None) -> None:
        """Acquire the lock of a key, waiting until it is free. Any thread may `release` it.

        Raises:
            Cancelled: the caller cancelled while another thread held the lock.
        """
        entry = self._join(key)
        try:
            while not entry.lock.acquire(timeout=WAIT_SECONDS):
                raise_if(cancel)
        except BaseException:
            self._leave(key, entry)
            raise

    def try_acquire(self, key: str) -> bool:
        """Acquire the lock of a key if it is free. Any thread may `release` it."""
        entry = self._join(key)
        if entry.lock.acquire(blocking=False):
            return True
        self._leave(key, entry)
        return False

    def release(self, key: str) -> None:
        """Release the lock of a key."""
        entry = self._entries[key]
        entry.lock.release()
        self._leave(key, entry)

    def _join(self, key: str) -> _Entry:
        with self._lock:
            entry = self._entries.setdefault(key, _Entry())
            entry.users += 1
            return entry

    def _leave(self, key: str, entry: _Entry) -> None:
        with self._lock:
            entry.users -= 1
            if not entry.users:
                del self._entries[key]
