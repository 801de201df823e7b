"""Memory measurement and resource limits that the worker applies to itself for each call."""

from __future__ import annotations

import os
import resource
import sys
from collections.abc import Mapping

_MIB = 1 << 20
_KEEP = -1


class ResourceLimits:
    """Reads this process's memory and sets its limits.

    Create it before the worker is confined: afterwards `/proc/self/clear_refs` cannot be opened for writing.
    """

    def __init__(self) -> None:
        self._linux = sys.platform == "linux"
        self._clear_refs = os.open("/proc/self/clear_refs", os.O_WRONLY) if self._linux else _KEEP
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))

    def start(self) -> None:
        """Reset the peak of earlier calls."""
        if self._linux:
            os.write(self._clear_refs, b"5")

    def peak_mb(self) -> float:
        """Largest resident size since `start`, MiB; since the process started if there is no /proc."""
        if self._linux:
            return _status("VmHWM") / 1024
        peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
        return peak / _MIB if sys.platform == "darwin" else peak / 1024

    def set_limits(self, limits: Mapping[str, int]) -> None:
        """Set the limits of the next call (see `SandboxLimits.to_wire`).

        Only soft limits change: memory and processor time are counted from what the process has already used, so they
        are set for every call.
        """
        usage = resource.getrusage(resource.RUSAGE_SELF)
        _soft(resource.RLIMIT_CPU, int(usage.ru_utime + usage.ru_stime) + limits["cpu_seconds"])
        _soft(resource.RLIMIT_FSIZE, limits["file_size"])
        _soft(resource.RLIMIT_NOFILE, limits["open_files"])
        if self._linux:
            _soft(resource.RLIMIT_DATA, _status("VmData") * 1024 + limits["memory"])

    def release_memory(self) -> None:
        """Remove the memory limit, so that an out-of-memory failure can still be reported."""
        _soft(resource.RLIMIT_DATA, resource.RLIM_INFINITY)


def _soft(kind: int, value: int) -> None:
    _, hard = resource.getrlimit(kind)
    if hard != resource.RLIM_INFINITY and (value > hard or value == resource.RLIM_INFINITY):
        value = hard
    resource.setrlimit(kind, (value, hard))


def _status(field: str) -> int:
    """Value of a field of /proc/self/status, KiB."""
    with open("/proc/self/status", "rb") as lines:
        for line in lines:
            if line.startswith(field.encode()):
                return int(line.split()[1])
    return 0
