"""Holds new work back while the machine is short of something, and makes room for the person who uses it (ENG-9 to ENG-13)."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from dataclasses import dataclass

from octavo.settings.engine import CareSettings
from octavo_contracts import StorageExhausted
from octavo_sandbox.errors import raise_if
from octavo_sandbox.keyed_lock import WAIT_SECONDS

from .events import EventHub, PauseCause, Paused, Resumed
from .hysteresis import FREE, Backpressure, Watermarks, evaluate
from .machine_probe import Probe
from .pools import StepPools

MARGIN_SHARE = 0.2
"""The largest part of the disk's floor that the margin above it is: a small disk would never reach a gigabyte more."""


class ReserveReached(StorageExhausted):
    """The disk stayed below its reserve for as long as anybody was willing to wait."""


@dataclass(frozen=True, kw_only=True)
class ThrottleReason:
    """Why new work is held back at the moment (ENG-30).

    Attributes:
        cause: why.
        value: what was read.
        resumes_at: the value at which work begins again.
        seconds: for how long it has been held back.
    """

    cause: PauseCause
    value: float
    resumes_at: float
    seconds: float

    def __str__(self) -> str:
        if self.cause is PauseCause.DISK:
            return f"the disk has {_bytes(self.value)} free; writing goes on at {_bytes(self.resumes_at)}"
        unit = "%" if self.cause is PauseCause.MEMORY else " °C"
        what = "memory in use" if self.cause is PauseCause.MEMORY else "the processor"
        return f"{what} is at {self.value:.0f}{unit}; work goes on below {self.resumes_at:.0f}{unit}"


