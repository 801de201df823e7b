"""Token files of commands that serve a library: created with a new token if missing, readable by their owner only."""

from __future__ import annotations

import os
import secrets
import stat
from pathlib import Path

from octavo_contracts import UsageError


def read_or_create(path: Path) -> tuple[str, bool]:
    """Read a token file.

    Args:
        path: the file. A missing one is created with a new token in one line, readable by its owner only.

    Returns:
        Its text, and whether the file was created by this call.

    Raises:
        UsageError: the file cannot be read as text or created, or other users can read it.
    """
    is_new = _create(path)
    try:
        mode = path.stat().st_mode
        text = path.read_text(encoding="utf-8")
    except (OSError, ValueError) as error:
        raise UsageError("the token file cannot be read as text", source=str(path)) from error
    if os.name == "posix" and stat.S_IMODE(mode) & 0o077:
        raise UsageError("other users can read the token file", source=str(path), remedy=f"Run: chmod 600 {path}")
    return text, is_new


def _create(path: Path) -> bool:
    try:
        descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    except FileExistsError:
        return False
    except OSError as error:
        raise UsageError(f"the token file cannot be created: {error.strerror}", source=str(path)) from error
    with os.fdopen(descriptor, "w", encoding="ascii") as file:
        file.write(secrets.token_urlsafe(32) + "\n")
    return True
