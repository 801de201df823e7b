"""Single flight: concurrent requests for the same digest share one computation."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Awaitable, Callable
from typing import Generic, TypeVar

T = TypeVar("T")


class SingleFlight(Generic[T]):
    """Shares running work by key within one event loop.

    Cancelling one caller does not affect the others; when the last caller is cancelled, the work is cancelled too.
    """

    def __init__(self) -> None:
        # Keyed by loop too: a task of one loop cannot be awaited in another.
        self._running: dict[tuple[int, str], tuple[asyncio.Task[T], list[int]]] = {}

    async def run(self, key: str, work: Callable[[], Awaitable[T]]) -> T:
        """Return the result of the running work for this key; start it if none runs."""
        place = (id(asyncio.get_running_loop()), key)
        if place not in self._running:
            task = asyncio.ensure_future(_awaited(work))
            self._running[place] = (task, [0])
            task.add_done_callback(lambda done: self._forget(place, done))
        task, waiting = self._running[place]
        waiting[0] += 1
        try:
            return await asyncio.shield(task)
        except asyncio.CancelledError:
            if waiting[0] == 1 and not task.done():
                # Remove it before it ends: a new caller would otherwise be cancelled with it.
                self._forget(place, task)
                task.cancel()
                # Let the work clean up before the caller continues.
                with contextlib.suppress(asyncio.CancelledError, Exception):  # no caller is left
                    await task
            raise
        finally:
            waiting[0] -= 1

    def _forget(self, place: tuple[int, str], task: asyncio.Task[T]) -> None:
        if self._running.get(place, (None,))[0] is task:
            del self._running[place]


async def _awaited(work: Callable[[], Awaitable[T]]) -> T:
    return await work()
