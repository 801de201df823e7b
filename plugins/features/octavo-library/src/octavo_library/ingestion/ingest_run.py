"""A run over many sources: hash and look up in batches, claim ahead, convert in parallel, commit in groups.

The caller's thread coordinates, a few threads convert and store files, and the writer thread commits. A result is
returned only when it is durable. Only one batch of sources is in memory at a time (ENG-14, ENG-15).
"""

from __future__ import annotations

import heapq
import os
import queue
import threading
import time
import uuid
from collections import Counter, deque
from collections.abc import Callable, Generator, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import replace
from functools import partial
from itertools import count, islice

from octavo.documents.source import hash_file
from octavo_contracts import (
    TERMINAL_STATES,
    IllegalTransition,
    Intent,
    OctavoError,
)
from octavo_sandbox.egress.targets import is_url
from sqlalchemy.exc import SQLAlchemyError

from ..storage import Job, KnownDocument, StartedJob, document_id_for
from ..storage.index.refusals import refusal_of
from .completions import Committing
from .engine import Engine
from .requests import Given, IngestRequest, ProcessedDocument, SourceResult, fresh, reused
from .run_events import reported
from .run_stats import RunStats
from .run_worker import Claimed, Item, RunWorker, Worked
from .settled import failed, not_attempted
from .wait_log import WaitLog

BATCH = 500
"""Sources that are hashed and looked up together: they share a query and a transaction."""
LOOK_AGAIN = 0.2
"""Seconds until the run checks again for a document that another process works on."""
HASHERS = 4
"""Maximum number of threads that hash a batch, also limited by the cores: more would only wait for the disk."""

_Message = Callable[[], Iterator[SourceResult]]
_NOTHING: tuple[SourceResult, ...] = ()


