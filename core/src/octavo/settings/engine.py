"""Settings of the ingestion engine. All defaults come from the specification."""

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
        StepName.MODEL: 16,
        StepName.INDEX_WRITE: 4,
    }
)
"""Slots for each step (ENG-8), before the number of cores limits the compute-bound steps: all but `model`, which waits."""

LEASE_SECONDS: Mapping[StepName, float] = MappingProxyType(
    {
        StepName.CONVERT: 600.0,
        StepName.CONVERT_HEAVY: 600.0,
        StepName.OCR: 300.0,
        StepName.ENTITIES: 120.0,
    }
)
"""Lease time of a slot in seconds; a slot that is not released in time is leased again (ENG-10)."""


@dataclass(frozen=True, kw_only=True)
class CareSettings:
    """When new work pauses, and when it resumes (ENG-9, ENG-12, ENG-13).

    Attributes:
        memory_stop: percentage of memory in use at which no new work starts.
        memory_go: percentage below which work resumes.
        disk_floor: bytes that are always kept free; on a small disk, at most `disk_share` of its size.
        disk_margin: bytes above the floor at which writing resumes; on a small disk, at most a fifth of its floor.
        disk_share: maximum share of a disk that is kept free.
        disk_preflight: whether a run is refused before its first document if its estimate is larger than the free space
            above the floor, and than `disk_margin`.
        heat_stop: degrees Celsius of the hottest sensor at which no new work starts.
        heat_seconds: time that the temperature must be exceeded.
        heat_go: degrees below which work resumes.
        load_stop: load average per core at which pools shrink.
        load_go: load average per core below which they grow again.
        active_seconds: time that a person counts as active after the last activity
            (`library.engine.notify_user_active`).
        shrink_to: share of each pool that remains while a person is active or the machine is loaded.
        every: seconds between two readings.
        trickle: seconds after which a paused run admits one document: other programs may use up the machine
            permanently, and the run must end. Below the disk's floor nothing is admitted.
        give_up: seconds after which a run that waits for disk space fails with `StorageError`.
    """

    memory_stop: float = 85.0
    memory_go: float = 75.0
    disk_floor: int = 5 * GB
    disk_margin: int = 1 * GB
    disk_share: float = 0.1
    disk_preflight: bool = True
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
    """How often transient failures are retried (ENG-7).

    Attributes:
        tries: maximum number of tries per document, including the first.
        first_delay: seconds before the second try.
        factor: factor by which each further delay grows.
    """

    tries: int = 3
    first_delay: float = 1.0
    factor: float = 4.0

    def delay(self, attempt: int) -> float:
        """Return the seconds to wait after failed try number `attempt`, counted from 1."""
        return self.first_delay * self.factor ** (attempt - 1)


@dataclass(frozen=True, kw_only=True)
class WakeSettings:
    """When waiting jobs are retried automatically (ENG-7).

    Attributes:
        first: seconds before one of the jobs that wait for the same cause is retried; also the interval of checking
            whether a missing tool is available again.
        longest: maximum backoff in seconds; each delay between failed tries doubles the previous one.
        grace: seconds after opening a library before interrupted jobs are resumed, unless a caller waits for them: a
            library that is opened briefly only to read resumes nothing.
    """

    first: float = 2.0
    longest: float = 600.0
    grace: float = 2.0


@dataclass(frozen=True, kw_only=True)
class EngineSettings:
    """Settings of the ingestion engine.

    Attributes:
        pools: slots for each step.
        leases: lease time of a slot in seconds.
        heavy_plugins: converters that use a slot of `convert_heavy` instead of `convert`.
        commits: how often results are committed.
        retries: how often transient failures are retried.
        wake: when waiting jobs are retried.
        care: when new work pauses.
    """

    pools: Mapping[StepName, int] = field(default_factory=lambda: POOL_SIZES)
    leases: Mapping[StepName, float] = field(default_factory=lambda: LEASE_SECONDS)
    heavy_plugins: frozenset[str] = frozenset({"docling"})
    commits: CommitSteps = field(default_factory=CommitSteps)
    retries: RetrySettings = field(default_factory=RetrySettings)
    wake: WakeSettings = field(default_factory=WakeSettings)
    care: CareSettings = field(default_factory=CareSettings)
