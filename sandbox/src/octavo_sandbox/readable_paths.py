"""Paths that a confined worker may read: shared libraries, Python and common system data, but no data of the user.

SECURITY.md lists the same paths; a test compares the two. Further paths that an engine needs are in
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
"""Shared libraries, including those of a Python that the system installed."""

DATA = (
    "/usr/share/X11/locale", "/usr/share/fonts", "/usr/share/i18n", "/usr/share/icu", "/usr/share/locale",
    "/usr/share/mime", "/usr/share/misc", "/usr/share/zoneinfo", "/usr/local/share/fonts",
    "/etc/ld.so.cache", "/etc/ld.so.conf", "/etc/ld.so.conf.d", "/etc/locale.alias", "/etc/localtime", "/etc/magic",
    "/etc/mime.types", "/etc/ssl/openssl.cnf", "/etc/timezone",
)  # fmt: skip
"""Data files that libraries look for."""

MACHINE = (
    "/dev/random", "/dev/urandom", "/proc/cpuinfo", "/proc/filesystems", "/proc/loadavg", "/proc/meminfo", "/proc/stat",
    "/proc/sys/kernel/osrelease", "/proc/sys/vm/overcommit_memory", "/proc/version", "/sys/devices/system/cpu",
    "/sys/devices/system/node", "/sys/kernel/mm/transparent_hugepage",
)  # fmt: skip
"""Facts about the machine: cores, memory, kernel."""

PROGRAMS = (
    "/bin", "/sbin", "/usr", "/etc/ImageMagick-6", "/etc/ImageMagick-7", "/etc/alternatives", "/etc/fonts",
    "/etc/ghostscript", "/etc/libreoffice", "/etc/papersize", "/var/cache/fontconfig", "/var/lib/fonts",
    "/var/lib/ghostscript", "/var/lib/dictionaries-common", "/var/lib/libreoffice",
)  # fmt: skip
"""Paths for plugins that declare that they start programs: everything below /usr, and the programs' settings."""

DEVICES = (Path("/dev/null"), Path("/dev/zero"), Path("/dev/full"))
"""Files that may be opened for writing outside the temp root."""

_TOO_WIDE = ("/", "/etc", "/home", "/mnt", "/opt", "/root", "/srv", "/tmp", "/usr", "/usr/local", "/var", "/Users")
"""Prefixes and import paths that are never opened as a whole, because they contain more than Python."""


def readable_paths(*, extra: Iterable[Path], home: Path | None, subprocess: bool) -> list[Path]:
    """Return all paths that a worker may read.

    Of /proc only the worker's own folder and the facts about the machine are included. Landlock alone would let a
    confined process read the environment of every other process of its user, and with it the user's keys. So
    programs started by a worker have no access to their own /proc folder: their process ids are not known yet.

    Args:
        extra: paths that the worker's group needs.
        home: the user's home folder, never opened as a whole, even if it is an import path.
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
