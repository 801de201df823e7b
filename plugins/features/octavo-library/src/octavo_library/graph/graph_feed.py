"""Gives the graphs of changed documents to the plugin that takes them, in the background (ENG-26).

Each transaction of the index names the documents that it changed. They are noted in a file before the writer goes on, and
a thread delivers their graphs, or removes a purged document from the intake. After a crash or a failure of the plugin the noted documents
are delivered by the next process that opens the library with the same setting; no ingestion, purge or link waits or fails for it.
"""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable, Iterable
from dataclasses import dataclass

from octavo_contracts import GraphIntake, OctavoError
from sqlalchemy.exc import SQLAlchemyError

from ..storage.index.touched import LIBRARY
from .index_graph import IndexGraph, fingerprint_of
from .pending_graphs import PendingGraphs

BATCH = 50
"""Documents that one process delivers before others get their turn."""
MOST_FAILURES = 3
"""Failures in a row after which deliveries wait until the library is opened again or synchronised."""
RETRY_SECONDS = 1.0
CLOSE_SECONDS = 30.0
"""How long closing the library waits for deliveries."""

_log = logging.getLogger("octavo.graph")


@dataclass(frozen=True, kw_only=True)
class GraphSync:
    """The outcome of a synchronisation.

    Attributes:
        put: documents whose graphs were given to the intake.
        removed: documents that the intake held and the library does not have.
        unchanged: documents whose graphs it had already.
    """

    put: int = 0
    removed: int = 0
    unchanged: int = 0


class GraphFeed:
    """Delivers the graphs of one open library. Thread-safe.

    Args:
        graph: reads the graphs.
        pending: the documents whose graphs are to be delivered.
        open_intake: opens the plugin's service; called once for each batch, so that the service sees what other processes wrote.
        documents: the ids of all documents of the library.
    """

    def __init__(
        self,
        graph: IndexGraph,
        pending: PendingGraphs,
        *,
        open_intake: Callable[[], GraphIntake],
        documents: Callable[[], Iterable[str]],
    ) -> None:
        self._graph = graph
        self._pending = pending
        self._open_intake = open_intake
        self._documents = documents
        self._condition = threading.Condition()
        self._thread: threading.Thread | None = None
        self._has_work = False
        self._is_closing = False
        self._failures = 0

    def resume(self) -> None:
        """Deliver what an earlier process left."""
        if len(self._pending):
            self._wake()

    def __call__(self, touched: frozenset[str]) -> None:
        """Note the documents that a transaction changed. A failure is logged: `sync` corrects what was missed."""
        changed = touched - {LIBRARY}
        if not changed:
            return
        try:
            self._pending.add(changed)
        except OctavoError as error:
            _log.warning("cannot note documents for the graph intake; run `octavo graph --sync`: %s", error)
            return
        self._wake()

    def sync(self) -> GraphSync:
        """Compare the intake with the index, give it what differs, and remove what the library does not have.

        Raises:
            OctavoError: the intake failed.
        """
        put = unchanged = 0
        with self._pending.turn():
            intake = self._open_intake()
            held = dict(intake.held())
            for document_id in self._documents():
                graphs = self._graph.of(document_id)
                if not graphs:  # purged meanwhile
                    continue
                fingerprint = fingerprint_of(graphs)
                if held.pop(document_id, None) == fingerprint:
                    unchanged += 1
                else:
                    intake.put(document_id, graphs, fingerprint=fingerprint)
                    put += 1
            if held:
                intake.remove(sorted(held))
        self._failures = 0
        return GraphSync(put=put, removed=len(held), unchanged=unchanged)

    def close(self) -> None:
        """Wait a while for deliveries, and stop; what is left is delivered at the next opening."""
        with self._condition:
            self._is_closing = True
            self._condition.notify_all()
            thread = self._thread
        if thread is not None:
            thread.join(CLOSE_SECONDS)

    # -- inside ---------------------------------------------------------------------------------------------

    def _wake(self) -> None:
        with self._condition:
            if self._is_closing or self._failures >= MOST_FAILURES:
                return
            self._has_work = True
            if self._thread is None:
                # A daemon: a plugin that never answers must not keep the process from ending.
                self._thread = threading.Thread(target=self._run, name="octavo-graph-feed", daemon=True)
                self._thread.start()
            self._condition.notify_all()

    def _run(self) -> None:
        while True:
            with self._condition:
                while not self._has_work and not self._is_closing:
                    self._condition.wait()
                if not self._has_work:
                    return
                self._has_work = False
            if not self._deliver_all():
                return

    def _deliver_all(self) -> bool:
        """Deliver until nothing is pending; returns whether to go on."""
        while True:
            try:
                if not self._deliver():
                    return True
                self._failures = 0
            except (OctavoError, SQLAlchemyError) as error:
                self._failures += 1
                if self._failures >= MOST_FAILURES or self._is_closing:
                    _log.warning("the graph intake failed; its documents are given to it again later: %s", error)
                    return False
                with self._condition:
                    self._condition.wait(RETRY_SECONDS)

    def _deliver(self) -> bool:
        """Deliver one batch; returns whether there was one."""
        with self._pending.turn():
            entries = self._pending.first(BATCH)
            if not entries:
                return False
            intake = self._open_intake()
            for entry in entries:
                document_id = entry[0]
                graphs = self._graph.of(document_id)
                if graphs:
                    intake.put(document_id, graphs, fingerprint=fingerprint_of(graphs))
                else:
                    intake.remove([document_id])
                self._pending.done([entry])
        return True
