"""`library.queue`: documents that wait for workers, on this machine or others."""

from __future__ import annotations

import os
import threading
from collections.abc import Iterable
from dataclasses import dataclass, replace

from octavo.conversion.results import open_source
from octavo.documents.source import as_source
from octavo_contracts import TERMINAL_STATES, IngestionState, Intent, OctavoError, UsageError, file_ref
from octavo_sandbox.pool import usable_cores

from ..ingestion.queue_worker import QueueWorker, WorkerCounts
from ..storage import Index, NewJob
from ..storage.index.hosts import HostRecord
from ..storage.index.queue import QueueCounts
from .context import LibraryContext
from .ingest import Ingestion
from .ingest_batch import files_of, one_or_many
from .ingest_options import IngestOptions

BATCH = 100
"""Documents that are queued in one transaction."""


@dataclass(frozen=True, kw_only=True)
class Submitted:
    """What `submit` did with the sources.

    Attributes:
        queued: documents that wait for a worker now.
        known: documents that were in the library or in the queue already.
        unreadable: source → why it could not be opened.
    """

    queued: int
    known: int
    unreadable: dict[str, str]


class Queue:
    """The queue of a library.

    Args:
        context: the library's parts.
    """

    def __init__(self, context: LibraryContext) -> None:
        self._context = context

    def submit(
        self,
        sources: Iterable[str | os.PathLike[str]] | str | os.PathLike[str],
        *,
        options: IngestOptions | None = None,
    ) -> Submitted:
        """Queue documents for workers. Nothing is converted here.

        A worker on another machine needs the bytes: with `objects.originals = "stored"` they are stored now; otherwise the
        path must be readable there.

        Args:
            sources: paths and folders.
            options: options of the ingestion; without a password, which is not stored, and without a corpus: one document
                can wait for one policy context only (STO-5).

        Raises:
            UsageError: no such plugin or profile, or a password or a corpus was given.
            StorageError: the library cannot be written.
        """
        wanted = options or IngestOptions()
        if wanted.password is not None:
            raise UsageError("a password is not stored in the queue", remedy="Take it in with `octavo ingest`")
        if wanted.corpus is not None:
            raise UsageError(
                "a document of a corpus cannot wait in the queue", remedy="Take it in with `octavo ingest --corpus`"
            )
        engine = self._context.engine
        request = Ingestion(self._context).request(wanted, threading.Event())
        given, _ = files_of(one_or_many(sources), library=self._context.path)
        queued = known = 0
        unreadable: dict[str, str] = {}
        batch: list[tuple[NewJob, str | os.PathLike[str]]] = []

        def put() -> None:
            nonlocal queued, known
            new = list(batch)
            batch.clear()
            if new:
                owner = self._context.artifacts.owner
                started = engine.commits.call(lambda index: index.jobs.start_many([job for job, _ in new], owner=owner))
                for (_, source), one in zip(new, started, strict=True):
                    queued += one.is_new
                    known += not one.is_new
                    if not one.is_new and one.job.state in TERMINAL_STATES:
                        engine.ingestor.take(source, request)  # it is converted: this way in is recorded at once

        for one in given:
            try:
                with open_source(one, name=None) as source:  # type: ignore[arg-type]  # a wrong type is told by it
                    engine.originals.original_ref(source)
                    raw_hash = source.raw_file_hash
            except OctavoError as error:
                unreadable[str(one)] = f"{error.message} [{error.reason}]"
                continue
            job = engine.claims.new_job(raw_hash, Intent.INGEST, request, file_ref(os.fspath(one)))  # type: ignore[call-overload]  # as above
            steps = (IngestionState.HASH_CHECKED, IngestionState.SOURCE_STORED)
            batch.append((replace(job, steps=steps, is_claimed=False, is_queued=True), as_source(one)))
            if len(batch) >= BATCH:
                put()
        put()
        return Submitted(queued=queued, known=known, unreadable=unreadable)

    def counts(self) -> QueueCounts:
        """How many documents wait, and how many are taken."""
        return self._index.queue.counts()

    def hosts(self) -> tuple[HostRecord, ...]:
        """The processes of a library in an object store that have it open, on every machine."""
        return self._index.hosts.all()

    def work(
        self, *, stop: threading.Event | None = None, slots: int | None = None, until_empty: bool = False
    ) -> WorkerCounts:
        """Convert queued documents on this machine.

        Args:
            stop: set it from another thread to end: running documents return to the queue.
            slots: documents converted in parallel; by default one per core.
            until_empty: end when the queue is empty and no live process has a document of it.

        Raises:
            StorageError: the library is read-only.
        """
        self._index.check_writable()
        runtime = self._context.runtime
        slots = slots or runtime.settings.workers or usable_cores()
        worker = QueueWorker(self._context.engine, slots=slots, look_after=runtime.settings.objects.lease_seconds / 3)
        return worker.run(stop=stop or threading.Event(), until_empty=until_empty)

    @property
    def _index(self) -> Index:
        return self._context.index
