"""Starts LibreOffice so that it puts its socket into the current folder: run as a script, nothing of Octavo imported.

LibreOffice opens a socket by which a second start would find the first one, in /tmp where `access` says that it may write,
else in the folder that `OSL_SOCKET_PATH` names. A confined worker may not write in /tmp, and `access` does not know: it looks
at modes, not at Landlock. So this process has the kernel answer no to every question whether a file may be written, which
only `access` asks, and becomes LibreOffice. Where the filter cannot be set, LibreOffice is started as it is.

    python -I launch.py PROGRAM ARGUMENT …
"""

from __future__ import annotations

import ctypes
import os
import platform
import struct
import sys

_NO_NEW_PRIVILEGES, _SET_SECCOMP, _FILTER = 38, 22, 2
_LOAD, _EQUAL, _RETURN = 0x20, 0x15, 0x06
_NUMBER_AT, _ARCHITECTURE_AT, _ARGUMENTS_AT = 0, 4, 16
_ALLOW, _NO = 0x7FFF0000, 0x00050000 | 13  # EACCES
_MAY_WRITE = 2

_ACCESS = {"x86_64": (0xC000003E, 21, 1), "aarch64": (0xC00000B7, 48, 2)}
"""Machine → its audit number, the number of `access` or `faccessat`, and which argument is the mode."""


class _Program(ctypes.Structure):
    _fields_ = (("length", ctypes.c_ushort), ("instructions", ctypes.c_void_p))


def filter_for(machine: str) -> bytes | None:
    """The filter's instructions, or None for a machine whose numbers are not known."""
    if machine not in _ACCESS:
        return None
    audit, number, argument = _ACCESS[machine]
    program = (
        (_LOAD, 0, 0, _ARCHITECTURE_AT),
        (_EQUAL, 0, 5, audit),
        (_LOAD, 0, 0, _NUMBER_AT),
        (_EQUAL, 0, 3, number),
        (_LOAD, 0, 0, _ARGUMENTS_AT + 8 * argument),
        (_EQUAL, 0, 1, _MAY_WRITE),
        (_RETURN, 0, 0, _NO),
        (_RETURN, 0, 0, _ALLOW),
    )
    return b"".join(struct.pack("=HBBI", *instruction) for instruction in program)


def deny_access_questions() -> bool:
    """Set the filter for this process and its successors; return whether that succeeded."""
    code = filter_for(platform.machine()) if sys.platform == "linux" else None
    if code is None:
        return False
    buffer = ctypes.create_string_buffer(code, len(code))
    program = _Program(length=len(code) // 8, instructions=ctypes.addressof(buffer))
    libc = ctypes.CDLL(None, use_errno=True)
    nothing = ctypes.c_ulong(0)
    if libc.prctl(_NO_NEW_PRIVILEGES, ctypes.c_ulong(1), nothing, nothing, nothing):
        return False
    return not libc.prctl(_SET_SECCOMP, ctypes.c_ulong(_FILTER), ctypes.byref(program), nothing, nothing)


if __name__ == "__main__":
    deny_access_questions()
    os.execv(sys.argv[1], sys.argv[1:])
