"""Slots for each step: limit how many documents are in it at once, and measure their waits (ENG-8, ENG-9)."""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass

from octavo.settings.engine import POOL_SIZES
from octavo.settings.step_names import StepName
from octavo_sandbox.errors import raise_if
from octavo_sandbox.keyed_lock import WAIT_SECONDS

from .events import EventHub, PoolResized


@dataclass(frozen=True, kw_only=True)
class PoolUse:
    """Usage of a pool since its creation.

    Attributes:
        entered: how often a slot was taken.
        waited: seconds that documents waited for a slot, in total.
        worked: seconds for which slots were held, in total.
        overdue: slots that were reassigned because their lease expired.
    """

    entered: int = 0
    waited: float = 0.0
    worked: float = 0.0
    overdue: int = 0


class StepPool:
    """A semaphore whose number of slots can change while they are in use. Thread-safe.

    Args:
        step: the step.
        size: slots at full size; at least 1.
        lease_seconds: duration of a slot's lease; None: unlimited.
    """

    def __init__(self, step: StepName, *, size: int, lease_seconds: float | None = None) -> None:
        self.step = step
        self.full_size = max(1, size)
        self._size = self.full_size
        self._lease_seconds = lease_seconds
        self._leases: dict[int, float] = {}
        self._serial = 0
        self._free = threading.Condition()
        self._use = PoolUse()

    @property
    def size(self) -> int:
        """Current number of slots."""
        return self._size

    @property
    def use(self) -> PoolUse:
        """Usage so far."""
        return self._use

    def resize(self, size: int) -> bool:
        """Change the number of slots, between 1 and the full size; slots in use stay in use.

        Returns:
            Whether it changed.
        """
        size = min(self.full_size, max(1, size))
        with self._free:
            changed = size != self._size
            self._size = size
            self._free.notify_all()
        return changed

    @contextmanager
    def slot(self, *, cancel: threading.Event | None = None) -> Iterator[float]:
        """Wait for a slot and hold it; yields the seconds waited.

        Raises:
            Cancelled: `cancel` was set while it waited.
        """
        asked = time.monotonic()
        lease = self._take(cancel)
        entered = time.monotonic()
        try:
            yield entered - asked
        finally:
            self._give_back(lease, waited=entered - asked, worked=time.monotonic() - entered)

    def _take(self, cancel: threading.Event | None) -> int:
        with self._free:
            while len(self._leases) >= self._size:
                self._void_overdue()
                if len(self._leases) < self._size:
                    break
                self._free.wait(WAIT_SECONDS if cancel is not None or self._lease_seconds is not None else None)
                raise_if(cancel)
            self._serial += 1
            self._leases[self._serial] = time.monotonic()
            return self._serial

    def _void_overdue(self) -> None:
        if self._lease_seconds is None:
            return
        latest = time.monotonic() - self._lease_seconds
        overdue = [lease for lease, since in self._leases.items() if since < latest]
        for lease in overdue:
            del self._leases[lease]
        if overdue:
            self._use = _plus(self._use, overdue=len(overdue))

    def _give_back(self, lease: int, *, waited: float, worked: float) -> None:
        with self._free:
            self._leases.pop(lease, None)
            self._use = _plus(self._use, entered=1, waited=waited, worked=worked)
            self._free.notify()


def _plus(use: PoolUse, *, entered: int = 0, waited: float = 0.0, worked: float = 0.0, overdue: int = 0) -> PoolUse:
    return PoolUse(
        entered=use.entered + entered,
        waited=use.waited + waited,
        worked=use.worked + worked,
        overdue=use.overdue + overdue,
    )


def _bounded(step: StepName, size: int, cores: int) -> int:
    return size if step is StepName.MODEL else min(size, cores)


class StepPools:
    """The pools of one open library.

    Args:
        sizes: slots for each step; the default applies to missing steps.
        leases: seconds of a slot's lease, for the steps that have such a limit.
        cores: cores of this machine; the upper bound of every pool whose step computes: all but that of models.
        events: receives an event when a pool shrinks or grows.
    """

    def __init__(
        self, sizes: Mapping[StepName, int], leases: Mapping[StepName, float], *, cores: int, events: EventHub
    ) -> None:
        self._events = events
        self._pools = {
            step: StepPool(step, size=_bounded(step, sizes.get(step, size), cores), lease_seconds=leases.get(step))
            for step, size in POOL_SIZES.items()
        }

    def __getitem__(self, step: StepName) -> StepPool:
        """The pool of a step."""
        return self._pools[step]

    def sizes(self) -> dict[StepName, int]:
        """Current slots of each step."""
        return {step: pool.size for step, pool in self._pools.items()}

    def use(self) -> dict[StepName, PoolUse]:
        """Usage of each pool."""
        return {step: pool.use for step, pool in self._pools.items()}

    def scale(self, part: float, *, because: str) -> None:
        """Reduce every pool to a part of its full size, at least one slot; 1 restores the full size."""
        for pool in self._pools.values():
            if pool.resize(int(pool.full_size * part)):
                self._events.emit(
                    PoolResized(step=pool.step, size=pool.size, full_size=pool.full_size, because=because)
                )
