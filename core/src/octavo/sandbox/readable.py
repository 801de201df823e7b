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


def readable_paths(*, subprocess: bool, extra: Iterable[Path], home: Path | None) -> list[Path]:
    """Everything a worker may read.

    Args:
        subprocess: whether it may start programs; those look at their own folder of /proc, whose number is not
            known yet, so all of /proc is open to them. The kernel still hides other processes' memory and
            environment from a fenced process.
        extra: what the lane asks for.
        home: the user's home folder, never opened as a whole even when it is an import path.
    """
    paths = [Path(path) for path in (*_SYSTEM, *_DEVICES_READ)]
    paths += [Path("/etc", name) for name in _SETTINGS]
    # PIDs are looked up now: /proc/self would be a link to this process only while the rule is made, as wanted.
    proc = Path("/proc")
    paths += [proc] if subprocess else [proc / str(os.getpid()), *(proc / name for name in _PROC)]
    paths += _import_paths(home)
    paths += extra
    return paths


def _import_paths(home: Path | None) -> Iterator[Path]:
    too_wide = {Path("/"), Path("/home"), Path("/root"), Path("/Users"), home}
    for name in dict.fromkeys((sys.prefix, sys.exec_prefix, sys.base_prefix, sys.base_exec_prefix, *sys.path)):
        path = Path(name)
        if path.is_absolute() and path not in too_wide:
            yield path
