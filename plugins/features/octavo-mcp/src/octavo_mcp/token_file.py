"""Token file: holds the bearer token; created with a new token if missing."""

from __future__ import annotations

import os
import secrets
import stat
from pathlib import Path

from octavo_contracts import UsageError


def read_or_make(path: Path) -> tuple[str, bool]:
    """Return the token, and whether the file was created by this call.

    Args:
        path: the token file. A new file is readable by its owner only.

    Raises:
        UsageError: the file cannot be read or created, or other users can read it.
    """
    try:
        descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    except FileExistsError:
        return _read(path), False
    except OSError as error:
        raise UsageError(f"the token file cannot be created: {error.strerror}", source=str(path)) from error
    token = secrets.token_urlsafe(32)
    with os.fdopen(descriptor, "w", encoding="ascii") as file:
        file.write(token + "\n")
    return token, True


def _read(path: Path) -> str:
    try:
        mode = path.stat().st_mode
        text = path.read_text(encoding="ascii")
    except (OSError, ValueError) as error:
        raise UsageError("the token file cannot be read as ASCII text", source=str(path)) from error
    if os.name == "posix" and stat.S_IMODE(mode) & 0o077:
        raise UsageError("other users can read the token file", source=str(path), remedy=f"Run: chmod 600 {path}")
    return text.strip()
