"""`library.queue`: documents that wait for workers, on this machine or others."""

from __future__ import annotations

import os
import threading
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from octavo.conversion.results import open_source
from octavo.documents.source import Given
from octavo_contracts import TERMINAL_STATES, Intent, OctavoError, UsageError
from octavo_sandbox.pool import usable_cores

from ..ingestion.engine import Engine
from ..ingestion.queue_worker import QueueWorker, WorkerCounts
from ..ingestion.queued_jobs import as_queued, requeue
from ..ingestion.queued_run import Workers
from ..ingestion.requests import IngestRequest
from ..observability.audit import AuditAction, AuditLog
from ..storage import Index, Job, NewJob, document_id_for
from ..storage.index.hosts import HostRecord
from ..storage.index.queue import QUEUED, EndedCounts, QueueCounts
from ..storage.pipelined import each
from .context import LibraryContext
from .ingest import Ingestion
from .ingest_batch import IngestBatch, files_of, one_or_many
from .ingest_options import IngestOptions
from .queued_documents import QueuedDocument, queued_documents, withdraw

BATCH = 100
"""Documents that are queued in one transaction."""


@dataclass(frozen=True, kw_only=True)
class Submitted:
    """What `submit` did with the sources.

    Attributes:
        queued: documents that this call put into the queue.
        known: documents that were in the library or in the queue already.
        failed: source → why its document failed before: it would fail again, and is not queued.
        again: source → why its document failed before; it is queued again, and counted in `queued`.
        unreadable: source → why it could not be opened.
    """

    queued: int
    known: int
    failed: dict[str, str]
    unreadable: dict[str, str]
    again: dict[str, str] = field(default_factory=dict)


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
            Exception: the exception that the caller's iterator raised, after the sources before it were queued.
        """
        wanted = options or IngestOptions()
        if wanted.password is not None:
            raise UsageError("a password is not stored in the queue", remedy="Take it in with `octavo ingest`")
        if wanted.corpus is not None:
            raise UsageError(
                "a document of a corpus cannot wait in the queue", remedy="Take it in with `octavo ingest --corpus`"
            )
        request = Ingestion(self._context).request(wanted, threading.Event())
        given, _ = files_of(one_or_many(sources), library=self._context.path)
        submission = _Submission(self._context.engine, request, audit=self._context.audit)
        opened = Given(given)
        for one in opened:
            submission.add(one)
        submission.flush()
        if opened.error is not None:
            raise opened.error
        return Submitted(
            queued=submission.queued,
            known=submission.known,
            failed=submission.failed,
            unreadable=submission.unreadable,
            again=submission.again,
        )

    def ingest(
        self,
        sources: Iterable[str | os.PathLike[str]] | str | os.PathLike[str],
        *,
        workers: Workers,
        options: IngestOptions | None = None,
        cancel: threading.Event | None = None,
        named: Sequence[str] = (),
    ) -> IngestBatch:
        """Ingest documents as one run whose conversions are done by workers. Iterate the result.

        As `Library.ingest_many`, but the documents go through the queue. Web pages are fetched and converted here, and so
        are sources that cannot be read.

        Args:
            sources: paths, URLs and folders.
            workers: starts the workers at the beginning of the run, and ends them at its end.
            options: options of the ingestion; without a password and without `reingest`.
            cancel: set it from another thread to stop: the workers end, and what they did not begin leaves the queue.
            named: the sources as the user named them, for the record of the run.

        Raises:
            UsageError: no such plugin, profile or surface, or an option that workers cannot have.
            StorageError: the library cannot be written.
        """
        ingestion = Ingestion(self._context)
        return ingestion.queued(sources, options or IngestOptions(), workers=workers, cancel=cancel, named=named)

    @property
    def needs_paths(self) -> bool:
        """Whether workers need the paths of submitted documents: several machines share the library without the originals."""
        is_stored = self._context.runtime.settings.objects.originals == "stored"
        return self._context.artifacts.store.is_shared and not is_stored

    def counts(self) -> QueueCounts:
        """How many documents wait, and how many are taken."""
        return self._index.queue.counts()

    def ended(self, *, hours: float = 24.0) -> EndedCounts:
        """How the documents of the queue ended in the last hours."""
        return self._index.queue.ended(seconds=hours * 3600)

    def not_begun(self) -> int:
        """How many of the waiting documents a worker could not begin."""
        return self._index.queue.not_begun()

    def documents(self, *, limit: int | None = None) -> list[QueuedDocument]:
        """The documents in the queue: those that a process has, that no worker could begin, and that wait, oldest first.

        Args:
            limit: maximum number of documents; None: all.
        """
        return queued_documents(self._index.queue.listing(limit=limit))

    def withdraw(self, documents: Iterable[str | os.PathLike[str]] | str | os.PathLike[str]) -> list[QueuedDocument]:
        """Take documents out of the queue that no process has, for example because their files are gone.

        Nothing else is removed. A withdrawn document can be submitted or ingested again.

        Args:
            documents: paths, folders, file names, or ids or hashes of documents, or six or more of their first digits.

        Returns:
            The documents that are out of the queue now.

        Raises:
            UsageError: a name fits no document or more than one, or one that a process or a run in progress has. Nothing
                is withdrawn then.
            StorageError: the library cannot be written.
        """
        self._index.check_writable()
        given = [documents] if isinstance(documents, str | os.PathLike) else documents
        names = [os.fspath(one) for one in given]
        withdrawn = withdraw(self._index, names, is_running=self._is_running)
        for one in withdrawn:
            self._context.audit.record(AuditAction.WITHDRAWN, document_id=one.document_id)
        return withdrawn

    def _is_running(self, run_id: str) -> bool:
        from .runs.runs import Runs

        return Runs(self._context).get(run_id).condition == "running"

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
            until_empty: end when no document is queued that this worker can begin, and no live process has one.

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


_Asked = tuple[str | os.PathLike[str], NewJob]


class _Submission:
    """Opens sources and queues them in batches.

    Args:
        engine: the engine of the open library.
        request: the request of every job.
        audit: the audit log.
    """

    def __init__(self, engine: Engine, request: IngestRequest, *, audit: AuditLog) -> None:
        self._engine = engine
        self._audit = audit
        self._request = request
        self._batch: list[str | os.PathLike[str]] = []
        self.queued = 0
        self.known = 0
        self.failed: dict[str, str] = {}
        self.again: dict[str, str] = {}
        self._failed_before: dict[str, str] = {}
        self.unreadable: dict[str, str] = {}

    def add(self, given: str | os.PathLike[str]) -> None:
        """Add a source to the batch, and queue the batch once it is full."""
        self._batch.append(given)
        if len(self._batch) >= BATCH:
            self.flush()

    def flush(self) -> None:
        """Open the sources of the batch, store their bytes if the settings say so, and queue them in one transaction."""
        engine = self._engine
        given, self._batch = self._batch, []
        opened = zip(given, each(engine.context.artifacts, given, self._job_of), strict=True)
        batch = self._promising([(one, job) for one, job in opened if job is not None])
        if not batch:
            return
        owner = engine.context.artifacts.owner
        started = engine.commits.call(lambda index: index.jobs.start_many([job for _, job in batch], owner=owner))
        queued: list[str] = []
        for (source, wanted), one in zip(batch, started, strict=True):
            is_queued = one.is_new or self._requeue(one.job, wanted)
            self.queued += is_queued
            self.known += not is_queued
            if is_queued and wanted.raw_hash is not None:
                queued.append(document_id_for(wanted.raw_hash))
                if (why := self._failed_before.pop(wanted.raw_hash, None)) is not None:
                    self.again[os.fspath(source)] = why
            if not one.is_new and one.job.state in TERMINAL_STATES:
                engine.ingestor.take(source, self._request)  # it is converted: this way in is recorded at once

        if queued:
            self._audit.record(AuditAction.SUBMITTED, document_ids=queued)

    def _promising(self, batch: list[_Asked]) -> list[_Asked]:
        """The sources without those whose documents failed for good; a source that is new for such a one is recorded."""
        engine = self._engine
        hashes = [job.raw_hash for _, job in batch if job.raw_hash is not None]
        known = engine.index.documents.find_by_hash(hashes, policy=self._request.told_as)
        kept: list[_Asked] = []
        for source, job in batch:
            document = known.get(job.raw_hash or "")
            why = f"its document failed before [{document.reason}]" if document is not None else ""
            if document is None or not engine.has_failed_for_good(document, self._request):
                kept.append((source, job))
                if document is not None and document.reason is not None and document.active_version is None:
                    self._failed_before[document.raw_hash] = why
                continue
            self.failed[os.fspath(source)] = why
            if engine.holds(document, self._request):
                engine.ingestor.take(source, self._request)
        return kept

    def _requeue(self, job: Job, wanted: NewJob) -> bool:
        """Queue a job again that waits for a tool or for a caller; False for one that has a worker or is in the queue."""
        if job.state in TERMINAL_STATES or job.owner is not None or job.waiting_reason == QUEUED:
            return False
        return requeue(self._engine.index, job, wanted)

    def _job_of(self, given: str | os.PathLike[str]) -> NewJob | None:
        """The job of a source, whose bytes are stored; None, with a note, if it cannot be read."""
        try:
            with open_source(given, name=None) as source:
                self._engine.originals.original_ref(source)
                raw_hash, place = source.raw_file_hash, source.original_ref
        except OctavoError as error:
            self.unreadable[os.fspath(given)] = f"{error.message} [{error.reason}]"
            return None
        return as_queued(self._engine.claims.new_job(raw_hash, Intent.INGEST, self._request, place))
