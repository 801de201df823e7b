"""The engine's numbers: every default is the specification's, and every one is a setting."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from types import MappingProxyType

from .commit_policy import CommitSteps
from .step_names import StepName

GB = 1_000_000_000

POOL_SIZES: Mapping[StepName, int] = MappingProxyType(
    {
        StepName.CONVERT: 12,
        StepName.CONVERT_HEAVY: 4,
        StepName.OCR: 2,
        StepName.ENTITIES: 8,
        StepName.INDEX_WRITE: 4,
    }
)
"""Places for each step (ENG-8), before the machine's cores bound those that compute."""

LEASE_SECONDS: Mapping[StepName, float] = MappingProxyType(
    {
        StepName.CONVERT: 600.0,
        StepName.CONVERT_HEAVY: 600.0,
        StepName.OCR: 300.0,
        StepName.ENTITIES: 120.0,
    }
)
"""How long a place is lent; one that does not come back in time is lent anew (ENG-10)."""


@dataclass(frozen=True, kw_only=True)
class CareSettings:
    """When new work is held back, and when it goes on (ENG-9, ENG-12, ENG-13).

    Attributes:
        memory_stop: percent of memory in use from which nothing new begins.
        memory_go: percent below which it begins again.
        disk_floor: bytes that are always left free; of a small disk, at most `disk_share` of its size.
        disk_margin: bytes above the floor at which writing begins again; of a small disk, at most a fifth of its floor.
        disk_share: the largest part of a disk that is kept as reserve.
        heat_stop: degrees Celsius of the hottest sensor.
        heat_seconds: how long it has to be that hot.
        heat_go: degrees below which work begins again.
        load_stop: load average for each core from which pools shrink.
        load_go: load average for each core below which they grow again.
        active_seconds: how long a person counts as active after the last sign (`library.engine.notify_user_active`).
        shrink_to: part of each pool that is left while a person is active or the machine is loaded.
        every: seconds between two readings.
        trickle: seconds after which a held run lets one document through: others may be using up the machine for
            ever, and a run that never ends helps nobody. The disk's floor lets nothing through.
        give_up: seconds after which a run that waits for the disk ends with `StorageError`.
    """

    memory_stop: float = 85.0
    memory_go: float = 75.0
    disk_floor: int = 5 * GB
    disk_margin: int = 1 * GB
    disk_share: float = 0.1
    heat_stop: float = 95.0
    heat_seconds: float = 30.0
    heat_go: float = 90.0
    load_stop: float = 3.0
    load_go: float = 1.5
    active_seconds: float = 60.0
    shrink_to: float = 0.5
    every: float = 1.0
    trickle: float = 10.0
    give_up: float = 300.0


@dataclass(frozen=True, kw_only=True)
class RetrySettings:
    """How often what may pass is tried again (ENG-7).

    Attributes:
        tries: tries of one document, the first included.
        first_delay: seconds before the second.
        factor: by which each further delay is longer.
    """

    tries: int = 3
    first_delay: float = 1.0
    factor: float = 4.0

    def delay(self, attempt: int) -> float:
        """Seconds to wait after a failed try, the first of which is 1."""
        return self.first_delay * self.factor ** (attempt - 1)


@dataclass(frozen=True, kw_only=True)
class WakeSettings:
    """When jobs that wait are tried again by themselves (ENG-7).

    Attributes:
        first: seconds after which one of those that wait for the same thing is tried, and between two looks at
            whether a missing tool is there again.
        longest: seconds that the pauses between failed tries grow to; each is twice the one before.
        grace: seconds after the opening before what was cut short is begun anew, unless somebody waits for it: an
            opening that only looks, and is closed again, begins nothing.
    """

    first: float = 2.0
    longest: float = 600.0
    grace: float = 2.0


@dataclass(frozen=True, kw_only=True)
class EngineSettings:
    """How the engine works.

    Attributes:
        pools: places for each step.
        leases: seconds for which a place is lent.
        heavy_plugins: converters that take a place of `convert_heavy` rather than of `convert`.
        commits: how often results are committed.
        retries: how often what may pass is tried again.
        wake: when jobs that wait are tried again.
        care: when new work is held back.
    """

    pools: Mapping[StepName, int] = field(default_factory=lambda: POOL_SIZES)
    leases: Mapping[StepName, float] = field(default_factory=lambda: LEASE_SECONDS)
    heavy_plugins: frozenset[str] = frozenset({"docling"})
    commits: CommitSteps = field(default_factory=CommitSteps)
    retries: RetrySettings = field(default_factory=RetrySettings)
    wake: WakeSettings = field(default_factory=WakeSettings)
    care: CareSettings = field(default_factory=CareSettings)
