"""The archive: stores canonical texts of digested sources, so that quotations can be verified later (DIG-9, R-5)."""

from __future__ import annotations

import hashlib
import os
import re
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from octavo_contracts import StorageError, UsageError
from octavo_sandbox.filesystem.folder_handle import FolderHandle, hash_of
from octavo_text.canonical import CanonicalText

from .archive_file import read_archived

DEFAULT_RETENTION_DAYS = 30
DAY_SECONDS = 86_400.0
SWEEP_EVERY_SECONDS = 3_600.0
"""Minimum interval between sweeps of expired texts, seconds."""

MARKS = ".octavo-archive"
"""Folder of the marks. No source id can have this name, because none begins with a dot."""

_MADE = "made"
_MARK = b"octavo digest archive 1\n"
_SOURCE_ID = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,127}")
_HASH = re.compile(r"[0-9a-f]{64}")
_RESERVED = re.compile(r"(?i)(con|prn|aux|nul|com[0-9]|lpt[0-9])(\..*)?")


def check_source_id(source_id: str) -> str:
    """Return a source id if it is safe as a folder name.

    Raises:
        UsageError: the id could lead out of the archive, or is not a valid file name on all systems.
    """
    if not _SOURCE_ID.fullmatch(source_id) or ".." in source_id or source_id.endswith("."):
        raise UsageError(
            f"source id {source_id[:80]!r} is not a valid folder name",
            remedy="Use at most 128 letters, digits, '.', '_' and '-', starting with a letter or digit",
        )
    if _RESERVED.fullmatch(source_id):
        raise UsageError(f"source id {source_id!r} is a device name on some systems", remedy="Use another one")
    return source_id


class Archive:
    """Canonical texts by source and hash: `{folder}/{source_id}/{hex}.txt`, UTF-8, readable only by their owner.

    `{folder}/.octavo-archive/{source_id}/{hex}` marks each text that this class wrote to an unused name, and `made` there
    marks a source folder that it created. A file without a mark is never removed or replaced, whatever its name and age,
    even if its content has the hash in its name: the folder may be one of the user's. So texts of older versions of
    Octavo, which wrote no marks, are kept permanently.

    Args:
        folder: the archive folder, created at the first write.
        retention_days: marked texts older than this are removed by `sweep`; 0 keeps them.
        clock: seconds since 1970.
    """

    def __init__(
        self,
        folder: str | os.PathLike[str],
        *,
        retention_days: int = DEFAULT_RETENTION_DAYS,
        clock: Callable[[], float] = time.time,
    ) -> None:
        self.folder = Path(folder).expanduser()
        self.retention_days = retention_days
        self._clock = clock
        self._next_sweep = 0.0

    def write(self, source_id: str, text: CanonicalText) -> Path:
        """Store a text atomically and return its file.

        An existing file of the same name is never replaced.

        Raises:
            UsageError: the source id is not a safe name.
            StorageError: the text cannot be written, or a file with the same name has other content.
        """
        # Imported here: a digest without an archive does not need the store, whose database is slow to import.
        from octavo_sandbox.filesystem.durable import make_folder, storage_errors

        check_source_id(source_id)
        data = text.text.encode()
        with storage_errors(self.folder, doing="archiving a text"):
            make_folder(self.folder)
            with FolderHandle.open(self.folder) as root:
                try:
                    self._write_into(root, source_id, text.sha256, data)
                except FileNotFoundError:  # another process's sweep removed the folder while it was empty
                    self._write_into(root, source_id, text.sha256, data)
        return self.folder / source_id / f"{text.sha256}.txt"

    def _write_into(self, root: FolderHandle, source_id: str, digest: str, data: bytes) -> None:
        with _subfolder(root, MARKS) as every, _subfolder(every, source_id) as marks:
            # Marked only if this call created it: a user's folder is kept even if it is empty.
            if root.make_folder(source_id):
                _mark(marks, _MADE)
            with root.below(source_id) as texts:
                self._put(texts, marks, digest, data)

    def _put(self, texts: FolderHandle, marks: FolderHandle, digest: str, data: bytes) -> None:
        name, now = f"{digest}.txt", self._clock()
        with texts.staged(data, modified=now) as staged:
            if texts.publish(staged, name):
                # Last: a crash before this leaves a text that is never swept, but never a mark for a file of others.
                _mark(marks, digest)
            elif not _holds(texts, name, data):
                # Not replaced, although it may be a damaged text from Octavo: only its content could prove that.
                raise StorageError(
                    f"{texts.path / name} exists and has other content",
                    remedy="Move the file away, or use another archive folder",
                )
            elif _is_marked(marks, digest):
                texts.touch(name, now)  # restarts its retention period

    def read(self, text_hash: str, *, source_id: str | None = None) -> str | None:
        """Return the text with a hash, or None.

        Args:
            text_hash: hex, with or without `sha256:`.
            source_id: the source; default: any.

        Raises:
            UsageError: the hash or the source id is malformed.
            StorageError: the file exists and cannot be read, is no regular file, or is too large.
        """
        digest = text_hash.removeprefix("sha256:")
        if not _HASH.fullmatch(digest):
            raise UsageError(f"{text_hash[:80]!r} is not a SHA-256")
        folders = [self.folder / check_source_id(source_id)] if source_id is not None else self._sources()
        for folder in folders:
            found = read_archived(folder / f"{digest}.txt")
            if found is not None:
                return found
        return None

    def sweep(self) -> int:
        """Remove expired marked texts, and marked folders left empty; return the number of removed texts.

        A text is removed only if it has a mark, is a regular file, and its content has the hash in its name.
        """
        if self.retention_days <= 0:
            return 0
        oldest = self._clock() - self.retention_days * DAY_SECONDS
        removed = 0
        with suppress(OSError), FolderHandle.open(self.folder) as root, root.below(MARKS) as every:
            for source_id in every.names():
                if _SOURCE_ID.fullmatch(source_id):
                    with suppress(OSError), every.below(source_id) as marks:
                        removed += _sweep_source(root, marks, source_id, oldest)
                        _forget_source(root, every, marks, source_id)
        return removed

    def sweep_when_due(self) -> int:
        """Call `sweep` at most once an hour: sweeping a large archive takes longer than a digest."""
        now = self._clock()
        if now < self._next_sweep:
            return 0
        self._next_sweep = now + SWEEP_EVERY_SECONDS
        return self.sweep()

    def _sources(self) -> list[Path]:
        try:
            return sorted(entry for entry in self.folder.iterdir() if entry.is_dir() and not entry.is_symlink())
        except OSError:
            return []


