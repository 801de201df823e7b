"""Standard input as a document."""

from __future__ import annotations

import os
import stat
import sys


def stdin_is_piped() -> bool:
    """Whether something is piped or redirected into this process: a file, a pipe or a socket, and no terminal or device."""
    try:
        mode = os.fstat(sys.stdin.fileno()).st_mode
    except (AttributeError, OSError, ValueError):  # it is closed, or no real file
        return False
    return stat.S_ISFIFO(mode) or stat.S_ISSOCK(mode) or stat.S_ISREG(mode)


def read_standard_input() -> bytes:
    """What standard input brings.

    Raises:
        UsageError: it is closed.
    """
    if sys.stdin is None:
        from octavo_contracts import UsageError

        raise UsageError(
            "standard input is closed", remedy="Give a path, or send the document in: octavo convert - < FILE"
        )
    return sys.stdin.buffer.read()
