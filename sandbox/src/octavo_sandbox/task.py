"""Names of the functions that workers run."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from octavo_contracts import HookContext

Task = Callable[[bytes, Any, HookContext], bytes]
"""What a worker runs: payload, the document or None, the call's context; it returns the answer."""


def task_name(function: Task) -> str:
    """The name by which a worker imports a function: `package.module:function`.

    Args:
        function: a function of a module. Its module is imported by the host as well: it imports what is heavy when it
            runs.

    Raises:
        ValueError: a worker cannot import it: it is nested in a class or another function.
    """
    if "." in function.__qualname__ or "<" in function.__qualname__:
        raise ValueError(f"{function.__qualname__} is nested: a worker cannot import it by its name")
    return f"{function.__module__}:{function.__qualname__}"
