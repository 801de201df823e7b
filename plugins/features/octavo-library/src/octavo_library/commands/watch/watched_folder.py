"""A folder that is watched: what changed in it, whatever the system's notices leave out.

Notices are quick and not reliable. The system drops them when too many come at once, gives none for what another machine
or a mapped file writes, and none any more once the folder was replaced or its disk was taken away. So they are only half
of it: the folder is also read whole, now and then, and at once when it is another one than before. A file is told when
it is other than it was when it was told last.
"""

from __future__ import annotations

import contextlib
import hashlib
import os
import threading
import time
from collections.abc import Callable, Iterable, Iterator

LOOK_SECONDS = 0.25
"""How often there is something to look at: files that settle, whether the folder is there."""
_SHARE = 20
"""A whole reading is followed by so many times its own duration without another: on a slow disk it takes no more than a
twentieth of the time."""

Place = tuple[str, int, int]
"""What a folder is: its path without links, its device and its inode."""

List = Callable[[Iterable[str], str], Iterable[str]]
"""The files that paths in a folder, given without links, stand for."""


class WatchedFolder:
    """Tells the files of a folder that are new or changed.

    Args:
        folder: the folder; a link may lead to it, and elsewhere later.
        list_files: picks and lists files.
        rescan_seconds: how often the folder is read whole.
        debounce_seconds: changes that come sooner after each other than this are told together.
        on_gone: called when the folder is not there, once each time.
        on_back: called when it is there again.
    """

    def __init__(
        self,
        folder: str,
        list_files: List,
        *,
        rescan_seconds: float,
        debounce_seconds: float,
        on_gone: Callable[[], None],
        on_back: Callable[[], None],
    ) -> None:
        self._folder = folder
        self._list_files = list_files
        self._rescan_seconds = rescan_seconds
        self._debounce = int(debounce_seconds * 1000)
        self._on_gone = on_gone
        self._on_back = on_back
        # By place: a disk that comes back is known, with all that is on it.
        self._seen: dict[Place, set[bytes]] = {}
        self._due = 0.0

    def changes(self, cancel: threading.Event) -> Iterator[list[str]]:
        """Files that are new or changed, again and again, also when there are none. First all that are there.

        A file that is written while it is listed may be told twice, and is never missed.
        """
        is_gone = False
        while not cancel.is_set():
            place = self._place()
            if place is None:
                if not is_gone:
                    self._on_gone()
                is_gone = True
                cancel.wait(LOOK_SECONDS)
                yield []
                continue
            if is_gone:
                self._on_back()
            is_gone = False
            self._due = 0.0
            with contextlib.suppress(FileNotFoundError):  # it went away before the watch began
                yield from self._changes_at(place, cancel)

    def taken(self, paths: Iterable[str]) -> None:
        """Say that files are about to be read: as they are now, they are not told again."""
        if (place := self._place()) is not None:
            self._seen.setdefault(place, set()).update(_mark(path) for path in paths)

    def _changes_at(self, place: Place, cancel: threading.Event) -> Iterator[list[str]]:
        """Until the folder is another one, or gone."""
        import watchfiles

        root = place[0]
        watch = watchfiles.watch(
            root,
            watch_filter=None,
            debounce=self._debounce,
            step=50,
            stop_event=cancel,
            rust_timeout=int(LOOK_SECONDS * 1000),
            yield_on_timeout=True,
            raise_interrupt=False,
            ignore_permission_denied=True,
        )
        with contextlib.closing(watch) as noticed:
            for changes in noticed:
                # A folder that was removed and made anew may have the inode of the old one, and no watch any more.
                if (watchfiles.Change.deleted, root) in changes or self._place() != place:
                    return
                named = [path for kind, path in changes if kind is not watchfiles.Change.deleted]
                changed = list(self._list_files(named, root))
                if time.monotonic() >= self._due:
                    # Read whole after the watch began: what comes in between is seen twice, and never missed.
                    changed += self._read_whole(place)
                yield changed

    def _read_whole(self, place: Place) -> list[str]:
        began = time.monotonic()
        before, now, changed = self._seen.get(place, set()), set(), []
        for path in self._list_files([place[0]], place[0]):
            mark = _mark(path)
            now.add(mark)
            if mark not in before:
                changed.append(path)
        self._seen[place] = now
        ended = time.monotonic()
        self._due = ended + max(self._rescan_seconds, _SHARE * (ended - began))
        return changed

    def _place(self) -> Place | None:
        root = os.path.realpath(self._folder)
        try:
            status = os.stat(root)
        except OSError:
            return None
        return (root, status.st_dev, status.st_ino) if os.path.isdir(root) else None


def _mark(path: str) -> bytes:
    """A file as it stands, in eight bytes: a folder may hold millions."""
    try:
        status = os.stat(path)
    except OSError:
        return b""
    look = f"{status.st_size}:{status.st_mtime_ns}:{status.st_ino}:".encode() + os.fsencode(path)
    return hashlib.blake2b(look, digest_size=8).digest()
