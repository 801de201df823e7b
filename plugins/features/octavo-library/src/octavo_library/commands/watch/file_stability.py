"""When a file that changes is whole: once nothing about it has changed for a while.

No system tells whether a writer is done. Copying tools, browsers and scanners write a file in pieces, under its last name or
under another one first; so a watched folder is read by two rules: names that stand for work in progress are left alone
until they are renamed, and every other file is taken when its size, time and identity have stayed the same.
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
    """Whether a file's name says that it is not finished, or that it is a program's own note: hidden, or an owner file."""
    return name.startswith(_IN_PROGRESS_BEGINS) or name.lower().endswith(_IN_PROGRESS_ENDS)


@dataclass(slots=True)
class _Pending:
    look: Look | None
    since: float


class Settling:
    """Files that changed, until each is whole.

    Args:
        seconds: how long a file must stay as it is.
        clock: gives seconds that never go back.
    """

    def __init__(self, seconds: float, *, clock: Callable[[], float] = time.monotonic) -> None:
        self._seconds = seconds
        self._clock = clock
        self._pending: dict[str, _Pending] = {}

    def __len__(self) -> int:
        return len(self._pending)

    def changed(self, path: str) -> None:
        """Note that a file is new or other than it was. One whose name says that it is in progress is passed over."""
        if not is_in_progress(os.path.basename(path)):
            self._pending[path] = _Pending(look=_look(path), since=self._clock())

    def take(self) -> list[str]:
        """The files that are whole now, the first changed first; they are not given again until they change again.

        Files that are gone are forgotten, and so is what is no regular file.
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
