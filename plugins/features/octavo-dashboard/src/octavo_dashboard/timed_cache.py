"""Cache of values that are dear to compute: kept the longer, the longer their computation took."""

from __future__ import annotations

import threading
import time
from collections import OrderedDict
from collections.abc import Callable, Hashable
from dataclasses import dataclass, field
from typing import Generic, TypeVar

from octavo_library.facade.catalogue import Catalogue, CatalogueCounts
from octavo_library.storage import DocumentFilter

KEPT_FOR = 50.0
"""A value is kept for so many times the time of its computation: a fiftieth of the time is spent on it at most."""
WHILE_TURNING = 2.0
"""Seconds for which the number of found documents is kept: a reader who turns pages does not wait for it at each page."""
LONGEST = 30.0
"""Seconds after which a value is computed again in any case."""
STALE = 30.0
"""Seconds beyond that in which other threads get the old value while one of them computes the new one."""
MOST = 256
"""Values that are kept."""
ValueT = TypeVar("ValueT")


@dataclass(frozen=True)
class _Kept(Generic[ValueT]):
    value: ValueT
    until: float


@dataclass
class _Slot(Generic[ValueT]):
    lock: threading.Lock = field(default_factory=threading.Lock)
    kept: _Kept[ValueT] | None = None


class TimedCache(Generic[ValueT]):
    """A cache. Thread-safe; a value that several threads want at once is computed by one of them.

    Args:
        clock: seconds.
        least: seconds for which each value is kept at least.
    """

    def __init__(self, clock: Callable[[], float] = time.monotonic, *, least: float = 0.0) -> None:
        self._clock = clock
        self._least = least
        self._slots: OrderedDict[Hashable, _Slot[ValueT]] = OrderedDict()
        self._lock = threading.Lock()

    def get(self, key: Hashable, compute: Callable[[], ValueT]) -> ValueT:
        """The value of a key, computed if it is missing or too old."""
        with self._lock:
            slot = self._slots.setdefault(key, _Slot())
            self._slots.move_to_end(key)
            while len(self._slots) > MOST:
                self._slots.popitem(last=False)
        kept = slot.kept
        if kept is not None and self._clock() < kept.until:
            return kept.value
        if not slot.lock.acquire(blocking=kept is None or self._clock() >= kept.until + STALE):
            assert kept is not None  # else the lock was waited for
            return kept.value
        try:
            return self._renewed(slot, compute)
        finally:
            slot.lock.release()

    def _renewed(self, slot: _Slot[ValueT], compute: Callable[[], ValueT]) -> ValueT:
        started = self._clock()
        kept = slot.kept
        if kept is None or started >= kept.until:  # else another thread has just computed it
            value = compute()
            ended = self._clock()
            kept = slot.kept = _Kept(value, ended + min(LONGEST, max(self._least, KEPT_FOR * (ended - started))))
        return kept.value

    def forget(self) -> None:
        """Drop every value."""
        with self._lock:
            self._slots.clear()


class CachedCounts:
    """The counts of a catalogue, by corpus, so that they never disclose those of another one."""

    def __init__(self) -> None:
        self._counts: TimedCache[CatalogueCounts] = TimedCache()
        self._found: TimedCache[int] = TimedCache(least=WHILE_TURNING)

    def counts(self, catalogue: Catalogue, corpus: str | None) -> CatalogueCounts:
        """As `Catalogue.counts`."""
        return self._counts.get(corpus, lambda: catalogue.counts(corpus=corpus))

    def found(self, catalogue: Catalogue, wanted: DocumentFilter, corpus: str | None) -> int | None:
        """As `Catalogue.count`."""

        def compute() -> int:
            counted = catalogue.count(wanted, corpus=corpus)
            return -1 if counted is None else counted

        counted = self._found.get((corpus, wanted), compute)
        return None if counted < 0 else counted

    def forget(self) -> None:
        """Drop every count, after a change that the asker expects to see."""
        self._counts.forget()
        self._found.forget()
