"""Reads a small file that the user named, with limits on size and time."""

from __future__ import annotations

import os
import select
import stat
import sys
import time

from octavo_contracts import SourceMissing, UsageError

MAX_BYTES = 256 << 20
"""Size limit, for a digest for example; larger than any file that Octavo writes."""

_BLOCK = 1 << 20
_PATIENCE = 30.0
"""Maximum time in seconds between two bytes from a pipe, and before the first one."""


def read_named(path: str, *, at_most: int = MAX_BYTES) -> bytes:
    """Read a regular file, or a pipe such as `<(command)`.

    Args:
        path: the path that the user gave.
        at_most: maximum size in bytes.

    Raises:
        UsageError: it is a device or a folder, or larger than the limit.
        SourceMissing: it does not exist, cannot be read, or the pipe brings no data.
    """
    try:
        descriptor = os.open(path, os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0))
        try:
            mode = os.fstat(descriptor).st_mode
            if not (stat.S_ISREG(mode) or stat.S_ISFIFO(mode)):
                raise UsageError("neither a file nor a pipe", source=path)
            return _read(descriptor, path, at_most=at_most, is_pipe=stat.S_ISFIFO(mode))
        finally:
            os.close(descriptor)
    except OSError as error:
        raise SourceMissing(f"the file cannot be read: {error.strerror}", source=path) from error


def read_standard_input(*, at_most: int = MAX_BYTES) -> bytes:
    """Read standard input.

    Raises:
        UsageError: it is larger than the limit.
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
                raise SourceMissing(f"the pipe brought no data for {_PATIENCE:.0f} s", source=path)
            select.select([descriptor], [], [], _PATIENCE)
        try:
            block = os.read(descriptor, _BLOCK)
        except BlockingIOError:
            continue
        if not block and is_pipe and not found:
            time.sleep(0.05)  # no process has opened it for writing yet
            continue
        if not block:
            return bytes(found)
        ends = time.monotonic() + _PATIENCE
        found += block
        if len(found) > at_most:
            raise _too_large(path, at_most)


def _too_large(path: str, at_most: int) -> UsageError:
    return UsageError(f"the file is larger than {at_most} bytes", source=path)
