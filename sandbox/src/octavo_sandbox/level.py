"""The sandbox level of a worker: the protections that the worker set up and then verified."""

from __future__ import annotations

from dataclasses import asdict, dataclass, field
from functools import cached_property
from typing import Any

PROCESS = "process"
LANDLOCK = "landlock"
SECCOMP = "seccomp"
FULL = f"{LANDLOCK}+{SECCOMP}"


@dataclass(frozen=True, kw_only=True)
class SandboxLevel:
    """The protections around a worker, each verified after it was set up.

    Attributes:
        landlock_abi: version of Landlock in force; 0 for none.
        seccomp: whether the system-call filter is in force.
        missing: one sentence for each protection that is missing, with the reason.
    """

    landlock_abi: int = 0
    seccomp: bool = False
    missing: tuple[str, ...] = field(default=())

    @cached_property
    def name(self) -> str:
        """Either "landlock+seccomp", one of the two, or "process": a separate process with limits and a deadline."""
        held = [name for name, holds in ((LANDLOCK, self.landlock_abi > 0), (SECCOMP, self.seccomp)) if holds]
        return "+".join(held) or PROCESS

    @cached_property
    def protections(self) -> int:
        """Number of protections in force, to compare two levels."""
        return (self.landlock_abi > 0) + self.seccomp

    def to_wire(self) -> dict[str, Any]:
        """Return the level as a JSON object."""
        return asdict(self)

    @classmethod
    def from_wire(cls, data: Any) -> SandboxLevel:
        """Read the level from a worker's first message, sent before the worker has seen a document.

        Raises:
            ValueError: the data is malformed.
        """
        try:
            return cls(
                landlock_abi=int(data["landlock_abi"]),
                seccomp=data["seccomp"] is True,
                missing=tuple(str(reason) for reason in data["missing"]),
            )
        except (KeyError, TypeError) as error:
            raise ValueError("malformed sandbox level") from error
