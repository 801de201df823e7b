"""A cooperative deadline for text processing in the host process.

A worker process can be killed when its time is up; a thread of the host cannot. Code whose run time grows with a
document's text therefore calls `checkpoint` in its loops. The deadline is stored in a context variable (`contextvars`),
so functions need not pass it on; `asyncio.to_thread` copies it to the thread.

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
    """The work exceeded its deadline. The message states the limit."""


class _Deadline(NamedTuple):
    at: float
    seconds: float


_CURRENT: ContextVar[_Deadline | None] = ContextVar("octavo_deadline", default=None)


@contextmanager
def deadline(seconds: float) -> Iterator[None]:
    """Limit the time of the enclosed code, in seconds. Of nested deadlines the earliest applies."""
    outer = _CURRENT.get()
    own = _Deadline(time.monotonic() + seconds, seconds)
    token = _CURRENT.set(own if outer is None or own.at < outer.at else outer)
    try:
        yield
    finally:
        _CURRENT.reset(token)


def checkpoint() -> None:
    """Raise if the deadline of the context has passed; do nothing without a deadline.

    Raises:
        DeadlineExceeded: the deadline has passed.
    """
    current = _CURRENT.get()
    if current is not None and time.monotonic() >= current.at:
        raise DeadlineExceeded(f"processing exceeded its deadline of {current.seconds:g} s")
