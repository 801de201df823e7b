"""Writes a result to a file of the user's: whole or not at all, and never over the document itself."""

from __future__ import annotations

import contextlib
import os
import stat

from octavo_contracts import UsageError

from .output import clean


def check_target(target: str, *, source: str) -> None:
    """Raise, before anything is converted, when a file must not or can not be written.

    Raises:
        UsageError: it is the document itself, which is never modified (CNV-17), or its folder is not there.
    """
    if os.path.exists(target) and os.path.exists(source) and os.path.samefile(target, source):
        raise UsageError(
            "the output would replace the document itself", source=clean(source), remedy="Give --output another name"
        )
    folder = os.path.dirname(os.path.realpath(target))
    if not os.path.isdir(folder):
        raise UsageError(
            f"there is no folder {clean(folder)}", remedy="Make it, or give --output a name in one that exists"
        )


def write_file(target: str, data: bytes) -> None:
    """Write a file in one step: a reader sees the old content or the new one. Devices and pipes are written directly.

    Raises:
        StorageError: the disk is full or the place can not be written.
    """
    real = os.path.realpath(target)  # a link keeps pointing where it does
    try:
        if os.path.exists(real) and not stat.S_ISREG(os.stat(real).st_mode):
            with open(real, "wb") as stream:
                stream.write(data)
        else:
            _replace(real, data)
    except BrokenPipeError:
        raise
    except OSError as error:
        from ..store.durable import write_failed

        remedy = "Free space, or write to another place"
        raise write_failed(error, f"{clean(target)} can not be written", remedy=remedy) from error


def _replace(target: str, data: bytes) -> None:
    folder, name = os.path.split(target)
    unfinished = os.path.join(folder, f".{name[:100]}.{os.getpid()}.part")
    try:
        # Not `tempfile`: the file gets the permissions that the user's umask gives any new file.
        with open(unfinished, "xb") as stream:
            stream.write(data)
            stream.flush()
            os.fsync(stream.fileno())
        os.replace(unfinished, target)
    except BaseException:
        with contextlib.suppress(FileNotFoundError):
            os.unlink(unfinished)
        raise
