"""What a confined worker may read: the system, Python, and nothing of the user's.

The list is short on purpose. What an engine needs beyond it stands in `Lane.readable`.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Iterable, Iterator
from pathlib import Path

_SYSTEM = (
    "/usr", "/bin", "/sbin", "/lib", "/lib32", "/lib64", "/opt", "/nix/store", "/gnu/store",
    "/var/cache/fontconfig", "/var/lib/fonts", "/var/lib/ghostscript", "/var/lib/dictionaries-common",
    "/sys/devices/system", "/sys/fs/cgroup", "/sys/kernel/mm",
)  # fmt: skip

_SETTINGS = (
    "ImageMagick-6", "ImageMagick-7", "alternatives", "fonts", "ghostscript", "group", "host.conf", "hosts",
    "ld.so.cache", "ld.so.conf", "ld.so.conf.d", "libreoffice", "localtime", "locale.alias", "magic", "mime.types",
    "nsswitch.conf", "papersize", "passwd", "protocols", "services", "ssl/openssl.cnf", "timezone",
)  # fmt: skip

_PROC = ("cpuinfo", "filesystems", "loadavg", "meminfo", "stat", "sys/kernel", "sys/vm", "version")

_DEVICES_READ = ("/dev/random", "/dev/urandom")

DEVICES = (Path("/dev/null"), Path("/dev/zero"), Path("/dev/full"))
"""What may be opened for writing outside the temp root."""


def readable_paths(*, extra: Iterable[Path], home: Path | None) -> list[Path]:
    """Everything a worker may read.

    Of /proc only its own folder and what tells of the machine. Landlock by itself lets a fenced process read the
    environment of any other of its user, and with it the user's keys; so programs that a worker starts do without
    their own folder, whose number is not known yet.

    Args:
        extra: what the lane asks for.
        home: the user's home folder, never opened as a whole even when it is an import path.
    """
    proc = Path("/proc")
    return [
        *map(Path, (*_SYSTEM, *_DEVICES_READ)),
        *(Path("/etc", name) for name in _SETTINGS),
        proc / str(os.getpid()),
        *(proc / name for name in _PROC),
        *_import_paths(home),
        *extra,
    ]


def _import_paths(home: Path | None) -> Iterator[Path]:
    too_wide = {Path("/"), Path("/home"), Path("/root"), Path("/Users"), home}
    for name in dict.fromkeys((sys.prefix, sys.exec_prefix, sys.base_prefix, sys.base_exec_prefix, *sys.path)):
        path = Path(name)
        if path.is_absolute() and path not in too_wide:
            yield path
