"""The one writer: a thread that commits what all others found out, in groups (ENG-4, ENG-14).

A transaction costs a flush of the disk, however much is in it. So claims and endings of many documents share one:
whoever needs an answer at once is waited for by nobody else, and takes along what was pending.
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
from .events import Committed, EventHub

T = TypeVar("T")
R = TypeVar("R")
_Answer = tuple[Any, BaseException | None]

BatchWrite = Callable[[Index, Sequence[T]], Sequence[R]]
"""Makes the writes for all items, or raises and makes none; returns what came of each, in order."""

GROUP_LIMIT = 256
"""Most writes of one transaction: others wait for the database while it is open."""


TRANSACTION_TRIES = 5
"""How often a group is tried where another executor's transaction is in its way."""


@dataclass(frozen=True, slots=True)
class _Pending:
    batch: BatchWrite[Any, Any]
    item: Any
    answer: Future[Any]
    since: float


class CommitQueue:
    """Makes writes in a thread of its own, many in one transaction, each whole or not at all. Thread-safe.

    The thread starts with the first write and ends with `close`.

    Args:
        index: where to.
        events: is told of each group.
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
        """When writes that nobody waits for are committed."""

    def submit(self, write: Callable[[Index], T], *, urgent: bool = True) -> Future[T]:
        """Hand over a write.

        Args:
            write: called on the writer's thread, inside a transaction; uses the index and nothing that waits.
            urgent: whether it is to be committed at once. One that is not waits for its group (`policy`).

        Returns:
            What `write` returned, once it is durable; or the error it raised, and then nothing of it was kept.
        """
        return self.submit_item(write, _call_each, urgent=urgent)

    def submit_item(self, item: T, batch: BatchWrite[T, R], *, urgent: bool = True) -> Future[R]:
        """Hand over an item of a batch write: the items of one transaction are written by one call.

        Args:
            item: what is written.
            batch: called on the writer's thread, inside a transaction, with all items of a group that came with it; where
                it raises, with each of them alone.
            urgent: as for `submit`.

        Returns:
            What `batch` returned for the item, once it is durable; or the error it raised for the item alone.
        """
        answer: Future[R] = Future()
        with self._state:
            if self._closing:
                raise StorageError("the library was closed", remedy="Open it again")
            if self._thread is None:
                self._thread = threading.Thread(target=self._work, name="octavo-writer", daemon=True)
                self._thread.start()
            self._pending.append(_Pending(batch, item, answer, time.monotonic()))
            self._urgent = self._urgent or urgent
            self._state.notify()
        return answer

    def call(self, write: Callable[[Index], T]) -> T:
        """Make a write and wait until it is durable.

        Raises:
            StorageError: it could not be committed.
        """
        return self.submit(write).result()

    def flush(self) -> None:
        """Have what is pending committed now; does not wait for it."""
        with self._state:
            self._urgent = bool(self._pending)
            self._state.notify()

    def close(self) -> None:
        """Commit what is pending, and end."""
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
        """Wait until there is something to commit; empty at the end."""
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
        """One transaction. A write that raises is undone alone; where the transaction is lost, all of it is."""
        batches: dict[BatchWrite[Any, Any], list[_Pending]] = {}
        for pending in group:
            batches.setdefault(pending.batch, []).append(pending)
        answers: list[_Answer] = []
        for left in reversed(range(TRANSACTION_TRIES)):
            try:
                with self._index.batch():
                    answers = [answer for batch, items in batches.items() for answer in self._make(batch, items)]
                break
            except BaseException as error:  # noqa: BLE001 - whoever waits is told; without this thread all would wait for ever
                answers = [(None, error)] * len(group)
                if not (left and is_conflict(error)):
                    break
        written = [pending for items in batches.values() for pending in items]
        for pending, (value, failure) in zip(written, answers, strict=True):
            if failure is None:
                pending.answer.set_result(value)
            else:
                pending.answer.set_exception(failure)

    def _make(self, batch: BatchWrite[Any, Any], items: list[_Pending]) -> list[_Answer]:
        if len(items) > 1 and batch is not _call_each:
            try:
                with self._index.whole():
                    return [(made, None) for made in batch(self._index, [pending.item for pending in items])]
            except (OctavoError, SQLAlchemyError) as error:
                if is_conflict(error):
                    raise
                # One of them cannot be made: by themselves it alone fails.
        return [self._make_one(batch, pending.item) for pending in items]

    def _make_one(self, batch: BatchWrite[Any, Any], item: Any) -> _Answer:
        try:
            with self._index.whole():
                return batch(self._index, [item])[0], None
        except BaseException as error:
            if is_conflict(error):
                raise
            return None, error


def _call_each(index: Index, writes: Sequence[Callable[[Index], Any]]) -> list[Any]:
    return [write(index) for write in writes]