@contextmanager
def _subfolder(folder: FolderHandle, name: str) -> Iterator[FolderHandle]:
    """Open a subfolder of an open folder, creating it if missing; a link in its place is an error."""
    folder.make_folder(name)
    with folder.below(name) as opened:
        yield opened


def _mark(marks: FolderHandle, name: str) -> None:
    with suppress(OSError):  # it exists, or the disk is full: files without a mark are kept permanently
        marks.write_new(name, _MARK)


def _is_marked(marks: FolderHandle, name: str) -> bool:
    return _holds(marks, name, _MARK)


def _holds(folder: FolderHandle, name: str, data: bytes) -> bool:
    """True if a regular file with this name has this content."""
    try:
        with folder.reading(name) as descriptor:
            return os.fstat(descriptor).st_size == len(data) and hash_of(descriptor) == hashlib.sha256(data).hexdigest()
    except OSError:
        return False


def _sweep_source(root: FolderHandle, marks: FolderHandle, source_id: str, oldest: float) -> int:
    """Remove a source's marked texts that are older than `oldest`; return their number."""
    removed = 0
    for digest in marks.names():
        if not _HASH.fullmatch(digest) or not _is_marked(marks, digest):
            continue
        with suppress(OSError):
            try:
                with root.below(source_id) as texts:
                    gone = texts.remove_file(f"{digest}.txt", sha256=digest, older_than=oldest)
                removed += gone
            except FileNotFoundError:
                gone = True  # the user removed the text or its folder: the mark is obsolete
            if gone:
                marks.remove_file(digest, content=_MARK)
    return removed


def _forget_source(root: FolderHandle, every: FolderHandle, marks: FolderHandle, source_id: str) -> None:
    """Remove a source's folder if Octavo created it and it is empty, and then its marks."""
    left = marks.names()
    if left == [_MADE] and _is_marked(marks, _MADE) and root.remove_empty(source_id):
        marks.remove_file(_MADE, content=_MARK)
    if _MADE not in left or left == [_MADE]:
        every.remove_empty(source_id)
