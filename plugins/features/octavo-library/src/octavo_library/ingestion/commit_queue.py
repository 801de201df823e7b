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
from typing import Any, Protocol, TypeVar

from octavo.settings.commit_policy import EACH, CommitPolicy
from octavo_contracts import OctavoError, StorageError
from sqlalchemy.exc import SQLAlchemyError

from ..storage import Index, is_conflict
from .events import Committed, EventHub

T = TypeVar("T")
_Answer = tuple[Any, BaseException | None]

GROUP_LIMIT = 256
"""Most writes of one transaction: others wait for the database while it is open."""


TRANSACTION_TRIES = 5
"""How often a group is tried where another executor's transaction is in its way."""


class Groupable(Protocol):
    """A write of which many are made faster together."""

    def __call__(self, index: Index, /) -> Any:
        """Make this one."""

    @staticmethod
    def together(index: Index, many: Sequence[Any], /) -> list[Any]:
        """Make all of these, or raise and make none; what each would have returned, in order."""


@dataclass(frozen=True, slots=True)
class _Pending:
    write: Any
    answer: Future[Any]
    since: float


class Writer:
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
        answer: Future[T] = Future()
        with self._state:
            if self._closing:
                raise StorageError("the library was closed", remedy="Open it again")
            if self._thread is None:
                self._thread = threading.Thread(target=self._work, name="octavo-writer", daemon=True)
                self._thread.start()
            self._pending.append(_Pending(write, answer, time.monotonic()))
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
        alike = [pending for pending in group if hasattr(pending.write, "together")]
        others = [pending for pending in group if not hasattr(pending.write, "together")]
        answers: list[_Answer] = []
        for left in reversed(range(TRANSACTION_TRIES)):
            try:
                with self._index.batch():
                    answers = [*self._make_together(alike), *map(self._make, others)]
                break
            except BaseException as error:  # noqa: BLE001 - whoever waits is told; without this thread all would wait for ever
                answers = [(None, error)] * len(group)
                if not (left and is_conflict(error)):
                    break
        for pending, (value, failure) in zip(alike + others, answers, strict=True):
            if failure is None:
                pending.answer.set_result(value)
            else:
                pending.answer.set_exception(failure)

    def _make_together(self, alike: list[_Pending]) -> list[_Answer]:
        if len(alike) > 1 and len({type(pending.write) for pending in alike}) == 1:
            first: Groupable = alike[0].write
            try:
                return [(made, None) for made in first.together(self._index, [pending.write for pending in alike])]
            except (OctavoError, SQLAlchemyError):
                pass  # one of them cannot be made: by themselves it alone fails
        return [self._make(pending) for pending in alike]

    def _make(self, pending: _Pending) -> _Answer:
        try:
            with self._index.whole():
                return pending.write(self._index), None
        except BaseException as error:
            if is_conflict(error):
                raise
            return None, error
