"""Keeps a library's claims on its jobs alive while it works on them (ENG-6)."""

from __future__ import annotations

import logging
import threading
from typing import TYPE_CHECKING

from octavo_contracts import OctavoError
from sqlalchemy.exc import SQLAlchemyError

if TYPE_CHECKING:
    from ..storage import Index

LEASE_SECONDS = 600.0
"""How long a claim lasts without renewal (ENG-10: ten minutes for a conversion)."""

_log = logging.getLogger("octavo.ingestion")


class Heartbeat:
    """Renews every claim of an owner at a third of the lease, from a thread of its own that ends with `close`.

    Args:
        index: where the claims are.
        owner: whose claims.
        interval: seconds between renewals.
    """

    def __init__(self, index: Index, *, owner: str, interval: float = LEASE_SECONDS / 3) -> None:
        self._index = index
        self._owner = owner
        self._interval = interval
        self._stop = threading.Event()
        self._thread: threading.Thread | None = None
        self._lock = threading.Lock()

    def start(self) -> None:
        """Begin, unless it beats already. Called when the first job is claimed: a library that only reads has none."""
        with self._lock:
            if self._thread is None:
                self._thread = threading.Thread(target=self._beat, name="octavo-heartbeat", daemon=True)
                self._thread.start()

    def close(self) -> None:
        """End, and wait until it has ended."""
        self._stop.set()
        with self._lock:
            if self._thread is not None:
                self._thread.join()

    def _beat(self) -> None:
        while not self._stop.wait(self._interval):
            try:
                self._index.jobs.renew(owner=self._owner, lease_seconds=LEASE_SECONDS)
            except (OctavoError, SQLAlchemyError) as error:
                # The work itself will meet the same trouble and report it; a missed beat alone loses nothing.
                _log.warning("claims could not be renewed: %s", error)