class IngestRun:
    """One run over many sources.

    Args:
        engine: the engine of the run.
        request: the request.
        workers: documents converted in parallel.
        total: number of sources, if known.
        stop: set it to end the run.
    """

    def __init__(
        self, engine: Engine, request: IngestRequest, *, workers: int, total: int | None, stop: threading.Event
    ) -> None:
        self.run_id = uuid.uuid4().hex
        self.tally = RunStats(self.run_id)
        self._engine = engine
        self._request = replace(request, run_id=self.run_id)
        self._total = total
        self._stop = stop
        self._worker = RunWorker(engine, self._request, stop=stop)
        # Two threads per worker: while one waits for the disk, the document of the other is converted.
        self._threads = 2 * workers
        self._seen = 0
        self._recorded_policy = engine.settings.commits.of(total or 0)
        self._queue: deque[Item] = deque()
        self._claiming = 0
        self._ready: deque[Claimed] = deque()
        self._working = 0
        self._committing = 0
        self._parked: list[tuple[float, int, Item]] = []
        self._serial = count()
        self._duplicates: dict[str, list[Item]] = {}
        self._inbox: queue.SimpleQueue[_Message] = queue.SimpleQueue()
        self._logs: list[str] = []
        self._waits = WaitLog(engine)

    def answers(self, sources: Iterator[Given]) -> Generator[SourceResult, None, None]:
        """Ingest all sources; yield each result as soon as it is durable, those of known documents immediately.

        Raises:
            UsageError: an override or profile does not exist.
            StorageError: the library cannot be written.
        """
        with (
            reported(self._engine, self.tally, self._request, run_id=self.run_id, total=self._total) as progress,
            ThreadPoolExecutor(max_workers=self._threads, thread_name_prefix="octavo-ingest") as pool,
            ThreadPoolExecutor(max_workers=HASHERS, thread_name_prefix="octavo-hash") as hashers,
        ):
            self._pool, self._hashers = pool, hashers
            try:
                for answer in self._all(sources):
                    progress.done += 1
                    yield answer
                progress.complete = not self._stop.is_set()
            finally:
                self._end(complete=progress.complete)

    def _all(self, sources: Iterator[Given]) -> Iterator[SourceResult]:
        while batch := list(islice(sources, BATCH)):
            if self._stop.is_set():
                yield from ((given, not_attempted(given)) for given in batch)
                continue
            yield from self._look_up(batch)
            self._set_policy()
            while len(self._queue) > self._window:
                yield from self._iterate()
        while self._is_busy():
            yield from self._iterate()

    # -- one iteration of the loop --------------------------------------------------------------------------

    def _iterate(self) -> Iterator[SourceResult]:
        """Submit all work that can start, then wait for a result."""
        if self._stop.is_set():
            yield from self._drop_queue()
        self._unpark()
        self._dispatch()  # claimed items go first: unreadable files must not crowd them out
        self._claim_ahead()
        self._dispatch()
        if self._working or self._committing or self._claiming:
            yield from self._receive(patience=LOOK_AGAIN if self._parked or self._queue else None)
        elif self._parked or self._queue:
            time.sleep(0.05)

    def _receive(self, *, patience: float | None) -> Iterator[SourceResult]:
        if self._is_last_group():
            self._engine.commits.flush()
        try:
            message = self._inbox.get(timeout=patience)
        except queue.Empty:
            return
        while True:
            yield from message()
            try:
                message = self._inbox.get_nowait()
            except queue.Empty:
                break
        self._write_logs()

    def _is_last_group(self) -> bool:
        """Whether only commits are left: waiting for a larger group would gain nothing."""
        return bool(self._committing) and not (self._working or self._claiming or self._ready)

    def _is_busy(self) -> bool:
        return bool(self._queue or self._ready or self._working or self._committing or self._claiming or self._parked)

    @property
    def _window(self) -> int:
        """Documents to claim in one transaction; a group of completions is committed with them."""
        return max(self._engine.commits.policy.size, 2 * self._threads)

    def _claim_ahead(self) -> None:
        """Claim the next documents while the claimed ones are converted."""
        if self._claiming or not self._queue or len(self._ready) > self._threads or self._stop.is_set():
            return
        if not self._engine.throttle.may_begin():
            return
        items: list[Item] = []
        while self._queue and len(items) < self._window:
            if self._queue[0].raw_hash is None and self._working >= self._threads:
                break
            item = self._queue.popleft()
            if item.raw_hash is None:
                self._submit(partial(self._worker.take, item))
            elif item.raw_hash in self._duplicates:  # the same bytes are in work: look again when they are done
                self._duplicates[item.raw_hash].append(item)
            elif not self._engine.document_locks.try_acquire(item.raw_hash):
                self._park(item)
            else:
                self._duplicates[item.raw_hash] = []
                items.append(item)
        if not items:
            return
        jobs = [
            self._engine.claims.new_job(str(item.raw_hash), Intent.INGEST, self._request, item.path_ref)
            for item in items
        ]
        self._claiming += 1
        future = self._engine.claims.start(jobs)
        future.add_done_callback(lambda done: self._inbox.put(lambda: self._on_claims(items, done)))

    def _on_claims(self, items: list[Item], done: Future[list[StartedJob]]) -> Iterator[SourceResult]:
        self._claiming -= 1
        try:
            started = done.result()
        except BaseException:
            for item in items:
                self._release_lock(item)
            raise
        busy: Counter[str] = Counter()
        ids = {item.raw_hash: document_id_for(str(item.raw_hash)) for item in items}
        highest = self._engine.index.versions.highest_of_many(list(ids.values()))
        for item, (job, is_new) in zip(items, started, strict=True):
            if is_new:
                self._engine.claims.tell(job, self._request, taken_from=None)
                self._ready.append(Claimed(item, job, time.monotonic(), highest.get(ids[item.raw_hash], 0)))
                continue
            self._release_lock(item)
            if job.state not in TERMINAL_STATES and self._engine.claims.is_busy(job):
                self._park(item)
                busy[job.owner or ""] += 1
            else:
                self._submit(partial(self._worker.take, item))
        self._waits.tell(busy)
        yield from _NOTHING

    def _dispatch(self) -> None:
        while self._ready and self._working < self._threads:
            claimed = self._ready.popleft()
            self._submit(partial(self._worker.convert, claimed))

    def _submit(self, work: Callable[[], Worked]) -> None:
        self._working += 1
        future = self._pool.submit(work)
        future.add_done_callback(lambda done: self._inbox.put(lambda: self._on_work(done)))

    # -- back on the caller's thread ------------------------------------------------------------------------

    def _on_work(self, done: Future[Worked]) -> Iterator[SourceResult]:
        self._working -= 1
        worked = done.result()
        item, made, claimed = worked.item, worked.made, worked.claimed
        if isinstance(made, Committing):
            assert claimed is not None  # only claimed items are committed in groups
            self._committing += 1
            since = claimed.since
            made.committed.add_done_callback(lambda _: self._inbox.put(lambda: self._on_committed(item, made, since)))
        elif claimed is not None:
            yield from self._answer(item, made)
        else:
            yield item.given, made

    def _on_committed(self, item: Item, made: Committing, since: float) -> Iterator[SourceResult]:
        self._committing -= 1
        pending = made.pending
        try:
            job = made.committed.result()
        except IllegalTransition:
            # Another process took the job over meanwhile: its result is the result.
            self._release_lock(item)
            self._submit(partial(self._worker.take, item))
            return
        except (OctavoError, SQLAlchemyError) as error:
            if refusal_of(error) is None:
                raise
            # The rows of this document are refused: the run goes on with the others meanwhile.
            self._submit(partial(self._worker.settle, item, made, error, since=since))
            return
        self._engine.completer.tell(pending, job, seconds=time.monotonic() - since)
        if pending.completed is not None:
            self._logs.append(pending.claimed.source.raw_file_hash)
        yield from self._answer(item, fresh(pending.result, pending.claimed.request))

    def _answer(self, item: Item, processed: ProcessedDocument) -> Iterator[SourceResult]:
        self._release_lock(item)
        yield item.given, processed

    def _release_lock(self, item: Item) -> None:
        """Release the lock of a finished document, and process its duplicates in this run."""
        if item.raw_hash is None or item.raw_hash not in self._duplicates:
            return
        self._engine.document_locks.release(item.raw_hash)
        for copy in self._duplicates.pop(item.raw_hash):
            self._submit(partial(self._worker.take, copy))

    def _write_logs(self) -> None:
        logs, self._logs = self._logs, []
        if logs:
            self._working += 1
            future = self._pool.submit(self._engine.completer.write_logs, logs)
            future.add_done_callback(lambda done: self._inbox.put(lambda: self._on_logs(done)))

    def _on_logs(self, done: Future[None]) -> Iterator[SourceResult]:
        self._working -= 1
        done.result()
        yield from _NOTHING

    # -- the batch ------------------------------------------------------------------------------------------

    def _look_up(self, batch: list[Given]) -> Iterator[SourceResult]:
        """Hash a batch and yield the results of known documents, with one query and one transaction for all."""
        self._seen += len(batch)
        items = [Item(given, raw_hash) for given, raw_hash in zip(batch, self._hash(batch), strict=True)]
        hashes = [item.raw_hash for item in items if item.raw_hash is not None]
        known = self._engine.index.documents.find_by_hash(hashes, policy=self._request.told_as)
        settled: list[SourceResult] = []
        events: list[tuple[KnownDocument, str | None]] = []
        for item in items:
            hit = known.get(item.raw_hash) if item.raw_hash is not None else None
            if hit is None or not self._engine.holds(hit, self._request):
                self._queue.append(item)
                continue
            if self._request.metadata is not None:  # it is compared with what was declared before
                self._submit(partial(self._worker.take, item))
                continue
            events.append((hit, item.path_ref))
            settled.append((item.given, reused(hit, self._request)))
            known[hit.raw_hash] = replace(hit, is_told=True)  # a second copy is known to the asker
        refused = self._record_reuse(events) if events else {}
        yield from ((given, refused.get(at, answer)) for at, (given, answer) in enumerate(settled))

    def _record_reuse(self, events: list[tuple[KnownDocument, str | None]]) -> dict[int, ProcessedDocument]:
        """Record repeated ingestions; returns the results of those that the index refuses, by their place in the list."""
        record, refused = self._engine.ingestor.record_reuse, dict[int, ProcessedDocument]()
        try:
            record(events, self._request)
            return refused
        except (OctavoError, SQLAlchemyError) as error:
            if refusal_of(error) is None:
                raise
        for at, event in enumerate(events):
            try:
                record([event], self._request)
            except (OctavoError, SQLAlchemyError) as error:
                if (why := refusal_of(error)) is None:
                    raise
                refused[at] = failed(why, str(event[1]), document_id=event[0].document_id)
        return refused

    def _hash(self, batch: list[Given]) -> list[str | None]:
        """Hash the files of a batch; each of n threads takes every n-th, so that large files are spread evenly."""
        hashes: list[str | None] = [None] * len(batch)
        threads = min(HASHERS, os.cpu_count() or 1, len(batch))
        others = [self._hashers.submit(_hash_all, batch[first::threads]) for first in range(1, threads)]
        hashes[0::threads] = _hash_all(batch[0::threads])
        for first, other in enumerate(others, start=1):
            hashes[first::threads] = other.result()
        return hashes

    def _set_policy(self) -> None:
        policy = self._engine.settings.commits.of(max(self._total or 0, self._seen))
        self._engine.commits.policy = policy
        if policy != self._recorded_policy:  # the run is longer than was known at its start
            self._recorded_policy = policy
            self._engine.commits.submit(lambda index: index.runs.set_commit_policy(self.run_id, str(policy)))

    def _park(self, item: Item) -> None:
        heapq.heappush(self._parked, (time.monotonic() + LOOK_AGAIN, next(self._serial), item))

    def _unpark(self) -> None:
        while self._parked and self._parked[0][0] <= time.monotonic():
            self._queue.append(heapq.heappop(self._parked)[2])

    def _drop_queue(self) -> Iterator[SourceResult]:
        """Yield a result for each source that will not be started."""
        items = [*self._queue, *(parked for _, _, parked in self._parked)]
        self._queue.clear()
        self._parked.clear()
        yield from ((item.given, not_attempted(item.given)) for item in items)
        claimed = list(self._ready)
        self._ready.clear()
        self._release([one.job for one in claimed])
        for one in claimed:
            yield from self._answer(one.item, not_attempted(one.item.given))

    # -- the end of a run -----------------------------------------------------------------------------------

    def _end(self, *, complete: bool) -> None:
        """Finish pending work; called early if the caller stops reading or an error ends the run."""
        if complete and not self._is_busy():
            return
        self._stop.set()
        self._release([one.job for one in self._ready])
        self._ready.clear()
        while self._working or self._committing or self._claiming:
            self._engine.commits.flush()
            try:
                for _ in self._inbox.get()():
                    pass
            except (OctavoError, SQLAlchemyError, OSError):
                continue  # only the first error is reported
            self._release([one.job for one in self._ready])
            self._ready.clear()
        for raw_hash in list(self._duplicates):
            self._engine.document_locks.release(raw_hash)
            del self._duplicates[raw_hash]

    def _release(self, jobs: list[Job]) -> None:
        if jobs:
            self._engine.commits.call(lambda index: [index.jobs.release(job) for job in jobs])


def _hash_all(sources: list[Given]) -> list[str | None]:
    return [None if is_url(given) else hash_file(given) for given in sources]
