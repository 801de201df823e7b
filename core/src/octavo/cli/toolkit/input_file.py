"""Reads a small file that the user named, whatever its name leads to: it ends, and it is bounded."""

from __future__ import annotations

import os
import select
import stat
import sys
import time

from octavo_contracts import SourceMissing, UsageError

MAX_BYTES = 256 << 20
"""Of a digest, for example; larger than any that Octavo writes."""

_BLOCK = 1 << 20
_PATIENCE = 30.0
"""Seconds in which a pipe has to bring its first byte, and each further one."""


def read_named(path: str, *, at_most: int = MAX_BYTES) -> bytes:
    """The content of a regular file, or what comes through a pipe, such as `<(command)`.

    Args:
        path: as the user gave it.
        at_most: bytes; more are refused.

    Raises:
        UsageError: it is a device or a folder, or larger than that.
        SourceMissing: it is not there or cannot be read, or nothing comes through the pipe.
    """
    try:
        descriptor = os.open(path, os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0))
        try:
            mode = os.fstat(descriptor).st_mode
            if not (stat.S_ISREG(mode) or stat.S_ISFIFO(mode)):
                raise UsageError("it is neither a file nor a pipe", source=path)
            return _read(descriptor, path, at_most=at_most, is_pipe=stat.S_ISFIFO(mode))
        finally:
            os.close(descriptor)
    except OSError as error:
        raise SourceMissing(f"it cannot be read: {error.strerror}", source=path) from error


def read_standard_input(*, at_most: int = MAX_BYTES) -> bytes:
    """What standard input brings.

    Raises:
        UsageError: more than that.
    """
    data = sys.stdin.buffer.read(at_most + 1)
    if len(data) > at_most:
        raise _too_large("-", at_most)
    return data


def _read(descriptor: int, path: str, *, at_most: int, is_pipe: bool) -> bytes:
    found = bytearray()
    ends = time.monotonic() + _PATIENCE
    while True:
        if is_pipe:
            if time.monotonic() > ends:
                raise SourceMissing(f"nothing came through the pipe for {_PATIENCE:.0f} s", source=path)
            select.select([descriptor], [], [], _PATIENCE)
        try:
            block = os.read(descriptor, _BLOCK)
        except BlockingIOError:
            continue
        if not block and is_pipe and not found:
            time.sleep(0.05)  # nobody has opened it for writing yet
            continue
        if not block:
            return bytes(found)
        ends = time.monotonic() + _PATIENCE
        found += block
        if len(found) > at_most:
            raise _too_large(path, at_most)


def _too_large(path: str, at_most: int) -> UsageError:
    return UsageError(f"it is larger than {at_most} bytes", source=path)
