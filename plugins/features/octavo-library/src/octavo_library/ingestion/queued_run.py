"""A run whose documents are converted by workers, on this machine or others (ENG-6).

The run queues its sources, follows their jobs in the index, and returns each result once it is durable. It converts
nothing that a worker can convert; who starts the workers is not its concern. A limited number of sources is in memory at
a time (ENG-14).
"""

from __future__ import annotations

import os
import threading
import time
import uuid
from collections.abc import Generator, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass, replace
from itertools import islice
from typing import Protocol

from octavo.conversion.results import open_source
from octavo.documents.source import hash_file
from octavo_contracts import TERMINAL_STATES, Intent, OctavoError, file_ref
from octavo_sandbox.egress.targets import is_url

from ..storage import Job, NewJob, StartedJob
from ..storage.index.queue import QUEUED
from ..storage.pipelined import each
from .engine import Engine
from .queued_jobs import as_queued, requeue
from .queued_results import left_by_workers, result_of
from .requests import Given, IngestRequest, ProcessedDocument, SourceResult, reused
from .run_events import reported
from .run_stats import RunStats
from .settled import not_attempted

WINDOW = 1000
"""Sources of a run that are queued or in work at a time."""

BATCH = 100
"""Sources that are looked up and queued in one transaction."""

LOOK_SECONDS = 0.3
"""Interval of looking at the jobs of the run."""

IDLE_SECONDS = 5.0
"""How long a job that no process has is watched before it is queued again: a worker returns jobs in two steps."""

RETURNS = 2
"""How often a job that a worker let go is queued again: another worker may reach its bytes or have its plugin."""

THREADS = 4
"""Sources that are taken in here at a time: web pages, copies of finished documents, and unreadable files."""

_QUERY = 500
"""Jobs that are looked up in one query."""


class Workers(Protocol):
    """The processes that work on the queue during a run. Called on the thread of the run."""

    def start(self, run_id: str) -> None:
        """Start them.

        Args:
            run_id: the run.

        Raises:
            OctavoError: they cannot be started.
        """

    def check(self) -> None:
        """Look after them; called while documents are in work.

        Raises:
            OctavoError: none is left, and none can be started.
        """

    def stop(self) -> None:
        """End them: the documents in work return to the queue. A second call does nothing."""


@dataclass(slots=True)
class _Followed:
    """An open job and the sources that wait for it.

    Attributes:
        raw_hash: the document.
        sources: its sources; the first one gets the result, the others are copies.
        is_ours: whether this run requested the job.
        claims: number of its claims when this run found it.
        idle_since: when it was first seen without a process and outside the queue; None while it has one of the two.
        returns: how often it was queued again.
    """

    raw_hash: str
    sources: list[Given]
    is_ours: bool
    claims: int
    idle_since: float | None = None
    returns: int = 0


