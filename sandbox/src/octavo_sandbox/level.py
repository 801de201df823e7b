"""How well a worker is confined: what the system had, as the worker itself found after trying it."""

from __future__ import annotations

from dataclasses import asdict, dataclass, field
from typing import Any

PROCESS = "process"
LANDLOCK = "landlock"
SECCOMP = "seccomp"
FULL = f"{LANDLOCK}+{SECCOMP}"


@dataclass(frozen=True, kw_only=True)
class SandboxLevel:
    """The protections around a worker, each tried after it was put up.

    Attributes:
        landlock_abi: version of Landlock that holds; 0 for none.
        seccomp: whether the system-call filter holds.
        missing: why a fence is not there, a sentence each.
    """

    landlock_abi: int = 0
    seccomp: bool = False
    missing: tuple[str, ...] = field(default=())

    @property
    def name(self) -> str:
        """Either "landlock+seccomp", one of the two, or "process": a process of its own with limits and a deadline."""
        held = [name for name, holds in ((LANDLOCK, self.landlock_abi > 0), (SECCOMP, self.seccomp)) if holds]
        return "+".join(held) or PROCESS

    @property
    def protections(self) -> int:
        """How many hold, to compare two levels."""
        return (self.landlock_abi > 0) + self.seccomp

    def to_wire(self) -> dict[str, Any]:
        """As JSON."""
        return asdict(self)

    @classmethod
    def from_wire(cls, data: Any) -> SandboxLevel:
        """From a worker's first message, sent before it has seen a document.

        Raises:
            ValueError: it is malformed.
        """
        try:
            return cls(
                landlock_abi=int(data["landlock_abi"]),
                seccomp=data["seccomp"] is True,
                missing=tuple(str(reason) for reason in data["missing"]),
            )
        except (KeyError, TypeError) as error:
            raise ValueError("a sandbox level is malformed") from error
