"""Ends the process of a command without the clean-up of libraries that would change its exit code."""

from __future__ import annotations

import os
import sys
from typing import NoReturn

_at_once = False


def demand() -> None:
    """Have the process of this command end as soon as the command has.

    For a feature with a library whose own clean-up at the end of the process would crash, or end it with another code.
    """
    global _at_once
    _at_once = True


def is_demanded() -> bool:
    """Return whether a feature has asked for it."""
    return _at_once


def leave(code: int) -> NoReturn:
    """End the process with an exit code; what was written so far is not lost."""
    for stream in (sys.stdout, sys.stderr):
        try:
            stream.flush()
        except (OSError, ValueError):  # whoever read it is gone
            continue
    os._exit(code)
