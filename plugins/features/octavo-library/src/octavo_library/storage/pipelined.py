"""Independent writes to the library's files: one after the other in a folder, several at once in an object store."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from concurrent.futures import ThreadPoolExecutor
from typing import TypeVar

from . import ArtifactStore

T = TypeVar("T")
R = TypeVar("R")

AT_ONCE = 8
"""Requests to an object store that are under way at a time: each waits for the network, and not for this machine."""


def each(artifacts: ArtifactStore, items: Iterable[T], work: Callable[[T], R]) -> list[R]:
    """Call `work` with each item, in any order; the first error is raised once all calls have ended.

    Args:
        artifacts: the library's files.
        items: what to write.
        work: writes one item; safe in several threads.

    Returns:
        What `work` returned for each item, in order.
    """
    found = list(items)
    if len(found) < 2 or not artifacts.store.is_shared:
        return [work(item) for item in found]
    with ThreadPoolExecutor(max_workers=min(AT_ONCE, len(found)), thread_name_prefix="octavo-write") as pool:
        calls = [pool.submit(work, item) for item in found]
    return [call.result() for call in calls]
