"""An open folder handle: files are read, written and removed in this folder only, even if its path is replaced.

Each call that takes a path resolves it again: between two calls, one of Octavo's folders can be replaced by a link to
one of the user's. A name relative to an open descriptor cannot be redirected. No method follows a link in the last part
of a name.
"""

from __future__ import annotations

import errno
import hashlib
import os
import stat
import sys
import uuid
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Self

FILE_MODE = 0o600
FOLDER_MODE = 0o700
_BLOCK = 1 << 20
_CLOSED = getattr(os, "O_CLOEXEC", 0)
_NO_LINK = getattr(os, "O_NOFOLLOW", 0)
_NO_WAIT = getattr(os, "O_NONBLOCK", 0)  # opening a pipe instead of a file must not block the caller
_FOLDER = os.O_RDONLY | getattr(os, "O_DIRECTORY", 0) | _CLOSED
_BINARY = getattr(os, "O_BINARY", 0)
_SELF = os.utime in os.supports_follow_symlinks
"""Whether the times of a link itself can be set; on other systems the option not to follow a link does not exist."""


class FolderHandle:
    """An open folder. Use it as a context manager.

    Windows cannot open folders; there, names are resolved by path, and links are detected by a check beforehand.

    Args:
        path: the folder; it exists. The user's own path may be a link.
        descriptor: descriptor of the folder; None on Windows.
    """

    def __init__(self, path: Path, descriptor: int | None) -> None:
        self.path = path
        self._descriptor = descriptor

    @classmethod
    def open(cls, path: str | os.PathLike[str]) -> Self:
        """Open a folder that the user named.

        Raises:
            OSError: the folder does not exist, is not a folder, or cannot be opened.
        """
        folder = Path(path)
        if sys.platform == "win32":
            if not folder.is_dir():
                raise NotADirectoryError(errno.ENOTDIR, "not a folder", str(folder))
            return cls(folder, None)
        return cls(folder, os.open(folder, _FOLDER))

    def below(self, name: str) -> FolderHandle:
        """Open a subfolder; a link does not count as a folder.

        Raises:
            OSError: the folder does not exist, is not a folder, or cannot be opened.
        """
        if self._descriptor is None:
            if not stat.S_ISDIR(self.status(name).st_mode):
                raise NotADirectoryError(errno.ENOTDIR, "not a folder", str(self.path / name))
            return FolderHandle(self.path / name, None)
        return FolderHandle(self.path / name, os.open(name, _FOLDER | _NO_LINK, dir_fd=self._descriptor))

    def close(self) -> None:
        """Close the folder. Calling it again does nothing."""
        if self._descriptor is not None:
            os.close(self._descriptor)
            self._descriptor = None

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def names(self) -> list[str]:
        """Return the names in the folder, sorted."""
        return sorted(os.listdir(self.path if self._descriptor is None else self._descriptor))

    def status(self, name: str) -> os.stat_result:
        """Return the status of a name, without following a link.

        Raises:
            OSError: the name does not exist.
        """
        place, within = self._at(name)
        return os.stat(place, dir_fd=within, follow_symlinks=False)

    def make_folder(self, name: str, *, mode: int = FOLDER_MODE) -> bool:
        """Create a subfolder; return False if the name exists. The umask applies to its mode."""
        place, within = self._at(name)
        try:
            os.mkdir(place, mode, dir_fd=within)
        except FileExistsError:
            return False
        self.sync()
        return True

    def write_new(self, name: str, data: bytes, *, modified: float | None = None, mode: int = FILE_MODE) -> None:
        """Write and flush a new file.

        Args:
            name: name of the file.
            data: its content.
            modified: its modification time in seconds since 1970; by default now.
            mode: its permissions, reduced by the umask.

        Raises:
            FileExistsError: the name exists.
            OSError: the file cannot be written; a partial file is removed.
        """
        place, within = self._at(name)
        flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | _CLOSED | _BINARY
        descriptor = os.open(place, flags, mode, dir_fd=within)
        try:
            try:
                rest = memoryview(data)
                while rest:
                    rest = rest[os.write(descriptor, rest) :]
                os.fsync(descriptor)
            finally:
                os.close(descriptor)
            if modified is not None:
                os.utime(place, (modified, modified), dir_fd=within, follow_symlinks=not _SELF)
        except BaseException:
            # O_EXCL succeeded, so this call created the file.
            with suppress(OSError):
                os.unlink(place, dir_fd=within)
            raise

    @contextmanager
    def staged(self, data: bytes, *, modified: float | None = None, mode: int = FILE_MODE) -> Iterator[str]:
        """Write a flushed file under a random name; remove it at the end of the block if it still has that name."""
        name = f".{uuid.uuid4().hex}.tmp"
        self.write_new(name, data, modified=modified, mode=mode)
        try:
            yield name
        finally:
            place, within = self._at(name)
            with suppress(OSError):
                os.unlink(place, dir_fd=within)

    def publish(self, staged: str, name: str) -> bool:
        """Give a staged file an additional name; return False if the name exists. Never replaces a file."""
        source, within = self._at(staged)
        target, _ = self._at(name)
        try:
            os.link(source, target, src_dir_fd=within, dst_dir_fd=within)
        except FileExistsError:
            return False
        except OSError as error:
            if error.errno not in (errno.EPERM, errno.ENOTSUP, errno.EOPNOTSUPP, errno.EMLINK):
                raise
            # exFAT and some network disks have no hard links: write the bytes again to a new name.
            with self.reading(staged) as descriptor:
                data, times = _all_of(descriptor), os.fstat(descriptor)
            try:
                self.write_new(name, data, modified=times.st_mtime)
            except FileExistsError:
                return False
        self.sync()
        return True

    def replace(self, staged: str, name: str) -> None:
        """Atomically replace a file by a staged one. Only for a file that the user asked to replace."""
        source, within = self._at(staged)
        target, _ = self._at(name)
        os.replace(source, target, src_dir_fd=within, dst_dir_fd=within)
        self.sync()

    @contextmanager
    def reading(self, name: str) -> Iterator[int]:
        """Open a regular file and yield its descriptor.

        Raises:
            OSError: the file does not exist, is a link or not a regular file, or cannot be opened.
        """
        place, within = self._at(name)
        if self._descriptor is None and stat.S_ISLNK(self.status(name).st_mode):
            raise OSError(errno.ELOOP, "a link", str(self.path / name))
        descriptor = os.open(place, os.O_RDONLY | _NO_LINK | _NO_WAIT | _CLOSED | _BINARY, dir_fd=within)
        try:
            if not stat.S_ISREG(os.fstat(descriptor).st_mode):
                raise OSError(errno.EINVAL, "not a regular file", str(self.path / name))
            yield descriptor
        finally:
            os.close(descriptor)

    def read(self, name: str) -> bytes:
        """Return the content of a regular file.

        Raises:
            OSError: see `reading`.
        """
        with self.reading(name) as descriptor:
            return _all_of(descriptor)

    def touch(self, name: str, moment: float) -> None:
        """Set the modification time of a name, without following a link."""
        place, within = self._at(name)
        os.utime(place, (moment, moment), dir_fd=within, follow_symlinks=not _SELF)

    def remove_file(
        self, name: str, *, sha256: str | None = None, content: bytes = b"", older_than: float | None = None
    ) -> bool:
        """Remove a regular file if it has the given bytes and is old enough; return whether it was removed.

        The name must still refer to the file whose bytes were compared.

        Args:
            name: name of the file.
            sha256: SHA-256 of its content, hex.
            content: its content, if no hash is given.
            older_than: upper limit of its modification time, in seconds since 1970; None for any.

        Raises:
            OSError: the file does not exist, or cannot be read or removed.
        """
        with self.reading(name) as descriptor:
            facts = os.fstat(descriptor)
            wanted = hashlib.sha256(content).hexdigest() if sha256 is None else sha256
            if older_than is not None and facts.st_mtime >= older_than:
                return False
            if hash_of(descriptor) != wanted or not os.path.samestat(facts, self.status(name)):
                return False
            if self._descriptor is not None:
                self._unlink(name)
                return True
        self._unlink(name)  # Windows cannot remove an open file
        return True

    def move(self, name: str, target: str) -> None:
        """Move a file, a folder or a link of this folder to a path on the same disk.

        Raises:
            OSError: the name does not exist or cannot be moved.
        """
        place, within = self._at(name)
        os.rename(place, target, src_dir_fd=within)

    def remove(self, name: str) -> None:
        """Remove a file or a link by its name.

        Raises:
            OSError: the name does not exist or cannot be removed.
        """
        self._unlink(name)

    def remove_empty(self, name: str) -> bool:
        """Remove a subfolder if it is empty; return whether it was removed. A link does not count as a folder."""
        place, within = self._at(name)
        try:
            os.rmdir(place, dir_fd=within)
        except OSError:
            return False
        return True

    def sync(self) -> None:
        """Flush the names in this folder; not needed on Windows."""
        if self._descriptor is not None:
            os.fsync(self._descriptor)

    def _unlink(self, name: str) -> None:
        place, within = self._at(name)
        os.unlink(place, dir_fd=within)

    def _at(self, name: str) -> tuple[str, int | None]:
        if not name or name in (".", "..") or os.path.basename(name) != name:
            raise ValueError(f"{name!r} is not a valid file name")
        return (str(self.path / name), None) if self._descriptor is None else (name, self._descriptor)


def hash_of(descriptor: int) -> str:
    """Return the SHA-256 of an open file from its start, hex."""
    digest = hashlib.sha256()
    os.lseek(descriptor, 0, os.SEEK_SET)
    while block := os.read(descriptor, _BLOCK):
        digest.update(block)
    return digest.hexdigest()


def _all_of(descriptor: int) -> bytes:
    blocks = []
    os.lseek(descriptor, 0, os.SEEK_SET)
    while block := os.read(descriptor, _BLOCK):
        blocks.append(block)
    return b"".join(blocks)
