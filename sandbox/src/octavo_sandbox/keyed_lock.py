"""One thread a document: of several that bring the same bytes at once, the first works and the others find its result."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager

from .errors import raise_if

WAIT_SECONDS = 0.05
"""How often a thread that waits for another one's work on a document looks whether it was cancelled."""


class _Turn:
    """The right to work on one document, and how many threads have it or wait for it."""

    def __init__(self) -> None:
        self.lock = threading.Lock()
        self.takers = 0


class Turns:
    """Who of this process's threads is at work on which document (ENG-22), or is asking which host of the web."""

    def __init__(self) -> None:
        self._turns: dict[str, _Turn] = {}
        self._lock = threading.Lock()

    @contextmanager
    def alone(self, raw_hash: str, *, cancel: threading.Event | None) -> Iterator[None]:
        """Wait until no other thread works on a document, and keep the others away.

        Raises:
            Cancelled: the caller cancelled while another thread was at work on it.
        """
        turn = self._join(raw_hash)
        try:
            while not turn.lock.acquire(timeout=WAIT_SECONDS):
                raise_if(cancel)
        except BaseException:
            self._leave(raw_hash, turn)
            raise
        try:
            yield
        finally:
            self.give_back(raw_hash)

    def try_take(self, raw_hash: str) -> bool:
        """Take a document if nobody has it, until `give_back`, which any thread may call."""
        turn = self._join(raw_hash)
        if turn.lock.acquire(blocking=False):
            return True
        self._leave(raw_hash, turn)
        return False

    def give_back(self, raw_hash: str) -> None:
        """Let the next one have a document that was taken."""
        turn = self._turns[raw_hash]
        turn.lock.release()
        self._leave(raw_hash, turn)

    def _join(self, raw_hash: str) -> _Turn:
        with self._lock:
            turn = self._turns.setdefault(raw_hash, _Turn())
            turn.takers += 1
            return turn

    def _leave(self, raw_hash: str, turn: _Turn) -> None:
        with self._lock:
            turn.takers -= 1
            if not turn.takers:
                del self._turns[raw_hash]
