"""Live updates: a stream of server-sent events that says when something changed; pages then ask for their content again.

The events carry no content, so that nothing can leak through them, and a slow browser has no queue that could grow: each
stream compares a number twice a second.
"""

from __future__ import annotations

import asyncio
import hashlib
import threading
import time
from collections.abc import AsyncIterator

from octavo_contracts import OctavoError
from octavo_library import Library
from starlette.concurrency import run_in_threadpool

from .access import Grant
from .background_work import BackgroundWork

INTERVAL = 0.5
"""Seconds between two looks at what changed."""
HEARTBEAT = 15.0
"""Seconds after which an idle stream sends a comment, so that a dead connection is noticed."""
MOST_STREAMS = 64
"""Open streams; more are refused."""
_RUNS = 10


class LiveUpdates:
    """Says when something that a grant may see changed.

    Args:
        library: the library.
        work: the tasks of the server.
    """

    def __init__(self, library: Library, work: BackgroundWork) -> None:
        self._library = library
        self._work = work
        self._lock = threading.Lock()
        self._seen: dict[Grant, tuple[float, str]] = {}
        self.streams = 0
        """Open streams."""

    async def stream(self, grant: Grant) -> AsyncIterator[str]:
        """Events in the format of a `text/event-stream`, without end."""
        self.streams += 1
        try:
            last, sent_at = "", time.monotonic()
            yield "retry: 2000\n\n"
            while True:
                now = await run_in_threadpool(self.state, grant)
                if now != last:
                    last, sent_at = now, time.monotonic()
                    yield f"id: {now}\nevent: change\ndata: {{}}\n\n"
                elif time.monotonic() - sent_at > HEARTBEAT:
                    sent_at = time.monotonic()
                    yield ": still here\n\n"
                await asyncio.sleep(INTERVAL)
        finally:
            self.streams -= 1

    def state(self, grant: Grant) -> str:
        """A digest of what a grant may see of runs and tasks; the library is asked at most twice a second."""
        with self._lock:
            at, known = self._seen.get(grant, (0.0, ""))
            if time.monotonic() - at >= INTERVAL * 0.9:
                known = self._runs(grant)
                self._seen[grant] = (time.monotonic(), known)
        tasks = [(task.id, task.state) for task in self._work.tasks(grant)]
        return hashlib.sha256(f"{known}{tasks}".encode()).hexdigest()[:16]

    def _runs(self, grant: Grant) -> str:
        """What changes while documents are ingested, by this process or another one."""
        try:
            if grant.corpus is not None:
                return repr(self._library.catalogue.counts(corpus=grant.corpus).statuses)
            return repr([(record.run_id, how, counts) for record, how, counts in self._library.runs.list(limit=_RUNS)])
        except OctavoError as error:
            return error.message
