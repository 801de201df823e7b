"""What a host may set, with the specification's defaults. `sources` reads settings from files and the environment."""

from __future__ import annotations

from .settings import LogSettings, SearchSettings, Settings, WatchSettings

__all__ = ["LogSettings", "SearchSettings", "Settings", "WatchSettings"]
