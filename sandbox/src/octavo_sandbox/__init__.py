"""Worker processes with limits, a deadline, and the protections that the operating system offers.

    with WorkerPool() as pool:
        reply = pool.run("package.module:function", b"payload", source=handle, limits=SandboxLimits(wall_seconds=60))

The function runs as `function(payload, source, context)` in another process and returns bytes. The only harm that it
can do to the host is to send wrong bytes, to be slow until its deadline, and to die.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from .lazy_names import lazily

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

__getattr__, __dir__ = lazily(
    __name__,
    {
        "Cancelled": "errors",
        "SandboxLevel": "level",
        "SandboxLimits": "limits",
        "SourceHandle": "limits",
        "WorkerGroup": "limits",
        "WorkerPool": "pool",
        "WorkerReply": "limits",
        "probe_level": "pool",
        "sweep_stale": "tempdirs",
    },
)
