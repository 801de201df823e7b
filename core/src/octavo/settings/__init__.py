"""Settings of a host, with the specification's defaults. `sources` reads them from files and the environment."""

from __future__ import annotations

from .settings import LogSettings, SearchSettings, Settings, WatchSettings

__all__ = ["LogSettings", "SearchSettings", "Settings", "WatchSettings"]
