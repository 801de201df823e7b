"""Gives the current process other surroundings than a worker has: clock, machine, user, files that it may write.

An answer that depends on one of them differs from the one that a worker gives. Only code in Python sees the other clock:
native code asks the kernel, which has one clock for all processes.
"""

from __future__ import annotations

import ctypes
import datetime
import gc
import os
import socket
import sys
import time
from collections.abc import Iterable, Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

from octavo_sandbox.linux import landlock
from octavo_sandbox.readable_paths import DEVICES, readable_paths

_NEW_USER, _NEW_HOST_NAME = 0x10000000, 0x04000000
RELEASE = "1.2.3-elsewhere"
"""The kernel's release that Python code sees."""


def shift_clock(seconds: int) -> None:
    """Let Python code see another date and time; `time.monotonic`, and with it every deadline, is not changed."""
    now, now_ns, clock = time.time, time.time_ns, time.clock_gettime
    local, utc, text, form, plain = time.localtime, time.gmtime, time.ctime, time.strftime, time.asctime
    patched: dict[str, Any] = {
        "time": lambda: now() + seconds,
        "time_ns": lambda: now_ns() + seconds * 1_000_000_000,
        "clock_gettime": lambda of: clock(of) + (seconds if of == time.CLOCK_REALTIME else 0),
        "localtime": lambda at=None: local(now() + seconds if at is None else at),
        "gmtime": lambda at=None: utc(now() + seconds if at is None else at),
        "ctime": lambda at=None: text(now() + seconds if at is None else at),
        "strftime": lambda how, at=None: form(how, local(now() + seconds) if at is None else at),
        "asctime": lambda at=None: plain(local(now() + seconds) if at is None else at),
    }
    for name, function in patched.items():
        setattr(time, name, function)
    shift = datetime.timedelta(seconds=seconds)
    for name in ("now", "utcnow"):  # `today` asks `time.time`
        _shift_method(datetime.datetime, name, shift)


def _shift_method(kind: type, name: str, shift: datetime.timedelta) -> None:
    """Shift what a class method of a type of the standard library returns.

    The type is written in C and immutable. Another class in its place would not be the type that C code makes instances of,
    so the method is replaced within the type.
    """
    namespace = gc.get_referents(kind.__dict__)[0]
    original = namespace[name]
    namespace[name] = classmethod(lambda cls, *zone, **named: original.__get__(None, cls)(*zone, **named) + shift)
    ctypes.pythonapi.PyType_Modified(ctypes.py_object(kind))


def rename_machine(name: str) -> None:
    """Give the machine another name and the process another user, as far as the system lets it; Python code sees the name anyway."""
    libc = ctypes.CDLL(None, use_errno=True)
    if hasattr(libc, "unshare") and libc.unshare(_NEW_USER | _NEW_HOST_NAME) == 0:
        with suppress(OSError):
            socket.sethostname(name)
    if hasattr(os, "uname"):
        told = os.uname()
        made = os.uname_result((told.sysname, name, RELEASE, told.version, told.machine))
        os.uname = lambda: made
    socket.gethostname = lambda: name


TOOLS = frozenset({"octavo_conformance", "pytest", "_pytest"})
"""Packages that a machine of a user does not have."""


class _WithoutTools:
    """A finder of modules and distributions that does not find the tools of tests.

    Args:
        finder: the finder that it asks.
    """

    def __init__(self, finder: Any) -> None:
        self._finder = finder

    def find_spec(self, name: str, *rest: Any) -> Any:
        return None if name.partition(".")[0] in TOOLS else self._finder.find_spec(name, *rest)

    def find_distributions(self, *context: Any) -> Iterator[Any]:
        for found in getattr(self._finder, "find_distributions", lambda *_: ())(*context):
            if (found.metadata["Name"] or "").replace("-", "_").lower() not in TOOLS:
                yield found

    def __getattr__(self, name: str) -> Any:
        return getattr(self._finder, name)


def hide_tools() -> None:
    """Let Python code find neither the suite nor a program for tests, as on the machine of a user."""
    sys.meta_path[:] = [_WithoutTools(finder) for finder in sys.meta_path]
    for name in [name for name in sys.modules if name.partition(".")[0] in TOOLS]:
        del sys.modules[name]


def fence_files(writable: Path, *, readable: Iterable[Path], subprocess: bool) -> None:
    """Let this process write below one folder only, where the system can do that; it may read what a worker may read."""
    # Of another thread the fence would not be one; the caller has none yet.
    with suppress(OSError):
        paths = readable_paths(extra=readable, home=None, subprocess=subprocess)
        landlock.restrict(temp=writable, readable=paths, devices=DEVICES)
