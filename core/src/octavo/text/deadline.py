"""A deadline for computing that nobody else can stop: the host's own work on a document's text.

A worker process is killed when its time is up. A thread of the host cannot be: work that scales with a document's text therefore
calls `checkpoint` in its loops, and stops itself. The deadline belongs to the context (`contextvars`), so that functions need not
pass it on; `asyncio.to_thread` hands it to the thread.

    with deadline(60):
        chunk_spans(text)
"""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import NamedTuple


class DeadlineExceeded(TimeoutError):
    """The work was not done in its time. The message says how much time it had."""


class _Deadline(NamedTuple):
    at: float
    seconds: float


_CURRENT: ContextVar[_Deadline | None] = ContextVar("octavo_deadline", default=None)


@contextmanager
def deadline(seconds: float) -> Iterator[None]:
    """Limit what is computed inside to so many seconds; of nested deadlines the earliest counts."""
    outer = _CURRENT.get()
    own = _Deadline(time.monotonic() + seconds, seconds)
    token = _CURRENT.set(own if outer is None or own.at < outer.at else outer)
    try:
        yield
    finally:
        _CURRENT.reset(token)


def checkpoint() -> None:
    """Stop where the deadline of the context has passed; without a deadline do nothing.

    Raises:
        DeadlineExceeded: it has.
    """
    current = _CURRENT.get()
    if current is not None and time.monotonic() >= current.at:
        raise DeadlineExceeded(f"it was not done within {current.seconds:g} s")