class QueuedRun:
    """One run over many sources, converted by workers.

    Args:
        engine: the engine of the open library.
        request: the request.
        total: number of sources, if known.
        stop: set it to end the run.
        workers: the workers, which live as long as the run.
    """

    def __init__(
        self, engine: Engine, request: IngestRequest, *, total: int | None, stop: threading.Event, workers: Workers
    ) -> None:
        self.run_id = uuid.uuid4().hex
        self.tally = RunStats(self.run_id)
        self._engine = engine
        self._index = engine.index
        self._request = replace(request, run_id=self.run_id)
        self._total = total
        self._stop = stop
        self._workers = workers
        self._open: dict[str, _Followed] = {}
        self._by_hash: dict[str, _Followed] = {}
        self._here: list[Future[SourceResult]] = []

    def answers(self, sources: Iterator[Given]) -> Generator[SourceResult, None, None]:
        """Ingest all sources; yield each result as soon as it is durable.

        Raises:
            UsageError: an override or profile does not exist.
            StorageError: the library cannot be written.
            OctavoError: the workers cannot be started, or all of them ended with an error.
        """
        self._index.check_writable()
        with (
            reported(self._engine, self.tally, self._request, run_id=self.run_id, total=self._total) as progress,
            ThreadPoolExecutor(max_workers=THREADS, thread_name_prefix="octavo-queued") as self._pool,
        ):
            try:
                self._workers.start(self.run_id)
                for answer in self._all(sources):
                    progress.done += 1
                    yield answer
                progress.complete = not self._stop.is_set()
            finally:
                if not progress.complete:
                    self._stop.set()
                self._workers.stop()
                self._withdraw()

    def _all(self, sources: Iterator[Given]) -> Iterator[SourceResult]:
        while not self._stop.is_set():
            yield from self._fill(sources)
            if not self._open and not self._here:
                return
            self._workers.check()
            yield from self._look()
            self._stop.wait(LOOK_SECONDS)
        self._workers.stop()
        yield from self._look()  # documents that ended while the workers were stopping
        self._withdraw()
        for followed in self._open.values():
            yield from ((given, not_attempted(given)) for given in followed.sources)
        self._open.clear()
        while self._here:
            yield from self._taken_here()
        yield from ((given, not_attempted(given)) for given in sources)

    # -- into the queue -------------------------------------------------------------------------------------

    def _fill(self, sources: Iterator[Given]) -> Iterator[SourceResult]:
        while len(self._open) < WINDOW and (batch := list(islice(sources, BATCH))):
            yield from self._enter(batch)

    def _enter(self, batch: Sequence[Given]) -> Iterator[SourceResult]:
        """Yield the results of known documents, and queue the others."""
        hashes = [None if is_url(given) else hash_file(given) for given in batch]
        told_as = self._request.told_as
        known = self._index.documents.find_by_hash([one for one in hashes if one is not None], policy=told_as)
        settled: list[SourceResult] = []
        events = []
        new: dict[str, list[Given]] = {}
        for given, raw_hash in zip(batch, hashes, strict=True):
            hit = known.get(raw_hash) if raw_hash is not None else None
            if raw_hash is None:
                self._take_here(given)
            elif raw_hash in self._by_hash:
                self._by_hash[raw_hash].sources.append(given)
            elif hit is not None and self._engine.holds(hit, self._request):
                if self._request.metadata is not None:  # it is compared with what was declared before
                    self._take_here(given)
                    continue
                events.append((hit, _place(given)))
                settled.append((given, reused(hit, self._request)))
                known[raw_hash] = replace(hit, is_told=True)  # a second copy is known to the asker
            else:
                new.setdefault(raw_hash, []).append(given)
        if events:
            self._engine.ingestor.record_reuse(events, self._request)
        self._start(new)
        for given, processed in settled:
            if self._engine.follow_ups.is_due(processed, self._request):
                self._follow(given, processed, known_hash=None)
            else:
                yield given, processed

    def _start(self, new: dict[str, list[Given]]) -> None:
        jobs: list[NewJob] = []
        found = list(new.items())
        stored = each(self._engine.context.artifacts, found, lambda one: self._is_stored(one[1][0]))
        for (raw_hash, sources), is_stored in zip(found, stored, strict=True):
            if not is_stored:
                for given in new.pop(raw_hash):
                    self._take_here(given)  # it cannot be opened: its failure is recorded as for any other run
                continue
            job = self._engine.claims.new_job(raw_hash, Intent.INGEST, self._request, _place(sources[0]))
            jobs.append(as_queued(job))
        if not jobs:
            return
        owner = self._engine.context.artifacts.owner
        started = self._engine.commits.call(lambda index: index.jobs.start_many(jobs, owner=owner))
        for job, one in zip(jobs, started, strict=True):
            assert job.raw_hash is not None  # a job of a document
            self._follow_job(one, job, new[job.raw_hash])

    def _is_stored(self, given: Given) -> bool:
        """Store the bytes if the settings say so; False if they cannot be read."""
        if not self._engine.context.artifacts.store.is_shared:
            return True
        try:
            with open_source(given, name=None) as source:
                self._engine.originals.original_ref(source)
        except OctavoError as error:
            if error.reason is None:
                raise
            return False
        return True

    def _follow_job(self, started: StartedJob, wanted: NewJob, sources: list[Given]) -> None:
        """Follow a job, which may be an earlier one on the same bytes."""
        job, is_ours = started.job, started.is_new
        assert wanted.raw_hash is not None  # a job of a document
        if not is_ours and job.state in TERMINAL_STATES:  # another process finished it a moment ago
            for given in sources:
                self._take_here(given)
            return
        if not is_ours and job.owner is None and job.waiting_reason != QUEUED:
            is_ours = requeue(self._index, job, wanted) and job.source_instance_id == wanted.source_instance_id
        followed = _Followed(wanted.raw_hash, sources, is_ours, claims=job.claims)
        self._open[job.job_id] = self._by_hash[wanted.raw_hash] = followed

    # -- out of the queue -----------------------------------------------------------------------------------

    def _look(self) -> Iterator[SourceResult]:
        """Yield the results that have come since the last look."""
        for job_ids in _chunks(list(self._open)):
            in_progress = self._index.queue.in_progress(job_ids)
            for job_id in in_progress:
                self._open[job_id].idle_since = None
            in_progress -= self._refused([job_id for job_id in in_progress if not self._open[job_id].is_ours])
            moved = [job_id for job_id in job_ids if job_id not in in_progress]
            jobs = self._index.queue.get_many(moved) if moved else {}
            for job_id in moved:
                yield from self._look_at(job_id, jobs.get(job_id))
        yield from self._taken_here()

    def _refused(self, job_ids: list[str]) -> frozenset[str]:
        """Which of these queued jobs, which `octavo submit` queued, were taken and put back too often to wait for them."""
        jobs = self._index.queue.get_many(job_ids) if job_ids else {}
        return frozenset(job_id for job_id, job in jobs.items() if self._is_refused(self._open[job_id], job))

    @staticmethod
    def _is_refused(followed: _Followed, job: Job) -> bool:
        return not followed.is_ours and job.waiting_reason == QUEUED and job.claims - followed.claims > RETURNS

    def _look_at(self, job_id: str, job: Job | None) -> Iterator[SourceResult]:
        followed = self._open[job_id]
        is_ended = job is None or job.state in TERMINAL_STATES
        if not is_ended and job is not None and not self._is_left(followed, job):
            return
        del self._open[job_id]
        self._by_hash.pop(followed.raw_hash, None)
        if not is_ended and job is not None:
            tries = self._engine.settings.retries.tries
            yield from ((given, left_by_workers(job, given, tries=tries)) for given in followed.sources)
            return
        first, *copies = followed.sources
        if job is None or not followed.is_ours:
            copies = followed.sources  # the library has it now, or it was purged meanwhile: ingest it again
        else:
            processed = result_of(job, self._index, self._request)
            if self._engine.follow_ups.is_due(processed, self._request):
                self._follow(first, processed, known_hash=followed.raw_hash)
            else:
                yield first, processed
        for given in copies:
            self._take_here(given)

    def _is_left(self, followed: _Followed, job: Job) -> bool:
        """Whether no worker will continue a job: it waits for a tool, or was let go more often than it is queued again.

        A process that opens a library in a folder releases the jobs of dead processes without queueing them.
        """
        if self._is_refused(followed, job):
            return True
        if job.owner is not None or job.waiting_reason == QUEUED:
            return False  # taken since it was looked for
        if job.waiting_reason is not None:
            return True
        if followed.idle_since is None:
            followed.idle_since = time.monotonic()
        if time.monotonic() - followed.idle_since < IDLE_SECONDS:
            return False
        if followed.returns >= RETURNS or job.attempts >= self._engine.settings.retries.tries:
            return True
        followed.returns, followed.idle_since = followed.returns + 1, None
        self._index.queue.put_back(job.job_id, owner=None)
        return False

    def _withdraw(self) -> None:
        """Take the documents out of the queue that no worker has begun: only this run wanted them."""
        ours = [job_id for job_id, followed in self._open.items() if followed.is_ours]
        for job_ids in _chunks(ours):
            self._index.queue.withdraw(job_ids)

    # -- on this machine ------------------------------------------------------------------------------------

    def _take_here(self, given: Given) -> None:
        self._here.append(self._pool.submit(self._take, given))

    def _taken_here(self) -> Iterator[SourceResult]:
        done = [one for one in self._here if one.done()] if not self._stop.is_set() else list(self._here)
        self._here = [one for one in self._here if one not in done]
        for one in done:
            yield one.result()

    def _take(self, given: Given) -> SourceResult:
        if self._stop.is_set():
            return given, not_attempted(given)
        processed = self._engine.ingestor.take(given, self._request)
        return given, self._engine.follow_ups.run(processed, self._request)

    def _follow(self, given: Given, processed: ProcessedDocument, *, known_hash: str | None) -> None:
        self._here.append(self._pool.submit(self._run_follow_ups, given, processed, known_hash))

    def _run_follow_ups(self, given: Given, processed: ProcessedDocument, raw_hash: str | None) -> SourceResult:
        """Wait until the worker has done the follow-ups of its document, and return the result with theirs."""
        assert processed.document_id is not None  # no follow-up is due otherwise
        inside = self._index.attachments.of_document(processed.document_id)
        hashes = [one.raw_hash for one in inside] + ([raw_hash] if raw_hash is not None else [])
        idle = time.monotonic()
        while raw_hash is not None and not self._stop.is_set():
            jobs = [job for job in self._index.queue.of_hashes(hashes) if job.waiting_reason in (None, QUEUED)]
            if any(job.owner is not None for job in jobs):
                idle = time.monotonic()
            if not jobs or time.monotonic() - idle >= IDLE_SECONDS:
                break
            self._stop.wait(LOOK_SECONDS)
        return given, self._engine.follow_ups.run(processed, self._request)


def _chunks(job_ids: list[str]) -> Iterator[list[str]]:
    return (job_ids[first : first + _QUERY] for first in range(0, len(job_ids), _QUERY))


def _place(given: Given) -> str:
    return file_ref(os.fspath(given))
