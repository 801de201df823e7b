"""Places for each step: how many documents are in it at once, and how long they waited to get in (ENG-8, ENG-9)."""

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
    """What a pool was used for since it was made.

    Attributes:
        entered: how often a place was taken.
        waited: seconds that this was waited for, of all documents together.
        worked: seconds for which places were held, together.
        overdue: places that were lent anew because they did not come back in time.
    """

    entered: int = 0
    waited: float = 0.0
    worked: float = 0.0
    overdue: int = 0


class StepPool:
    """A number of places that can shrink and grow while they are in use. Thread-safe.

    Args:
        step: for which step.
        size: places when nothing holds it back; at least 1.
        lease_seconds: for how long a place is lent; None for as long as it takes.
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
        """Places now."""
        return self._size

    @property
    def use(self) -> PoolUse:
        """What it was used for."""
        return self._use

    def resize(self, size: int) -> bool:
        """Change the number of places, between 1 and the full size; those in use are not taken away.

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
        """Wait for a place and hold it; gives the seconds that were waited.

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


class StepPools:
    """The pools of one opened library.

    Args:
        sizes: places for each step; a step that it leaves out has as many as by default.
        leases: seconds for which a place is lent, for the steps that have such a limit.
        cores: of this machine; bounds every step, for each of them computes.
        events: is told when a pool shrinks or grows.
    """

    def __init__(
        self, sizes: Mapping[StepName, int], leases: Mapping[StepName, float], *, cores: int, events: EventHub
    ) -> None:
        self._events = events
        self._pools = {
            step: StepPool(step, size=min(sizes.get(step, size), cores), lease_seconds=leases.get(step))
            for step, size in POOL_SIZES.items()
        }

    def __getitem__(self, step: StepName) -> StepPool:
        """The pool of a step."""
        return self._pools[step]

    def sizes(self) -> dict[StepName, int]:
        """Places of each at this moment."""
        return {step: pool.size for step, pool in self._pools.items()}

    def use(self) -> dict[StepName, PoolUse]:
        """What each was used for."""
        return {step: pool.use for step, pool in self._pools.items()}

    def scale(self, part: float, *, because: str) -> None:
        """Leave only a part of every pool, at least one place; 1 gives all of it back."""
        for pool in self._pools.values():
            if pool.resize(int(pool.full_size * part)):
                self._events.emit(
                    PoolResized(step=pool.step, size=pool.size, full_size=pool.full_size, because=because)
                )
