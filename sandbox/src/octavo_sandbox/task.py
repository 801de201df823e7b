"""Names of the functions that workers run."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from octavo_contracts import HookContext

Task = Callable[[bytes, Any, HookContext], bytes]
"""Signature of a task: takes the payload, the document or None, and the call's context; returns the answer."""


def task_name(function: Task) -> str:
    """Return the name by which a worker imports a function: `package.module:function`.

    Args:
        function: a module-level function. The host imports its module too, so the function must do heavy imports
            itself, when it runs.

    Raises:
        ValueError: the function is nested in a class or another function, so a worker cannot import it.
    """
    if "." in function.__qualname__ or "<" in function.__qualname__:
        raise ValueError(f"{function.__qualname__} is nested: a worker cannot import it by its name")
    return f"{function.__module__}:{function.__qualname__}"
