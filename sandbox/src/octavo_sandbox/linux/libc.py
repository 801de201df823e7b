"""System calls that Python does not offer, through ctypes, so that installing the sandbox needs no compiler."""

from __future__ import annotations

import ctypes
import os
import signal
import sys
from functools import cache

PR_SET_PDEATHSIG = 1
PR_SET_NO_NEW_PRIVS = 38
PR_SET_CHILD_SUBREAPER = 36


@cache
def _libc() -> ctypes.CDLL:
    return ctypes.CDLL(None, use_errno=True)


def syscall(number: int, *arguments: int | ctypes.Array[ctypes.c_char] | ctypes.Structure | None) -> int:
    """Call the kernel by number.

    Args:
        number: the call's number on this architecture.
        arguments: integers are passed as longs, structures by reference, None as a null pointer.

    Raises:
        OSError: the kernel refused; ENOSYS if it does not know the call.
    """
    function = _libc().syscall
    function.restype = ctypes.c_long
    passed = [
        ctypes.c_long(value) if isinstance(value, int) else None if value is None else ctypes.byref(value)
        for value in arguments
    ]
    return _checked(int(function(ctypes.c_long(number), *passed)))


def prctl(option: int, value: int = 0) -> None:
    """Set a property of this process.

    Raises:
        OSError: the kernel refused.
    """
    zero = ctypes.c_ulong(0)
    _checked(int(_libc().prctl(option, ctypes.c_ulong(value), zero, zero, zero)))


def _checked(result: int) -> int:
    if result < 0:
        code = ctypes.get_errno()
        raise OSError(code, os.strerror(code))
    return result


def signal_at_parents_death(number: signal.Signals, *, parent: int) -> None:
    """Have the kernel send `number` to this process when its parent dies; exit if the parent is already dead.

    The kernel watches the *thread* that started this process: start it from a thread that keeps running.
    """
    if sys.platform == "linux":
        prctl(PR_SET_PDEATHSIG, number)
    if os.getppid() != parent:
        os._exit(0)
