"""What a manifest says about its plugin, applied to calls: size of the source, memory, time, one call at a time."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from functools import cache
from typing import TYPE_CHECKING

from octavo_contracts import ContentTooLarge
from octavo_sandbox import SandboxLimits
from octavo_sandbox.errors import raise_if

if TYPE_CHECKING:
    from octavo_sandbox import SourceHandle

    from .registry import PluginInfo

SHIPPED_GRANTS = {"docling": 4096, "gliner": 4096, "rapidocr": 3072, "whisper": 4096, "xberg": 3072}
"""MiB for Octavo's own engines whose models need more than the default limit; they apply unless the host changed it."""
WAIT_SECONDS = 0.1
"""Interval in seconds at which a call that waits for its turn checks for cancellation."""


def check_size(plugin: PluginInfo, source: SourceHandle | None) -> None:
    """Raise for a source that is larger than a plugin reads.

    Raises:
        ContentTooLarge: it is larger than `limits.max_bytes` of the manifest.
    """
    most = plugin.manifest.limits.max_bytes
    if source is not None and most is not None and source.size > most:
        raise ContentTooLarge(f"the document has {source.size} bytes; the plugin reads at most {most} bytes")


def within_caps(limits: SandboxLimits, plugin: PluginInfo, *, granted: int | None = None) -> SandboxLimits:
    """Return the limits of a call: those of the manifest, within those of the host.

    Args:
        limits: the host's.
        plugin: the plugin.
        granted: MiB that the operator lets this plugin use, if that is more than the host's limit; None: the operator
            said nothing.
    """
    asked = plugin.manifest.limits
    if granted is None and limits.memory_mb == SandboxLimits().memory_mb:
        granted = SHIPPED_GRANTS.get(plugin.name) if plugin.distribution == f"octavo-{plugin.name}" else None
    most = max(limits.memory_mb, granted or 0)
    return replace(
        limits,
        wall_seconds=min(limits.wall_seconds, asked.timeout_seconds or limits.wall_seconds),
        memory_mb=min(asked.memory_mb or limits.memory_mb, most),
    )


@contextmanager
def turn_of(plugin: PluginInfo, cancel: threading.Event | None) -> Iterator[None]:
    """Wait until no other call of a serial plugin runs in this process; a parallel plugin does not wait.

    Raises:
        Cancelled: the caller cancelled while it waited.
    """
    if plugin.manifest.concurrency == "parallel":
        yield
        return
    lock = _lock_of(plugin.name)
    while not lock.acquire(timeout=WAIT_SECONDS):
        raise_if(cancel)
    try:
        yield
    finally:
        lock.release()


@cache
def _lock_of(name: str) -> threading.Lock:
    """One lock for each plugin and process, whichever runtime calls it."""
    return threading.Lock()
