"""Detects when a changing file is complete: once it has not changed for a while.

No system reports whether a writer is done. Copying tools, browsers and scanners write a file in pieces, under its final
name or under a temporary one. So there are two rules: files with temporary names are ignored until they are renamed,
and any other file is ingested once its size, time and identity have stayed the same.
"""

from __future__ import annotations

import os
import stat
import time
from collections.abc import Callable
from dataclasses import dataclass

_IN_PROGRESS_ENDS = (".part", ".partial", ".crdownload", ".download", ".tmp", ".temp", ".swp", "~")
_IN_PROGRESS_BEGINS = (".", "~$")

Look = tuple[int, int, int]
"""Size, modification time in nanoseconds, inode."""


def is_in_progress(name: str) -> bool:
    """Whether a file's name marks it as temporary, or as a program's private file: hidden, or an owner file."""
    return name.startswith(_IN_PROGRESS_BEGINS) or name.lower().endswith(_IN_PROGRESS_ENDS)


@dataclass(slots=True)
class _Pending:
    look: Look | None
    since: float


class Settling:
    """Debounces changed files until each is complete.

    Args:
        seconds: how long a file must stay unchanged.
        clock: a monotonic clock, in seconds.
    """

    def __init__(self, seconds: float, *, clock: Callable[[], float] = time.monotonic) -> None:
        self._seconds = seconds
        self._clock = clock
        self._pending: dict[str, _Pending] = {}

    def __len__(self) -> int:
        return len(self._pending)

    def changed(self, path: str) -> None:
        """Record that a file is new or changed. Files with temporary names are ignored."""
        if not is_in_progress(os.path.basename(path)):
            self._pending[path] = _Pending(look=_look(path), since=self._clock())

    def take(self) -> list[str]:
        """Return the files that are complete now, in order of their changes, and forget them until they change again.

        Missing files are forgotten, and so is everything that is not a regular file.
        """
        now = self._clock()
        whole = []
        for path, pending in list(self._pending.items()):
            look = _look(path)
            if look is None:
                del self._pending[path]
            elif look != pending.look:
                self._pending[path] = _Pending(look=look, since=now)
            elif now - pending.since >= self._seconds:
                del self._pending[path]
                whole.append(path)
        return whole


def _look(path: str) -> Look | None:
    try:
        status = os.stat(path)
    except OSError:
        return None
    if not stat.S_ISREG(status.st_mode):
        return None
    return status.st_size, status.st_mtime_ns, status.st_ino
