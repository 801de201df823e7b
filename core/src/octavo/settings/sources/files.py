"""Where settings stand in files. Imports nothing heavy: the command line asks before it knows what it will do."""

from __future__ import annotations

import os
import tomllib
from pathlib import Path
from typing import Any

PROJECT_FILE = "octavo.toml"
"""Name of a settings file, of a project's and of a user's."""


def project_file(start: Path | None = None) -> Path | None:
    """The nearest `octavo.toml` in a folder or above it, or None.

    A file that belongs to another user is passed over: in a folder that everybody may write to, such as a shared
    temporary one, a stranger could otherwise turn the sandbox off.

    Args:
        start: the folder; by default the working one.
    """
    folder = Path(os.path.abspath(start or Path.cwd()))
    for above in (folder, *folder.parents):
        path = above / PROJECT_FILE
        if path.is_file() and is_trusted(path):
            return path
    return None


def is_trusted(path: Path) -> bool:
    """Whether a file belongs to the user or to root; where files have no such owners, every one does."""
    if not hasattr(os, "getuid"):
        return True
    return path.stat().st_uid in (os.getuid(), 0)


def user_file() -> Path:
    """The user's own settings file, in the platform's folder for such files; it need not be there."""
    from platformdirs import user_config_path

    return user_config_path("octavo", appauthor=False) / PROJECT_FILE


def library_folder() -> str | None:
    """The folder that the files name as `library`, or None. A file that cannot be read names none: loading says why."""
    for path in (project_file(), user_file()):
        value = _table(path).get("library")
        if path is not None and isinstance(value, str):
            return beside(path, value)
    return None


def beside(path: Path, value: str) -> str:
    """A path that a settings file gives: a relative one counts from the file's folder."""
    return os.path.join(path.parent, os.path.expanduser(value))


def _table(path: Path | None) -> dict[str, Any]:
    try:
        return tomllib.loads(path.read_text(encoding="utf-8")) if path is not None else {}
    except (OSError, ValueError):
        return {}
