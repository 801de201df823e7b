"""Worker processes with limits, a deadline, and the protections that the operating system offers.

    with WorkerPool() as pool:
        reply = pool.run("package.module:function", b"payload", source=handle, limits=SandboxLimits(wall_seconds=60))

The function runs as `function(payload, source, context)` in another process and returns bytes. The only harm that it
can do to the host is to send wrong bytes, to be slow until its deadline, and to die.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from .errors import Cancelled
    from .level import SandboxLevel
    from .limits import SandboxLimits, SourceHandle, WorkerGroup, WorkerReply
    from .pool import WorkerPool, probe_level
    from .tempdirs import sweep_stale

__all__ = [
    "Cancelled",
    "SandboxLevel",
    "SandboxLimits",
    "SourceHandle",
    "WorkerGroup",
    "WorkerPool",
    "WorkerReply",
    "probe_level",
    "sweep_stale",
]

_HOMES = {
    "Cancelled": "errors",
    "WorkerGroup": "limits",
    "SandboxLevel": "level",
    "SandboxLimits": "limits",
    "SourceHandle": "limits",
    "WorkerPool": "pool",
    "WorkerReply": "limits",
    "probe_level": "pool",
    "sweep_stale": "tempdirs",
}


def __getattr__(name: str) -> object:
    """Load a public name on first use: workers import this package only for some of its modules."""
    home = _HOMES.get(name)
    if home is None:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(f".{home}", __name__), name)


def __dir__() -> list[str]:
    return sorted({*globals(), *_HOMES})
