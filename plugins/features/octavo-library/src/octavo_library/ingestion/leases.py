"""Renews the leases of claimed jobs while this process works on them (ENG-6)."""

from __future__ import annotations

import logging
import threading
from typing import TYPE_CHECKING

from octavo_contracts import OctavoError
from sqlalchemy.exc import SQLAlchemyError

from .outage_log import OutageLog

if TYPE_CHECKING:
    from ..storage import Index

LEASE_SECONDS = 600.0
"""Duration of a lease without renewal (ENG-10: ten minutes for a conversion)."""

_log = logging.getLogger("octavo.ingestion")


class Heartbeat:
    """Renews the leases of an owner at a third of the lease duration, in a background thread that ends with `close`.

    Args:
        index: the index with the jobs.
        owner: the owner.
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
        """Start the thread once. Called when the first job is claimed: a library that only reads needs no heartbeat."""
        with self._lock:
            if self._thread is None:
                self._thread = threading.Thread(target=self._beat, name="octavo-heartbeat", daemon=True)
                self._thread.start()

    def close(self) -> None:
        """Stop the thread and wait for its end."""
        self._stop.set()
        with self._lock:
            if self._thread is not None:
                self._thread.join()

    def _beat(self) -> None:
        outage = OutageLog(_log, "renew the leases of claimed jobs")
        while not self._stop.wait(self._interval):
            try:
                self._index.jobs.renew(owner=self._owner, lease_seconds=LEASE_SECONDS)
                outage.succeeded()
            except (OctavoError, SQLAlchemyError) as error:
                # The work itself meets the same error and reports it; one missed renewal loses nothing.
                outage.failed(error)
