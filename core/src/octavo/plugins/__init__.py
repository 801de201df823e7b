"""Plugins: found by entry point, described by a static manifest, run only in worker processes.

The host never imports a plugin. `registry` reads manifests; `worker` runs in the worker process; `dispatcher` calls
one plugin's hook in a worker and records the attempt.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from octavo_sandbox.lazy_names import lazily

if TYPE_CHECKING:
    from .dispatcher import Dispatcher, HookCall
    from .registry import Catalogue, PluginInfo, PluginLoadFailure, load_catalogue
    from .selection import PluginSelection

__all__ = [
    "Catalogue",
    "Dispatcher",
    "HookCall",
    "PluginInfo",
    "PluginLoadFailure",
    "PluginSelection",
    "load_catalogue",
]

__getattr__, __dir__ = lazily(
    __name__,
    {
        "Catalogue": "registry",
        "Dispatcher": "dispatcher",
        "HookCall": "dispatcher",
        "PluginInfo": "registry",
        "PluginLoadFailure": "registry",
        "PluginSelection": "selection",
        "load_catalogue": "registry",
    },
)