class Throttle:
    """Looks at the machine while work goes on, and says when to wait. Thread-safe; has no thread of its own.

    Args:
        settings: the thresholds.
        probe: takes the readings.
        pools: shrink while a person is active or the machine is loaded.
        events: is told of every pause.
        safe_to_purge: says what a person could free at once, for the advice that comes with a full disk (ENG-12).
        clock: seconds; must not jump.
    """

    def __init__(
        self,
        settings: CareSettings,
        probe: Probe,
        pools: StepPools,
        *,
        events: EventHub,
        safe_to_purge: Callable[[], str] = lambda: "",
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._settings = settings
        self._probe = probe
        self._pools = pools
        self._events = events
        self._safe_to_purge = safe_to_purge
        self._clock = clock
        self._lock = threading.Lock()
        self._looked: float | None = None
        self._active_until = float("-inf")
        self._held: dict[PauseCause, Backpressure] = dict.fromkeys(PauseCause, FREE)
        self._values: dict[PauseCause, float] = {}
        self._loaded = FREE
        self._disk = _disk_marks(settings, size=None)
        self._part = 1.0
        self._let_through = float("-inf")
        self.seconds_held = dict.fromkeys(PauseCause, 0.0)
        """How long each cause has held work back, without the present pause."""

    def user_active(self) -> None:
        """A person uses the machine: leave them room for a while."""
        self._active_until = self._clock() + self._settings.active_seconds
        with self._lock:
            self._scale(self._clock())

    def holds(self) -> list[ThrottleReason]:
        """Why new work is held back now; empty while it is not."""
        now = self._clock()
        return [
            ThrottleReason(
                cause=cause, value=self._values[cause], resumes_at=self._marks(cause).resume, seconds=now - held.since
            )
            for cause, held in self._held.items()
            if held.is_paused and held.since is not None
        ]

    def unwatched(self) -> tuple[str, ...]:
        """What cannot be watched here, in words."""
        readings = self._probe.read()
        missing = {
            "the processor's temperature": readings.heat,
            "memory": readings.memory_percent,
            "free disk space": readings.disk_free,
            "the load": readings.load,
        }
        return tuple(f"{name} cannot be read here" for name, value in missing.items() if value is None)

    def wait(self, *, cancel: threading.Event | None, patience: float | None = None) -> None:
        """To be called before a document is begun: returns when it may.

        Args:
            cancel: set it to stop waiting.
            patience: seconds that the caller waits for the disk; None: as long as the settings say, and never longer.

        Raises:
            Cancelled: `cancel` was set.
            ReserveReached: the disk stayed below its floor for too long.
        """
        began = self._clock()
        while not self.may_begin():
            raise_if(cancel)
            if patience is not None and self._clock() - began >= patience:
                self._check_patience(self.holds(), patience=0.0)
            time.sleep(WAIT_SECONDS)

    def may_begin(self) -> bool:
        """Whether a document may be begun now.

        Raises:
            ReserveReached: the disk stayed below its floor for too long.
        """
        self._look()
        holds = self.holds()
        if any(hold.cause is PauseCause.DISK for hold in holds):
            # What was read a while ago ends no run: somebody may have made room since.
            with self._lock:
                self._decide(PauseCause.DISK, self._probe.disk_free(), now=self._clock())
            holds = self.holds()
        if not holds or self._may_pass(holds):
            return True
        self._check_patience(holds)
        return False

    def before_write(self, size: int, *, cancel: threading.Event | None) -> None:
        """To be called before anything durable is written: returns while the disk keeps its reserve (ENG-12).

        Args:
            size: bytes to be written.
            cancel: set it to stop waiting.

        Raises:
            Cancelled: `cancel` was set.
            ReserveReached: the disk stayed below its floor for too long.
        """
        if self._looked is None:
            self._look()  # the floor depends on the disk's size
        while True:
            with self._lock:
                free = self._probe.disk_free()
                self._decide(PauseCause.DISK, None if free is None else free - size, now=self._clock())
                if not self._held[PauseCause.DISK].is_paused:
                    return
            self._check_patience(self.holds())
            raise_if(cancel)
            time.sleep(WAIT_SECONDS)

    def is_memory_low(self) -> bool:
        """Whether memory is short: a worker that died now may have died of that."""
        return self._held[PauseCause.MEMORY].is_paused

    # -- inside ---------------------------------------------------------------------------------------------

    def _look(self) -> None:
        with self._lock:
            now = self._clock()
            if self._looked is not None and now - self._looked < self._settings.every:
                return
            self._looked = now
            readings = self._probe.read()
            self._disk = _disk_marks(self._settings, size=readings.disk_size)
            self._decide(PauseCause.DISK, readings.disk_free, now=now)
            self._decide(PauseCause.MEMORY, readings.memory_percent, now=now)
            self._decide(PauseCause.TEMPERATURE, readings.heat, now=now)
            self._loaded = evaluate(self._load_marks(), self._loaded, readings.load, now=now)
            self._scale(now)

    def _decide(self, cause: PauseCause, value: float | None, *, now: float) -> None:
        before = self._held[cause]
        marks = self._marks(cause)
        after = self._held[cause] = evaluate(marks, before, value, now=now)
        if value is not None:
            self._values[cause] = value
        if after.is_paused and not before.is_paused:
            advice = self._safe_to_purge() if cause is PauseCause.DISK else ""
            self._events.emit(Paused(cause=cause, value=value or 0.0, resumes_at=marks.resume, advice=advice))
        elif before.is_paused and not after.is_paused and before.since is not None:
            self.seconds_held[cause] += now - before.since
            self._events.emit(Resumed(cause=cause, value=value or 0.0, seconds=now - before.since))

    def _marks(self, cause: PauseCause) -> Watermarks:
        settings = self._settings
        if cause is PauseCause.DISK:
            return self._disk
        if cause is PauseCause.MEMORY:
            return Watermarks(pause=settings.memory_stop, resume=settings.memory_go)
        return Watermarks(pause=settings.heat_stop, resume=settings.heat_go, patience=settings.heat_seconds)

    def _load_marks(self) -> Watermarks:
        return Watermarks(pause=self._settings.load_stop, resume=self._settings.load_go)

    def _scale(self, now: float) -> None:
        active = now < self._active_until
        part = self._settings.shrink_to if active or self._loaded.is_paused else 1.0
        if part != self._part:
            self._part = part
            because = "a person is active" if active else "the machine is loaded" if part < 1 else "it is idle again"
            self._pools.scale(part, because=because)

    def _may_pass(self, holds: list[ThrottleReason]) -> bool:
        """One document now and then, where what is short may be used up by others for ever."""
        if any(hold.cause is PauseCause.DISK for hold in holds):
            return False
        with self._lock:
            now = self._clock()
            oldest = min(now - hold.seconds for hold in holds)
            if now - max(self._let_through, oldest) < self._settings.trickle:
                return False
            self._let_through = now
            return True

    def _check_patience(self, holds: list[ThrottleReason], *, patience: float | None = None) -> None:
        longest = self._settings.give_up if patience is None else patience
        for hold in holds:
            if hold.cause is PauseCause.DISK and hold.seconds >= longest:
                raise ReserveReached(
                    f"{hold}; that did not change in {hold.seconds:.0f} s",
                    remedy=self._safe_to_purge() or "Free space, or lower the reserve of the settings",
                )


def _disk_marks(settings: CareSettings, *, size: int | None) -> Watermarks:
    floor = settings.disk_floor
    if size is not None:
        floor = min(floor, int(size * settings.disk_share))
    return Watermarks(pause=floor, resume=floor + min(settings.disk_margin, int(floor * MARGIN_SHARE)), low_is_bad=True)


def _bytes(number: float) -> str:
    if number >= 1e9:
        return f"{number / 1e9:.1f} GB"
    return f"{max(0.0, number) / 1e6:.{0 if number >= 1e7 else 1}f} MB"
