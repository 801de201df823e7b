"""Single flight: of many that want the same digest at once, one makes it and all get it."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Awaitable, Callable
from typing import Generic, TypeVar

T = TypeVar("T")


class SingleFlight(Generic[T]):
    """Shares running work by key, within one event loop.

    A caller that is cancelled leaves the others their result; when the last one leaves, the work is cancelled too.
    """

    def __init__(self) -> None:
        # By loop as well: a task of one loop cannot be awaited in another.
        self._running: dict[tuple[int, str], tuple[asyncio.Task[T], list[int]]] = {}

    async def run(self, key: str, work: Callable[[], Awaitable[T]]) -> T:
        """The result of the work that runs under this key, started if none does."""
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
                # Before it ends: a caller who came now would be cancelled with it, and nobody asked for that.
                self._forget(place, task)
                task.cancel()
                # The work cleans up before the caller hears that it is over.
                with contextlib.suppress(asyncio.CancelledError, Exception):  # nobody is left who asked for it
                    await task
            raise
        finally:
            waiting[0] -= 1

    def _forget(self, place: tuple[int, str], task: asyncio.Task[T]) -> None:
        if self._running.get(place, (None,))[0] is task:
            del self._running[place]


async def _awaited(work: Callable[[], Awaitable[T]]) -> T:
    return await work()
