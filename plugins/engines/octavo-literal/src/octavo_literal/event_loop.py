"""The event loop on which models are asked.

A client keeps its connections, and they belong to the loop that opened them: a loop for each question would leave the
second question with connections that are closed. So there is one, in a thread of its own, for as long as the process
lives; the caller's thread, which may have a loop of its own, is left as it was.
"""

from __future__ import annotations

import atexit
from contextlib import ExitStack
from functools import cache
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from anyio.from_thread import BlockingPortal


@cache
def event_loop() -> BlockingPortal:
    """The way from any thread to the loop; the loop is closed when the process ends.

    Raises:
        ImportError: anyio, which comes with pydantic-ai, is not installed.
    """
    from anyio.from_thread import start_blocking_portal

    kept = ExitStack()
    atexit.register(kept.close)
    return kept.enter_context(start_blocking_portal(name="octavo-literal"))
