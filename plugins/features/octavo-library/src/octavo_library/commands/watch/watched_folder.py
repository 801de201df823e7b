"""Watches a folder for changed files, including changes that the system does not report.

Change notifications are fast but unreliable. The system drops them when too many arrive at once, sends none for writes
by another machine or through a mapped file, and none after the folder was replaced or its disk was removed. So the
whole folder is also scanned periodically, and immediately when it was replaced. A file is reported when it differs from
its state at the last report.
"""

from __future__ import annotations

import contextlib
import hashlib
import os
import threading
import time
from collections.abc import Callable, Iterable, Iterator

LOOK_SECONDS = 0.25
"""Polling interval for files that settle, and for the existence of the folder."""
_SHARE = 20
"""After a full scan, the next one waits at least this many times its duration: so scans take at most a twentieth of the
time on a slow disk."""

Place = tuple[str, int, int]
"""Identity of a folder: its path without links, its device and its inode."""

List = Callable[[Iterable[str], str], Iterable[str]]
"""Expands paths in a folder, given without links, to files."""


class WatchedFolder:
    """Reports the new and changed files of a folder.

    Args:
        folder: the folder; it may be a link, whose target may change.
        list_files: selects and lists files.
        rescan_seconds: interval of full scans.
        debounce_seconds: changes within this interval are reported together.
        on_gone: called once each time the folder disappears.
        on_back: called when it has returned.
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
        # By place: after a disk returns, its files are still known.
        self._seen: dict[Place, set[bytes]] = {}
        self._due = 0.0

    def changes(self, cancel: threading.Event) -> Iterator[list[str]]:
        """Yield new and changed files at each poll, also an empty list; first all existing files.

        A file that is written while it is listed may be reported twice, and is never missed.
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
            with contextlib.suppress(FileNotFoundError):  # it disappeared before the watch began
                yield from self._changes_at(place, cancel)

    def taken(self, paths: Iterable[str]) -> None:
        """Record that files are about to be read: their current state is not reported again."""
        if (place := self._place()) is not None:
            self._seen.setdefault(place, set()).update(_mark(path) for path in paths)

    def _changes_at(self, place: Place, cancel: threading.Event) -> Iterator[list[str]]:
        """Yield changes until the folder was replaced or disappeared."""
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
                # A folder that was removed and created again may have the same inode, but no watch.
                if (watchfiles.Change.deleted, root) in changes or self._place() != place:
                    return
                named = [path for kind, path in changes if kind is not watchfiles.Change.deleted]
                changed = list(self._list_files(named, root))
                if time.monotonic() >= self._due:
                    # Scan after the watch began: changes in between are seen twice, and never missed.
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
    """The state of a file in eight bytes, because a folder may have millions of files."""
    try:
        status = os.stat(path)
    except OSError:
        return b""
    look = f"{status.st_size}:{status.st_mtime_ns}:{status.st_ino}:".encode() + os.fsencode(path)
    return hashlib.blake2b(look, digest_size=8).digest()
