"""What a confined worker may read: shared libraries, Python, the system's common data, and nothing of the user's.

SECURITY.md lists the same paths for the reader; a test compares. What an engine needs beyond them stands in
`WorkerGroup.readable`.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Iterable, Iterator
from pathlib import Path

LIBRARIES = (
    "/lib", "/lib32", "/lib64", "/usr/lib", "/usr/lib32", "/usr/lib64", "/usr/local/lib", "/usr/local/lib64",
    "/usr/local/cuda", "/nix/store", "/gnu/store",
)  # fmt: skip
"""Shared libraries, and Python's own where the system installed it."""

DATA = (
    "/usr/share/X11/locale", "/usr/share/fonts", "/usr/share/i18n", "/usr/share/icu", "/usr/share/locale",
    "/usr/share/mime", "/usr/share/misc", "/usr/share/zoneinfo", "/usr/local/share/fonts",
    "/etc/ld.so.cache", "/etc/ld.so.conf", "/etc/ld.so.conf.d", "/etc/locale.alias", "/etc/localtime", "/etc/magic",
    "/etc/mime.types", "/etc/ssl/openssl.cnf", "/etc/timezone",
)  # fmt: skip
"""Data that libraries look for."""

MACHINE = (
    "/dev/random", "/dev/urandom", "/proc/cpuinfo", "/proc/filesystems", "/proc/loadavg", "/proc/meminfo", "/proc/stat",
    "/proc/sys/kernel/osrelease", "/proc/sys/vm/overcommit_memory", "/proc/version", "/sys/devices/system/cpu",
    "/sys/devices/system/node", "/sys/kernel/mm/transparent_hugepage",
)  # fmt: skip
"""What tells of the machine: cores, memory, the kernel."""

PROGRAMS = (
    "/bin", "/sbin", "/usr", "/etc/ImageMagick-6", "/etc/ImageMagick-7", "/etc/alternatives", "/etc/fonts",
    "/etc/ghostscript", "/etc/libreoffice", "/etc/papersize", "/var/cache/fontconfig", "/var/lib/fonts",
    "/var/lib/ghostscript", "/var/lib/dictionaries-common", "/var/lib/libreoffice",
)  # fmt: skip
"""What programs need besides, for plugins that declare that they start some: everything below /usr, and settings."""

DEVICES = (Path("/dev/null"), Path("/dev/zero"), Path("/dev/full"))
"""What may be opened for writing outside the temp root."""

_TOO_WIDE = ("/", "/etc", "/home", "/mnt", "/opt", "/root", "/srv", "/tmp", "/usr", "/usr/local", "/var", "/Users")
"""Prefixes and import paths that are never opened as a whole: they hold more than Python."""


def readable_paths(*, extra: Iterable[Path], home: Path | None, subprocess: bool) -> list[Path]:
    """Everything a worker may read.

    Of /proc only its own folder and what tells of the machine. Landlock by itself lets a fenced process read the
    environment of any other of its user, and with it the user's keys; so programs that a worker starts do without
    their own folder, whose number is not known yet.

    Args:
        extra: what the lane asks for.
        home: the user's home folder, never opened as a whole even when it is an import path.
        subprocess: whether the worker may start programs.
    """
    return [
        *map(Path, (*LIBRARIES, *DATA, *MACHINE, *(PROGRAMS if subprocess else ()))),
        Path("/proc", str(os.getpid())),
        *_import_paths(home),
        *extra,
    ]


def _import_paths(home: Path | None) -> Iterator[Path]:
    too_wide = {*map(Path, _TOO_WIDE), home}
    for name in dict.fromkeys((sys.prefix, sys.exec_prefix, sys.base_prefix, sys.base_exec_prefix, *sys.path)):
        path = Path(name)
        if path.is_absolute() and path not in too_wide:
            yield path
