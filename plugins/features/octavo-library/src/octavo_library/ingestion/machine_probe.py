"""Reads memory, disk, temperature and load of the machine; None for each missing sensor."""

from __future__ import annotations

import os
import shutil
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

import psutil

_CGROUP = Path("/sys/fs/cgroup")
_PRESSURE = Path("/proc/pressure/memory")


@dataclass(frozen=True, kw_only=True)
class Readings:
    """One reading of all sensors.

    Attributes:
        memory_percent: memory in use, of the machine or of this container, whichever is higher.
        memory_stall_percent: percent of the last ten seconds in which a process waited for memory; None if the kernel
            does not report it.
        disk_free: bytes that this user may still write.
        disk_size: bytes of the whole disk.
        heat: degrees Celsius of the hottest sensor of the processor; None without a sensor.
        load: runnable processes per core over the last minute; None if the system does not report it.
    """

    memory_percent: float | None
    memory_stall_percent: float | None
    disk_free: int | None
    disk_size: int | None
    heat: float | None
    load: float | None


class Probe(Protocol):
    """Takes readings."""

    def read(self) -> Readings:
        """Read all sensors."""

    def disk_free(self) -> int | None:
        """Read only the free bytes of the library's disk; called before every durable write."""


class MachineProbe:
    """Reads this machine.

    Args:
        folder: on the disk to watch.
    """

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._heat = _heat() is not None

    def read(self) -> Readings:
        """Read all sensors; takes about a tenth of a millisecond."""
        disk = _disk(self._folder)
        return Readings(
            memory_percent=_memory_percent(),
            memory_stall_percent=_stalled(),
            disk_free=disk[0] if disk else None,
            disk_size=disk[1] if disk else None,
            heat=_heat() if self._heat else None,
            load=_load(),
        )

    def disk_free(self) -> int | None:
        """Bytes free on the library's disk."""
        disk = _disk(self._folder)
        return disk[0] if disk else None


def _disk(folder: Path) -> tuple[int, int] | None:
    try:
        usage = shutil.disk_usage(folder)
    except OSError:
        return None
    return usage.free, usage.total


def _memory_percent() -> float:
    machine = float(psutil.virtual_memory().percent)
    try:
        limit = (_CGROUP / "memory.max").read_text().strip()
        if limit == "max":
            return machine
        used = int((_CGROUP / "memory.current").read_text())
        stat = dict(line.split() for line in (_CGROUP / "memory.stat").read_text().splitlines())
        # The kernel reclaims file pages when memory is needed, so they do not count as used.
        used -= int(stat.get("inactive_file", 0)) + int(stat.get("active_file", 0))
        return max(machine, 100.0 * used / int(limit))
    except (OSError, ValueError):
        return machine


def _stalled() -> float | None:
    try:
        first = _PRESSURE.read_text().splitlines()[0]
        return float(dict(part.split("=") for part in first.split()[1:])["avg10"])
    except (OSError, ValueError, IndexError, KeyError):
        return None


def _heat() -> float | None:
    sensors = getattr(psutil, "sensors_temperatures", None)  # Linux and FreeBSD only
    if sensors is None:
        return None
    found = [
        reading.current
        for name, readings in sensors().items()
        if name in ("coretemp", "k10temp", "zenpower", "cpu_thermal", "acpitz")
        for reading in readings
    ]
    return max(found, default=None)


def _load() -> float | None:
    try:
        return os.getloadavg()[0] / (os.cpu_count() or 1)
    except OSError:
        return None
