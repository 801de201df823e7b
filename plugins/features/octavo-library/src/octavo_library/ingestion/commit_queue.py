"""The writer thread: commits the writes of all other threads, in groups (ENG-4, ENG-14).

A transaction costs one flush of the disk, however many writes it has. So claims and completions of many documents
share one. An urgent write commits immediately and takes every pending write with it.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Sequence
from concurrent.futures import Future
from dataclasses import dataclass
from typing import Any, TypeVar

from octavo.settings.commit_policy import EACH, CommitPolicy
from octavo_contracts import OctavoError, StorageError
from sqlalchemy.exc import SQLAlchemyError

from ..storage import Index, is_conflict
from ..storage.index.refusals import IndexRefused
from .events import Committed, EventHub

T = TypeVar("T")
R = TypeVar("R")
_Outcome = tuple[Any, BaseException | None]

BatchWrite = Callable[[Index, Sequence[T]], Sequence[R]]
"""Writes all items, or raises and writes none; returns one value per item, in order."""

GROUP_LIMIT = 256
"""Maximum writes per transaction: other processes wait for the database while it is open."""


TRANSACTION_TRIES = 5
"""Attempts to commit a group that conflicts with the transaction of another process."""


@dataclass(frozen=True, slots=True)
class _Pending:
    batch: BatchWrite[Any, Any]
    item: Any
    answer: Future[Any]
    since: float


class CommitQueue:
    """Commits writes in a background thread, many in one transaction, each atomically. Thread-safe.

    The thread starts with the first write and ends with `close`.

    Args:
        index: the index to write to.
        events: receives an event for each group.
    """

    def __init__(self, index: Index, *, events: EventHub) -> None:
        self._index = index
        self._events = events
        self._pending: list[_Pending] = []
        self._state = threading.Condition()
        self._urgent = False
        self._closing = False
        self._thread: threading.Thread | None = None
        self.policy: CommitPolicy = EACH
        """When to commit writes that are not urgent."""

    def submit(self, write: Callable[[Index], T], *, urgent: bool = True) -> Future[T]:
        """Queue a write.

        Args:
            write: called on the writer thread, inside a transaction; it uses the index and must not block.
            urgent: whether to commit immediately; otherwise the write waits for its group (`policy`).

        Returns:
            The value that `write` returned, once it is durable; or the error that it raised, if all of it was rolled
            back.
        """
        return self.submit_item(write, _call_each, urgent=urgent)

    def submit_item(self, item: T, batch: BatchWrite[T, R], *, urgent: bool = True) -> Future[R]:
        """Queue an item of a batch write: the items of one transaction are written by one call.

        Args:
            item: the item to write.
            batch: called on the writer thread, inside a transaction, with all items of a group that were queued with
                it; if it raises, with each item alone.
            urgent: as for `submit`.

        Returns:
            The value that `batch` returned for the item, once it is durable; or the error that it raised for the item
            alone.
        """
        answer: Future[R] = Future()
        with self._state:
            if self._closing:
                raise StorageError("the library is closed", remedy="Open it again")
            if self._thread is None:
                self._thread = threading.Thread(target=self._work, name="octavo-writer", daemon=True)
                self._thread.start()
            self._pending.append(_Pending(batch, item, answer, time.monotonic()))
            self._urgent = self._urgent or urgent
            self._state.notify()
        return answer

    def call(self, write: Callable[[Index], T]) -> T:
        """Queue a write and wait until it is durable.

        Raises:
            StorageError: the commit failed.
        """
        return self.submit(write).result()

    def flush(self) -> None:
        """Commit pending writes now; return without waiting for the commit."""
        with self._state:
            self._urgent = bool(self._pending)
            self._state.notify()

    def close(self) -> None:
        """Commit pending writes and stop the thread."""
        with self._state:
            self._closing = True
            self._state.notify()
            thread = self._thread
        if thread is not None and thread is not threading.current_thread():
            thread.join()

    def _work(self) -> None:
        while group := self._next_group():
            started = time.monotonic()
            self._commit(group)
            self._events.emit(Committed(operations=len(group), seconds=time.monotonic() - started))

    def _next_group(self) -> list[_Pending]:
        """Wait until a group is due; empty after `close`."""
        with self._state:
            while not self._is_due():
                if self._closing:
                    return []
                self._state.wait(self._patience())
            group, self._pending = self._pending[:GROUP_LIMIT], self._pending[GROUP_LIMIT:]
            self._urgent = self._urgent and bool(self._pending)
            return group

    def _is_due(self) -> bool:
        if not self._pending:
            return False
        waited = time.monotonic() - self._pending[0].since
        return self._urgent or self._closing or len(self._pending) >= self.policy.size or waited >= self.policy.seconds

    def _patience(self) -> float | None:
        if not self._pending:
            return None
        return max(0.0, self._pending[0].since + self.policy.seconds - time.monotonic())

    def _commit(self, group: list[_Pending]) -> None:
        """Commit one transaction. A write that raises is rolled back alone; if the commit is refused, each is committed alone."""
        batches: dict[BatchWrite[Any, Any], list[_Pending]] = {}
        for pending in group:
            batches.setdefault(pending.batch, []).append(pending)
        outcomes: list[_Outcome] = []
        for left in reversed(range(TRANSACTION_TRIES)):
            try:
                with self._index.batch():
                    outcomes = [
                        outcome for batch, items in batches.items() for outcome in self._write_batch(batch, items)
                    ]
                break
            except BaseException as error:  # noqa: BLE001 - passed on to the callers, who would otherwise wait forever
                outcomes = [(None, error)] * len(group)
                if not (left and is_conflict(error)):
                    break
        if len(group) > 1 and isinstance(outcomes[0][1], IndexRefused) and all(one is outcomes[0] for one in outcomes):
            for pending in group:
                self._commit([pending])
            return
        written = [pending for items in batches.values() for pending in items]
        for pending, (value, failure) in zip(written, outcomes, strict=True):
            if failure is None:
                pending.answer.set_result(value)
            else:
                pending.answer.set_exception(failure)

    def _write_batch(self, batch: BatchWrite[Any, Any], items: list[_Pending]) -> list[_Outcome]:
        if len(items) > 1 and batch is not _call_each:
            try:
                with self._index.whole():
                    return [(made, None) for made in batch(self._index, [pending.item for pending in items])]
            except (OctavoError, SQLAlchemyError) as error:
                if is_conflict(error):
                    raise
                # One item fails: written one by one, only that item fails.
        return [self._write_one(batch, pending.item) for pending in items]

    def _write_one(self, batch: BatchWrite[Any, Any], item: Any) -> _Outcome:
        try:
            with self._index.whole():
                return batch(self._index, [item])[0], None
        except BaseException as error:
            if is_conflict(error):
                raise
            return None, error


def _call_each(index: Index, writes: Sequence[Callable[[Index], Any]]) -> list[Any]:
    return [write(index) for write in writes]
