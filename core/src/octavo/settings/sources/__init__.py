"""Settings as an operator gives them: flag, environment, project file, user file, default, in that order.

A host that embeds Octavo passes a `Settings` of its own and none of this applies to it: only the command line, and a host
that calls `load_settings`, reads files and variables.
"""

from __future__ import annotations

from .files import PROJECT_FILE, project_file, user_file
from .keys import Key, keys
from .loading import Loaded, Origin, load_settings

__all__ = ["PROJECT_FILE", "Key", "Loaded", "Origin", "keys", "load_settings", "project_file", "user_file"]
