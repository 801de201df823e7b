"""Plugins: found by entry point, known by their static manifest, run only in worker processes.

The host never imports a plugin. `catalogue` reads manifests; `runner` is what a worker executes; `dispatch` calls
one plugin's hook in a worker and keeps the attempt.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from .._lazy import lazily

if TYPE_CHECKING:
    from .catalogue import Catalogue, PluginInfo, PluginLoadFailure, PluginSelection, load_catalogue
    from .dispatch import Dispatcher, HookCall

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
        "Catalogue": "catalogue",
        "Dispatcher": "dispatch",
        "HookCall": "dispatch",
        "PluginInfo": "catalogue",
        "PluginLoadFailure": "catalogue",
        "PluginSelection": "catalogue",
        "load_catalogue": "catalogue",
    },
)
