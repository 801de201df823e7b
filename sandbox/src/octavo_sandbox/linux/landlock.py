"""Landlock: the kernel's file-system restrictions that a process puts on itself.

See https://docs.kernel.org/userspace-api/landlock.html. Newer kernels have more access rights; each is used where known.
"""

from __future__ import annotations

import ctypes
import os
import stat
import sys
from collections.abc import Iterable
from pathlib import Path

from . import libc

_CREATE_RULESET, _ADD_RULE, _RESTRICT_SELF = 444, 445, 446
_RULE_PATH_BENEATH = 1
_CREATE_RULESET_VERSION = 1

_EXECUTE, _WRITE_FILE, _READ_FILE, _READ_DIR = 1 << 0, 1 << 1, 1 << 2, 1 << 3
_MAKE_CHAR, _MAKE_BLOCK = 1 << 6, 1 << 11
_TRUNCATE, _IOCTL_DEV = 1 << 14, 1 << 15
_ON_FILES = _EXECUTE | _WRITE_FILE | _READ_FILE | _TRUNCATE | _IOCTL_DEV

_READ = _EXECUTE | _READ_FILE | _READ_DIR
_DEVICE = _READ_FILE | _WRITE_FILE | _TRUNCATE
_NOT_IN_TEMP = _EXECUTE | _MAKE_CHAR | _MAKE_BLOCK | _IOCTL_DEV

_NETWORK_BIND_AND_CONNECT = 0b11
_SCOPE_ABSTRACT_SOCKETS_AND_SIGNALS = 0b11


class _RulesetAttributes(ctypes.Structure):
    _fields_ = (("fs", ctypes.c_uint64), ("network", ctypes.c_uint64), ("scoped", ctypes.c_uint64))


class _PathBeneath(ctypes.Structure):
    _pack_ = 1
    _fields_ = (("allowed", ctypes.c_uint64), ("parent_fd", ctypes.c_int32))


def abi() -> int:
    """The kernel's Landlock version; 0 if the kernel has no Landlock."""
    if sys.platform != "linux":
        return 0
    try:
        return libc.syscall(_CREATE_RULESET, None, 0, _CREATE_RULESET_VERSION)
    except OSError:
        return 0


def rights_known_to(version: int) -> int:
    """Bit set of all file-system rights that a Landlock version can refuse."""
    count = 13 + (version >= 2) + (version >= 3) + (version >= 5)
    return (1 << count) - 1


def restrict(*, temp: Path, readable: Iterable[Path], devices: Iterable[Path]) -> int:
    """Irrevocably restrict this thread and everything that it starts from now on.

    Allowed afterwards: below `temp` everything except executing programs and creating device nodes; reading and
    executing below `readable`; reading and writing `devices`. ABI 4 and later refuse TCP; ABI 6 and later refuse
    signals to, and abstract sockets of, processes outside. Paths that do not exist are skipped.

    Returns:
        The Landlock version in force.

    Raises:
        OSError: the kernel has no Landlock or refused.
    """
    version = libc.syscall(_CREATE_RULESET, None, 0, _CREATE_RULESET_VERSION)
    known = rights_known_to(version)
    attributes = _RulesetAttributes(
        fs=known,
        network=_NETWORK_BIND_AND_CONNECT if version >= 4 else 0,
        scoped=_SCOPE_ABSTRACT_SOCKETS_AND_SIGNALS if version >= 6 else 0,
    )
    size = 8 if version < 4 else 16 if version < 6 else 24
    ruleset = libc.syscall(_CREATE_RULESET, attributes, size, 0)
    try:
        _allow(ruleset, temp, known & ~_NOT_IN_TEMP)
        for path in readable:
            _allow(ruleset, path, known & _READ)
        for path in devices:
            _allow(ruleset, path, known & _DEVICE)
        libc.prctl(libc.PR_SET_NO_NEW_PRIVS, 1)
        libc.syscall(_RESTRICT_SELF, ruleset, 0)
    finally:
        os.close(ruleset)
    return version


def _allow(ruleset: int, path: Path, rights: int) -> None:
    try:
        fd = os.open(path, os.O_PATH | os.O_CLOEXEC)
    except OSError:
        return
    try:
        if not stat.S_ISDIR(os.fstat(fd).st_mode):
            rights &= _ON_FILES
        libc.syscall(_ADD_RULE, ruleset, _RULE_PATH_BENEATH, _PathBeneath(allowed=rights, parent_fd=fd), 0)
    finally:
        os.close(fd)
