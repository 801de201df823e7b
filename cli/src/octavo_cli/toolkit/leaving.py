"""Ends the process of a command without the clean-up of libraries that would change its exit code."""

from __future__ import annotations

import os
import sys
from typing import NoReturn

_demands: list[str] = []


def demand(why: str) -> None:
    """Ask that the process of this command ends as soon as the command has.

    A feature asks for it where a library's own clean-up at the end of the process would crash, or end it with another code.

    Args:
        why: for whoever reads the code that asks.
    """
    _demands.append(why)


def is_demanded() -> bool:
    """Return whether a feature has asked for it."""
    return bool(_demands)


def leave(code: int) -> NoReturn:
    """End the process with an exit code; what was written so far is not lost."""
    for stream in (sys.stdout, sys.stderr):
        try:
            stream.flush()
        except (OSError, ValueError):  # whoever read it is gone
            continue
    os._exit(code)
