"""`octavo.aconvert`: `octavo.convert` for an event loop."""

from __future__ import annotations

import asyncio
import threading
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from ..documents.source import SourceLike
    from ..runtime import Runtime
    from .results import ConvertedDocument


async def aconvert(
    source: SourceLike,
    *,
    name: str | None = None,
    plugin: str | None = None,
    profile: str | None = None,
    password: str | None = None,
    timeout: float | None = None,
    runtime: Runtime | None = None,
) -> ConvertedDocument:
    """As `octavo.convert`, without blocking the event loop; cancelling the task kills the worker.

    Args:
        source: as for `octavo.convert`.
        name: as for `octavo.convert`.
        plugin: convert with this plugin.
        profile: routing rules.
        password: of an encrypted document.
        timeout: seconds a plugin may take.
        runtime: plugins and workers; by default one shared by the process.

    Raises:
        UsageError: as `octavo.convert`.
        asyncio.CancelledError: the task was cancelled.
    """
    from .api import convert

    cancel = threading.Event()

    def work() -> ConvertedDocument:
        return convert(
            source,
            name=name,
            plugin=plugin,
            profile=profile,
            password=password,
            timeout=timeout,
            cancel=cancel,
            runtime=runtime,
        )

    task = asyncio.ensure_future(asyncio.to_thread(work))
    try:
        return await asyncio.shield(task)
    except asyncio.CancelledError:
        cancel.set()
        await asyncio.wait([task])
        raise
