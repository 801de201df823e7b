"""Looks for the modules and programs that engines need; nothing is imported or run."""

from __future__ import annotations

import os
import shutil
import sys
import time
from collections.abc import Callable
from importlib.util import find_spec

BELIEVED_SECONDS = 1.0
"""Lifetime of a positive result: each document checks several plugins, and each check reads folders.

Negative results are not cached, so that a new installation is detected at once.
"""
_valid_until: dict[tuple[str, ...], float] = {}


def is_installed(module: str) -> bool:
    """Return whether a top-level module can be imported."""
    return _cached(("module", module, *sys.path), lambda: find_spec(module) is not None)


def is_on_path(command: str) -> bool:
    """Return whether a program can be started by its name."""
    return _cached(("program", command, os.environ.get("PATH", "")), lambda: shutil.which(command) is not None)


def _cached(key: tuple[str, ...], check: Callable[[], bool]) -> bool:
    if _valid_until.get(key, -1.0) > time.monotonic():
        return True
    is_there = check()
    if is_there:
        _valid_until[key] = time.monotonic() + BELIEVED_SECONDS
    return is_there
