"""Keeps a process of a library of several machines alive in the index (ENG-6)."""

from __future__ import annotations

import logging
import os
import platform
import threading
from collections.abc import Callable, Sequence

from octavo_contracts import OctavoError
from sqlalchemy.exc import SQLAlchemyError

from ..storage import Index
from .outage_log import OutageLog

FORGET_SECONDS = 24 * 3600.0
"""How long the row of a dead process without jobs is kept, for people who ask what happened."""

_log = logging.getLogger("octavo.ingestion")


class HostLease:
    """The lease of this process, renewed in a background thread until `close`.

    Args:
        index: the index with the leases.
        owner: the name under which this process owns jobs.
        seconds: how long the process counts as alive without renewal; it renews at a third of it.
        kind: see `HostRecord`.
        labels: see `HostRecord`.
        on_beat: called after each renewal.
    """

    def __init__(
        self,
        index: Index,
        *,
        owner: str,
        seconds: float,
        kind: str = "library",
        labels: Sequence[str] = (),
        on_beat: Callable[[], None] = lambda: None,
    ) -> None:
        self._index = index
        self._owner = owner
        self._seconds = seconds
        self._kind = kind
        self._labels = tuple(labels)
        self._on_beat = on_beat
        self._stop = threading.Event()
        self._register()
        self._thread = threading.Thread(target=self._beat, name="octavo-host-lease", daemon=True)
        self._thread.start()

    def close(self) -> None:
        """Stop the thread, and record that the process has left."""
        self._stop.set()
        self._thread.join()
        try:
            self._index.hosts.remove(self._owner)
        except (OctavoError, SQLAlchemyError) as error:
            _log.warning("cannot remove the lease of this process, which will expire: %s", error)

    def _register(self) -> None:
        hosts = self._index.hosts
        host = platform.node()
        hosts.register(
            self._owner, host=host, pid=os.getpid(), seconds=self._seconds, kind=self._kind, labels=self._labels
        )
        hosts.remove_expired(seconds=FORGET_SECONDS)

    def _beat(self) -> None:
        outage = OutageLog(_log, "renew the lease of this process")
        while not self._stop.wait(self._seconds / 3):
            try:
                self._index.read_clock()
                if not self._index.hosts.renew(self._owner, seconds=self._seconds):
                    self._register()
                outage.succeeded()
                self._on_beat()
            except (OctavoError, SQLAlchemyError) as error:
                # The work meets the same error and reports it. Jobs that others take over meanwhile are fenced.
                outage.failed(error)
