"""The archive: canonical texts kept beside a digest, so that its quotations can be verified later (DIG-9, R-5)."""

from __future__ import annotations

import hashlib
import os
import re
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from octavo.filesystem.folder_handle import FolderHandle, hash_of
from octavo.text.canonical import CanonicalText
from octavo_contracts import StorageError, UsageError

DEFAULT_RETENTION_DAYS = 30
DAY_SECONDS = 86_400.0
SWEEP_EVERY_SECONDS = 3_600.0
"""How often an archive in use is looked through for texts past their time."""

MARKS = ".octavo-archive"
"""Folder of the marks. No source can have this name, as none begins with a dot."""

_MADE = "made"
_MARK = b"octavo digest archive 1\n"
_SOURCE_ID = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,127}")
_HASH = re.compile(r"[0-9a-f]{64}")
_RESERVED = re.compile(r"(?i)(con|prn|aux|nul|com[0-9]|lpt[0-9])(\..*)?")


def check_source_id(source_id: str) -> str:
    """A source id that is safe as the name of a folder.

    Raises:
        UsageError: it could lead out of the archive, or is no file name everywhere.
    """
    if not _SOURCE_ID.fullmatch(source_id) or ".." in source_id or source_id.endswith("."):
        raise UsageError(
            f"the source id {source_id[:80]!r} cannot name a folder",
            remedy="Use letters, digits, '.', '_' and '-', at most 128, beginning with a letter or digit",
        )
    if _RESERVED.fullmatch(source_id):
        raise UsageError(f"the source id {source_id!r} is a device's name on some systems", remedy="Give another one")
    return source_id


class Archive:
    """Canonical texts by source and hash: `{folder}/{source_id}/{hex}.txt`, UTF-8, for their owner alone.

    `{folder}/.octavo-archive/{source_id}/{hex}` marks each text that this class wrote under a name that was free, and
    `made` there marks a source's folder that it made. Nothing without its mark is ever removed or replaced, whatever it
    is called, however old it is, and also where its content has the hash that its name says: the folder may be one of
    the user's. So texts of an older version of Octavo, which left no marks, are kept for good.

    Args:
        folder: where; made when something is first written.
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
        """Keep a text, whole or not at all; returns its file.

        A file that has the name already is never replaced.

        Raises:
            UsageError: the source id is no safe name.
            StorageError: it could not be written, or its name is that of a file which holds something else.
        """
        # Imported here: a digest without an archive needs none of the store, whose database takes a while to import.
        from octavo.filesystem.durable import make_folder, storage_errors

        check_source_id(source_id)
        data = text.text.encode()
        with storage_errors(self.folder, doing="archiving a text"):
            make_folder(self.folder)
            with FolderHandle.open(self.folder) as root:
                try:
                    self._write_into(root, source_id, text.sha256, data)
                except FileNotFoundError:  # a sweep of another process took the folder when it was empty for a moment
                    self._write_into(root, source_id, text.sha256, data)
        return self.folder / source_id / f"{text.sha256}.txt"

    def _write_into(self, root: FolderHandle, source_id: str, digest: str, data: bytes) -> None:
        with _subfolder(root, MARKS) as every, _subfolder(every, source_id) as marks:
            # Marked only where this call made it: a folder of the user's stays though it is empty.
            if root.make_folder(source_id):
                _mark(marks, _MADE)
            with root.below(source_id) as texts:
                self._put(texts, marks, digest, data)

    def _put(self, texts: FolderHandle, marks: FolderHandle, digest: str, data: bytes) -> None:
        name, now = f"{digest}.txt", self._clock()
        with texts.staged(data, modified=now) as staged:
            if texts.publish(staged, name):
                # Last: a crash before this leaves a text that is never swept, and never a mark of what others wrote.
                _mark(marks, digest)
            elif not _holds(texts, name, data):
                # Not replaced, though it may be a damaged text of Octavo's: only its content could prove that.
                raise StorageError(
                    f"{texts.path / name} is there already and holds something else",
                    remedy="Move it away, or give another archive folder",
                )
            elif _is_marked(marks, digest):
                texts.touch(name, now)  # its retention begins again

    def read(self, text_hash: str, *, source_id: str | None = None) -> str | None:
        """The text of a hash, or None.

        Args:
            text_hash: hex, with or without `sha256:`.
            source_id: the source; by default any.

        Raises:
            UsageError: the hash or the source id is malformed.
            StorageError: the file is there and cannot be read.
        """
        digest = text_hash.removeprefix("sha256:")
        if not _HASH.fullmatch(digest):
            raise UsageError(f"{text_hash[:80]!r} is no SHA-256")
        folders = [self.folder / check_source_id(source_id)] if source_id is not None else self._sources()
        for folder in folders:
            path = folder / f"{digest}.txt"
            try:
                return path.read_bytes().decode()
            except (FileNotFoundError, NotADirectoryError):
                continue
            except UnicodeDecodeError:
                # Not what was written. A replacement character makes the verification fail, as it must.
                return path.read_bytes().decode(errors="replace")
            except OSError as error:
                raise StorageError(f"{path} cannot be read: {error.strerror}") from error
        return None

    def sweep(self) -> int:
        """Remove the marked texts that are past their time, and marked folders left empty; returns how many texts.

        A text goes only if its mark is there, it is a regular file, and its content has the hash that its name says.
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
        """As `sweep`, at most once an hour: looking through a large archive takes longer than a digest."""
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
    """A folder in an open one, made where it is not there; a link in its place is an error."""
    folder.make_folder(name)
    with folder.below(name) as opened:
        yield opened


def _mark(marks: FolderHandle, name: str) -> None:
    with suppress(OSError):  # it is there already, or the disk is full: what has no mark is kept for good
        marks.write_new(name, _MARK)


def _is_marked(marks: FolderHandle, name: str) -> bool:
    return _holds(marks, name, _MARK)


def _holds(folder: FolderHandle, name: str, data: bytes) -> bool:
    """Whether a regular file of this name has this content."""
    try:
        with folder.reading(name) as descriptor:
            return os.fstat(descriptor).st_size == len(data) and hash_of(descriptor) == hashlib.sha256(data).hexdigest()
    except OSError:
        return False


def _sweep_source(root: FolderHandle, marks: FolderHandle, source_id: str, oldest: float) -> int:
    """Remove a source's marked texts that are older than a moment; returns how many."""
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
                gone = True  # the user removed the text, or its folder: the mark says nothing any more
            if gone:
                marks.remove_file(digest, content=_MARK)
    return removed


def _forget_source(root: FolderHandle, every: FolderHandle, marks: FolderHandle, source_id: str) -> None:
    """Remove a source's folder if Octavo made it and it is empty, and then its marks."""
    left = marks.names()
    if left == [_MADE] and _is_marked(marks, _MADE) and root.remove_empty(source_id):
        marks.remove_file(_MADE, content=_MARK)
    if _MADE not in left or left == [_MADE]:
        every.remove_empty(source_id)
