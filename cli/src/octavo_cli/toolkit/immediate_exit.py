"""The end of a command's process: without the clean-up of libraries, or without Python's own teardown."""

from __future__ import annotations

import atexit
import contextlib
import os
import sys
import threading
from typing import NoReturn

_is_requested = False
_skips_teardown = False


def request() -> None:
    """Have the process of this command end as soon as the command has.

    For a feature with a library whose own clean-up at the end of the process would crash, or end it with another code.
    """
    global _is_requested
    _is_requested = True


def skip_teardown() -> None:
    """Have the process of this command end before Python destroys every module and object, a tenth of a short command.

    Threads are joined and exit handlers run as usual. For a command that closes each file that it opens.
    """
    global _skips_teardown
    _skips_teardown = True


def end_process(code: int) -> None:
    """End the process as the command requested it; return if it requested nothing."""
    if not _is_requested:
        if not _skips_teardown:
            return
        # The order of an interpreter's end. Python has no public names for these two: without them it ends as usual.
        join_threads = getattr(threading, "_shutdown", None)
        run_exit_handlers = getattr(atexit, "_run_exitfuncs", None)
        if join_threads is None or run_exit_handlers is None:
            return
        join_threads()
        run_exit_handlers()
    exit_now(code)


def exit_now(code: int) -> NoReturn:
    """End the process with an exit code; what was written so far is not lost."""
    for stream in (sys.stdout, sys.stderr):
        if stream is not None:  # otherwise the process was started without it
            with contextlib.suppress(OSError, ValueError):  # the reader has closed it
                stream.flush()
    os._exit(code)
