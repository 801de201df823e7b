"""Locates settings files. Imports nothing heavy: the command line uses it before it knows the command."""

from __future__ import annotations

import os
import tomllib
from pathlib import Path
from typing import Any

PROJECT_FILE = "octavo.toml"
"""Name of a settings file, for both a project and a user."""


def project_file(start: Path | None = None) -> Path | None:
    """Return the nearest `octavo.toml` in a folder or its parents, or None.

    A file that belongs to another user is skipped: in a world-writable folder, such as a shared temporary one, another
    user could otherwise disable the sandbox.

    Args:
        start: the folder; by default the working directory.
    """
    folder = Path(os.path.abspath(start or Path.cwd()))
    for above in (folder, *folder.parents):
        path = above / PROJECT_FILE
        if path.is_file() and is_trusted(path):
            return path
    return None


def is_trusted(path: Path) -> bool:
    """Return whether a file belongs to the user or to root; always true on systems without such owners."""
    if not hasattr(os, "getuid"):
        return True
    return path.stat().st_uid in (os.getuid(), 0)


def user_file() -> Path:
    """Return the path of the user's settings file in the platform's configuration folder; it may not exist."""
    from platformdirs import user_config_path

    return user_config_path("octavo", appauthor=False) / PROJECT_FILE


def library_folder() -> str | None:
    """Return the folder or URL that files set as `library`, or None. Unreadable files are ignored: loading reports them."""
    for path in (project_file(), user_file()):
        value = _table(path).get("library")
        if path is not None and isinstance(value, str):
            return beside(path, value)
    return None


def beside(path: Path, value: str) -> str:
    """Resolve a path from a settings file: a relative one is relative to the file's folder. A URL stays as it is."""
    is_url = value.partition("/")[0].endswith(":")
    return value if is_url else os.path.join(path.parent, os.path.expanduser(value))


def _table(path: Path | None) -> dict[str, Any]:
    try:
        return tomllib.loads(path.read_text(encoding="utf-8")) if path is not None else {}
    except (OSError, ValueError):
        return {}
