"""Reads settings from flags, environment, project file, user file and defaults, in this order of precedence.

A host that embeds Octavo passes its own `Settings` and is not affected: only the command line, and a host
that calls `load_settings`, reads files and variables.
"""

from __future__ import annotations

from .files import PROJECT_FILE, project_file, user_file
from .keys import Key, keys
from .loading import Loaded, Origin, load_settings

__all__ = ["PROJECT_FILE", "Key", "Loaded", "Origin", "keys", "load_settings", "project_file", "user_file"]
