"""A library's files in its folder: written under a temporary name, flushed, and made visible by one rename (STO-8)."""

from __future__ import annotations

import hashlib
import itertools
import os
import shutil
import stat
from collections.abc import Callable, Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager, suppress
from pathlib import Path
from typing import BinaryIO

from octavo_contracts import SourceChanged, StorageError
from octavo_sandbox.filesystem import durable

from . import layout, owners
from .file_store import FileFacts
from .library_folder import check_folder, mark_folder, unmark_folder
from .removable_files import RemovableFiles, remove_staged

_BLOCK = 1 << 20


class FolderStore(RemovableFiles):
    """A library's folder, opened for reading and writing; see `FileStore`.

    Args:
        root: the library's folder; created if it does not exist.

    Raises:
        UsageError: the folder is not a library and contains names that a library would use.
        StorageError: the folder cannot be created or written.
    """

    def __init__(self, root: str | os.PathLike[str]) -> None:
        super().__init__(root)
        self._serial = itertools.count(1)
        self._pid = os.getpid()
        own = [self.root / name for name in (layout.ORIGINALS, layout.BY_HASH, layout.OCR, layout.TMP)]
        whole = (*reversed(self.root.parents), self.root, *own, self._locks)
        self._made = [folder for folder in whole if not folder.is_dir()]
        with self._errors("opening the library"):
            check_folder(self.root)
            durable.make_folder(self.root)
            self._marked = mark_folder(self.root)
            for folder in own:
                durable.make_folder(folder)
            self._owner = owners.Owner(self._locks)
            self._tmp = self.root / layout.TMP / self._owner.name
            self._tmp.mkdir(mode=durable.FOLDER_MODE)

    @property
    def is_shared(self) -> bool:
        """See `FileStore`."""
        return False

    @property
    def owner(self) -> str:
        """See `FileStore`."""
        return self._owner.name

    def close(self) -> None:
        """Release the folder and remove this store's unfinished writes; in a forked child, remove nothing."""
        if os.getpid() != self._pid:
            return
        shutil.rmtree(self._tmp, ignore_errors=True)
        self._owner.close()

    def discard(self) -> None:
        """Close, and remove the unused folders that this store created: for a library that failed to open."""
        self.close()
        with suppress(OSError):  # the locks come first: if another process opened the library meanwhile, all stays
            within = [folder for folder in self._made if self.root in folder.parents]
            for folder in reversed(within):
                folder.rmdir()
            if self._marked:
                unmark_folder(self.root)
            for folder in reversed(self._made[: len(self._made) - len(within)]):
                folder.rmdir()

    def read(self, name: str) -> bytes:
        """See `FileStore`."""
        path = self.root / name
        with self._errors("reading an artifact"):
            try:
                return path.read_bytes()
            except PermissionError as error:
                raise StorageError(
                    f"{path} cannot be read: {error.strerror}", remedy="Make the library readable for you"
                ) from error
            except (FileNotFoundError, NotADirectoryError, IsADirectoryError) as error:
                missing = FileNotFoundError(name)
                missing.__cause__ = error
        raise missing

    def facts(self, name: str) -> FileFacts | None:
        """See `FileStore`. A link counts as the file behind it."""
        try:
            found = os.stat(f"{self.root}/{name}")
        except (FileNotFoundError, NotADirectoryError):
            return None
        return FileFacts(size=found.st_size, stored_at=found.st_mtime) if stat.S_ISREG(found.st_mode) else None

    def digest(self, name: str) -> str:
        """See `FileStore`."""
        with (self.root / name).open("rb") as stream:
            return hashlib.file_digest(stream, "sha256").hexdigest()

    def local_path(self, name: str) -> Path:
        """See `FileStore`: the file itself."""
        return self.root / name

    def shown(self, name: str) -> str:
        """See `FileStore`."""
        return name

    def names(self, folder: str) -> Iterator[str]:
        """See `FileStore`."""
        try:
            with os.scandir(f"{self.root}/{folder}") as entries:
                yield from (entry.name for entry in entries)
        except (FileNotFoundError, NotADirectoryError):
            return

    def originals_of(self, raw_hash: str) -> list[str]:
        """See `FileStore`."""
        names = filter(layout.is_original, self.names(layout.ORIGINALS))
        return [f"{layout.ORIGINALS}/{name}" for name in names if layout.hash_of_original(name) == raw_hash]

    def published(self, folder: str) -> Iterator[str]:
        """See `FileStore`: a folder has its final name when all its files are in it."""
        return self.names(folder)

    def create(self, name: str, data: bytes) -> bool:
        """See `FileStore`."""
        target = f"{self.root}/{name}"
        if os.path.exists(target):
            return False
        with self._errors("storing an artifact"), self.staging() as staged:
            durable.write_file(staged, data)
            durable.make_folder(os.path.dirname(target))
            return durable.publish_file(staged, target)

    def create_original(self, name: str, stream: BinaryIO, *, raw_hash: str) -> None:
        """See `FileStore`."""
        target = self.root / name
        if not target.exists():
            with self._errors("storing an original"), self.staging() as staged:
                _copy_checked(stream, staged, raw_hash=raw_hash)
                durable.publish_file(staged, target)

    def replace(self, name: str, data: bytes, *, doing: str) -> None:
        """See `FileStore`."""
        target = f"{self.root}/{name}"
        with self._errors(doing), self.staging() as staged:
            durable.write_file(staged, data)
            durable.make_folder(os.path.dirname(target))
            durable.replace_file(staged, target)

    def replace_record(self, name: str, data: bytes) -> None:
        """See `FileStore`: the file is not flushed, and `verify` detects a record lost in a power cut."""
        target = f"{self.root}/{name}"
        if not _is_record(target):
            return  # a user's file is in its place, and stays: the record is a copy, the index is authoritative
        with self._errors("writing a record"), self.staging() as staged:
            descriptor = os.open(staged, os.O_WRONLY | os.O_CREAT | os.O_EXCL, durable.FILE_MODE)
            with os.fdopen(descriptor, "wb") as stream:
                stream.write(data)
            durable.make_folder(os.path.dirname(target))
            os.replace(staged, target)

    def publish(self, folder: str, contents: Mapping[str, bytes]) -> bool:
        """See `FileStore`: the files are written to a staging folder, which is renamed into place."""
        target = f"{self.root}/{folder}"
        with self._errors("storing a conversion"), self.staging() as staged:
            os.mkdir(staged, durable.FOLDER_MODE)
            for name, data in contents.items():
                durable.write_file(f"{staged}/{name}", data)
            durable.sync_folder(staged)
            durable.make_folder(os.path.dirname(target))
            return durable.publish_folder(staged, target)

    def ask_liveness(self, is_alive: Callable[[str], bool]) -> None:
        """See `FileStore`: locks tell it."""

    def use_cache_of(self, library_id: str) -> None:
        """See `FileStore`: there are no copies."""

    def cached_documents(self) -> Iterator[str]:
        """See `FileStore`: the folder is the library."""
        return iter(())

    def forget(self, raw_hash: str) -> None:
        """See `FileStore`."""

    def is_alive(self, owner: str) -> bool:
        """See `FileStore`: the owner holds a lock on a file, which the kernel releases with its process."""
        return owners.is_alive(self._locks, owner)

    def leftovers(self) -> tuple[str, ...]:
        """See `FileStore`: temporary folders. A `tmp` that was replaced by a link is not searched."""
        folder = self.root / layout.TMP
        if folder.is_symlink():
            return ()
        with os.scandir(folder) as entries:
            names = sorted(
                entry.name
                for entry in entries
                if owners.is_owner_name(entry.name) and entry.is_dir(follow_symlinks=False)
            )
        return tuple(f"{layout.TMP}/{name}" for name in names if not self.is_alive(name))

    def sweep(self) -> int:
        """See `FileStore`: removes the locks of dead owners too."""
        with self._errors("removing temporary files"):
            found = self.leftovers()
            for name in found:
                # Another process may sweep at the same time: a folder that it already removed is not an error.
                with suppress(FileNotFoundError):
                    shutil.rmtree(self.root / name)
            owners.remove_dead(self._locks)
        return len(found)

    @contextmanager
    def staging(self) -> Iterator[str]:
        """An unused path in the owner's temporary folder; removed if the block fails."""
        staged = f"{self._tmp}/{next(self._serial)}"
        try:
            yield staged
        except BaseException:
            with suppress(OSError):
                remove_staged(staged)
            raise

    @property
    def _locks(self) -> Path:
        return self.root / layout.LOCKS

    def _errors(self, doing: str) -> AbstractContextManager[None]:
        return durable.storage_errors(self.root, doing=doing)


def _is_record(target: str) -> bool:
    """Whether a record may be written to this path: the path is free or holds an earlier record."""
    try:
        descriptor = os.open(target, os.O_RDONLY | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0))
    except FileNotFoundError:
        return True
    except OSError:
        return False
    with os.fdopen(descriptor, "rb") as stream:
        if not stat.S_ISREG(os.fstat(descriptor).st_mode):
            return False
        # A record lost in a power cut is empty or full of zeros.
        head = stream.read(32)
        return not head.strip(b"\0") or b'"format"' in head


def _copy_checked(stream: BinaryIO, target: str, *, raw_hash: str) -> None:
    digest = hashlib.sha256()
    descriptor = os.open(target, os.O_WRONLY | os.O_CREAT | os.O_EXCL, durable.FILE_MODE)
    with os.fdopen(descriptor, "wb") as copy:
        while block := stream.read(_BLOCK):
            digest.update(block)
            copy.write(block)
        copy.flush()
        durable.sync_file(descriptor)
    if digest.hexdigest() != raw_hash:
        raise SourceChanged(f"the bytes have hash {digest.hexdigest()[:12]}…, expected {raw_hash[:12]}…")
