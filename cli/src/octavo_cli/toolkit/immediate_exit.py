"""The end of a command's process without the clean-up of libraries, which could change its exit code."""

from __future__ import annotations

import contextlib
import os
import sys
from typing import NoReturn

_is_requested = False


def request() -> None:
    """Have the process of this command end as soon as the command has.

    For a feature with a library whose own clean-up at the end of the process would crash, or end it with another code.
    """
    global _is_requested
    _is_requested = True


def is_requested() -> bool:
    """Return whether a feature has asked for it."""
    return _is_requested


def exit_now(code: int) -> NoReturn:
    """End the process with an exit code; what was written so far is not lost."""
    for stream in (sys.stdout, sys.stderr):
        if stream is not None:  # otherwise the process was started without it
            with contextlib.suppress(OSError, ValueError):  # the reader has closed it
                stream.flush()
    os._exit(code)
