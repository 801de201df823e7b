"""Backpressure: pauses new work while the machine lacks resources, and yields to an active user (ENG-9 to ENG-13)."""

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
"""Maximum margin above the disk floor, as a share of the floor: a small disk would never have a gigabyte more."""


class ReserveReached(StorageExhausted):
    """The disk stayed below its reserve for the whole waiting time."""


@dataclass(frozen=True, kw_only=True)
class DiskRoom:
    """Free space of the library's disk (ENG-12).

    Attributes:
        free: bytes that this user may still write.
        floor: bytes that are always kept free.
        margin: bytes above the floor at which paused writing resumes.
    """

    free: int
    floor: int
    margin: int

    @property
    def usable(self) -> int:
        """Bytes above the floor."""
        return max(0, self.free - self.floor)


@dataclass(frozen=True, kw_only=True)
class ThrottleReason:
    """Why new work is paused now (ENG-30).

    Attributes:
        cause: the cause.
        value: the reading.
        resumes_at: the value at which work resumes.
        seconds: duration of the pause so far.
        advice: what a user can do now, as recorded by the process that pauses; empty if unknown.
    """

    cause: PauseCause
    value: float
    resumes_at: float
    seconds: float
    advice: str = ""

    def __str__(self) -> str:
        if self.cause is PauseCause.DISK:
            return f"the disk has {bytes_text(self.value)} free; writing resumes at {bytes_text(self.resumes_at)}"
        unit = "%" if self.cause is PauseCause.MEMORY else " °C"
        name = "memory usage" if self.cause is PauseCause.MEMORY else "the processor temperature"
        return f"{name} is {self.value:.0f}{unit}; work resumes below {self.resumes_at:.0f}{unit}"


class Throttle:
    """Decides from readings of the machine when work must wait. Thread-safe; starts no thread.

    Args:
        settings: the thresholds.
        probe: reads the sensors.
        pools: shrink while a user is active or the machine is loaded.
        events: receives an event for every pause.
        safe_to_purge: describes what a user could free immediately, for the advice about a full disk (ENG-12).
        clock: a monotonic clock, in seconds.
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
        self._passed_at = float("-inf")
        self.seconds_held = dict.fromkeys(PauseCause, 0.0)
        """Seconds that each cause has paused work, without the current pause."""

    def user_active(self) -> None:
        """Shrink the pools for a while because a person uses the machine."""
        self._active_until = self._clock() + self._settings.active_seconds
        with self._lock:
            self._scale(self._clock())

    def holds(self) -> list[ThrottleReason]:
        """The reasons why new work is paused now; empty if it is not."""
        now = self._clock()
        return [
            ThrottleReason(
                cause=cause, value=self._values[cause], resumes_at=self._marks(cause).resume, seconds=now - held.since
            )
            for cause, held in self._held.items()
            if held.is_paused and held.since is not None
        ]

    def unwatched(self) -> tuple[str, ...]:
        """One sentence for each sensor that is missing here."""
        readings = self._probe.read()
        missing = {
            "the processor's temperature": readings.heat,
            "memory": readings.memory_percent,
            "free disk space": readings.disk_free,
            "the load": readings.load,
        }
        return tuple(f"{name} cannot be read here" for name, value in missing.items() if value is None)

    def wait(self, *, cancel: threading.Event | None, patience: float | None = None) -> None:
        """Wait until a document may be started.

        Args:
            cancel: set it to stop waiting.
            patience: maximum seconds to wait for the disk; the limit of the settings always applies too.

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
        """Whether a document may be started now.

        Raises:
            ReserveReached: the disk stayed below its floor for too long.
        """
        self._look()
        holds = self.holds()
        if any(hold.cause is PauseCause.DISK for hold in holds):
            # An old reading must not end a run: space may have been freed since.
            with self._lock:
                self._decide(PauseCause.DISK, self._probe.disk_free(), now=self._clock())
            holds = self.holds()
        if not holds or self._may_pass(holds):
            return True
        self._check_patience(holds)
        return False

    def before_write(self, size: int, *, cancel: threading.Event | None) -> None:
        """Wait until the disk can take a durable write and keep its reserve (ENG-12).

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

    def disk_room(self) -> DiskRoom | None:
        """The free space of the library's disk; None if it cannot be read."""
        return disk_room(self._settings, self._probe)

    def safe_to_purge(self) -> str:
        """What a user could free immediately, as a sentence; empty if nothing."""
        return self._safe_to_purge()

    def is_memory_low(self) -> bool:
        """Whether memory is low: a worker that dies now may have died because of that."""
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
        """Let one document through at intervals, because other processes may use up the resource forever."""
        if any(hold.cause is PauseCause.DISK for hold in holds):
            return False
        with self._lock:
            now = self._clock()
            oldest = min(now - hold.seconds for hold in holds)
            if now - max(self._passed_at, oldest) < self._settings.trickle:
                return False
            self._passed_at = now
            return True

    def _check_patience(self, holds: list[ThrottleReason], *, patience: float | None = None) -> None:
        longest = self._settings.give_up if patience is None else patience
        for hold in holds:
            if hold.cause is PauseCause.DISK and hold.seconds >= longest:
                raise ReserveReached(
                    f"{hold}; it has been below that for {hold.seconds:.0f} s",
                    remedy=self._safe_to_purge() or "Free disk space, or lower the reserve in the settings",
                )


def disk_room(settings: CareSettings, probe: Probe) -> DiskRoom | None:
    """The free space of a disk, compared with the floor of the settings; None if it cannot be read."""
    readings = probe.read()
    if readings.disk_free is None:
        return None
    marks = _disk_marks(settings, size=readings.disk_size)
    return DiskRoom(free=readings.disk_free, floor=int(marks.pause), margin=int(marks.resume - marks.pause))


def _disk_marks(settings: CareSettings, *, size: int | None) -> Watermarks:
    floor = settings.disk_floor
    if size is not None:
        floor = min(floor, int(size * settings.disk_share))
    return Watermarks(pause=floor, resume=floor + min(settings.disk_margin, int(floor * MARGIN_SHARE)), low_is_bad=True)


def bytes_text(number: float) -> str:
    """A number of bytes in GB or MB, for messages."""
    if number >= 1e9:
        return f"{number / 1e9:.1f} GB"
    return f"{max(0.0, number) / 1e6:.{0 if number >= 1e7 else 1}f} MB"
