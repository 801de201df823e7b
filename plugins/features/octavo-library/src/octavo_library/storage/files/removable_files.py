"""Removes files of a library: only files that Octavo created, and nothing behind a link (STO-12)."""

from __future__ import annotations

import errno
import json
import os
import shutil
import stat
from collections.abc import Iterator, Sequence
from contextlib import AbstractContextManager, ExitStack, contextmanager, suppress
from pathlib import Path

from octavo_sandbox.filesystem import durable
from octavo_sandbox.filesystem.folder_handle import FolderHandle

from . import layout


class RemovableFiles:
    """The files of a library's folder that Octavo created, and can remove.

    Args:
        root: the library's folder.

    Attributes:
        root: the library's folder, as an absolute path.
    """

    def __init__(self, root: str | os.PathLike[str]) -> None:
        self.root = Path(os.path.abspath(root))

    @property
    def place(self) -> str:
        """See `FileStore`."""
        return str(self.root)

    def walk(self, name: str) -> Iterator[tuple[str, int]]:
        """See `FileStore`. Links are listed, not followed."""
        path = self.root / name
        for found in sorted(path.rglob("*")) if path.is_dir() else [path]:
            with suppress(FileNotFoundError):  # another process may remove the file meanwhile
                status = found.lstat()
                if not stat.S_ISDIR(status.st_mode):
                    yield found.relative_to(self.root).as_posix(), status.st_size

    def is_linked(self, name: str) -> bool:
        """See `FileStore`."""
        path = self.root / name
        below = [path, *(folder for folder in path.parents if self.root in folder.parents)]
        return any(map(os.path.islink, below))

    def remove(self, name: str) -> bool:
        """Remove an artifact, or a folder of them, permanently. Call it once nothing references the artifact.

        One rename moves the artifact into this owner's temporary folder, where it is deleted: a crash leaves it
        complete, or leaves files that the next opening sweeps. Folders that become empty are removed too. If a folder
        also contains files of others, Octavo's own files are removed one by one, and the others stay. Nothing behind a
        link is removed: a linked folder may belong to another library. `files` lists what is left.

        Returns:
            Whether anything was removed.

        Raises:
            StorageError: the artifact cannot be removed.
        """
        path = self.root / name
        if path.is_symlink():
            return False
        with durable.storage_errors(self.root, doing="removing an artifact"):
            try:
                with self._held(path.parent) as folder:
                    if not _has_others(path):
                        return self._take_away(folder, path)
                return self._remove_own(path)
            except (FileNotFoundError, NotADirectoryError):
                return False
            except OSError as error:
                if error.errno == errno.ELOOP:  # a link
                    return False
                raise

    def remove_exactly(self, names: Sequence[str]) -> None:
        """See `FileStore`."""
        for name in names:
            self.remove(name)

    def own_files(self, name: str) -> Iterator[tuple[str, int]]:
        """As `walk`, but only what `remove` would remove."""
        path = self.root / name
        if self.is_linked(name):
            return
        others = {place for place, is_own in _own_files(path) if not is_own} if path.is_dir() else set()
        yield from ((one, size) for one, size in self.walk(name) if self.root / one not in others)

    def has_own(self, name: str) -> bool:
        """Whether `remove` would remove anything: not for a link, nor for a folder with only files of others."""
        path = self.root / name
        if self.is_linked(name):
            return False
        owns = [own for _, own in _own_files(path)] if path.is_dir() else []
        return any(owns) or not owns

    def _take_away(self, folder: FolderHandle, path: Path) -> bool:
        with self.staging() as staged:
            folder.move(path.name, staged)
            folder.sync()
            remove_staged(staged)
            _remove_empty(path.parent, below=(self.root / layout.BY_HASH, self.root / layout.OCR))
        return True

    def _remove_own(self, folder: Path) -> bool:
        """Remove Octavo's files in a folder, and the folders that become empty."""
        own = [path for path, is_own in _own_files(folder) if is_own]
        for path in own:
            with suppress(FileNotFoundError), self._held(path.parent) as within:
                within.remove(path.name)
        for parent, folders, _ in os.walk(folder, topdown=False):
            for name in folders:
                with suppress(OSError):  # the folder is not empty, or it is a link
                    (Path(parent) / name).rmdir()
        return bool(own)

    @contextmanager
    def _held(self, folder: Path) -> Iterator[FolderHandle]:
        """A folder of the library, opened one path component at a time so that no link is followed.

        Raises:
            OSError: the folder does not exist, or it or a parent within the library is a link.
        """
        with ExitStack() as opened:
            handle = opened.enter_context(FolderHandle.open(self.root))
            for name in folder.relative_to(self.root).parts:
                handle = opened.enter_context(handle.below(name))
            yield handle

    def staging(self) -> AbstractContextManager[str]:
        """An unused path in the owner's temporary folder."""
        raise NotImplementedError  # implemented by `FolderStore`


def _own_files(folder: Path) -> Iterator[tuple[Path, bool]]:
    """Every file and link in a folder of artifacts, and whether Octavo created it: by name or by version manifest."""
    for parent, folders, names in os.walk(folder):
        place = Path(parent)
        listed = _listed(place)
        yield from ((place / name, False) for name in folders if (place / name).is_symlink())
        for name in names:
            path = place / name
            yield path, (name in listed or layout.is_own_name(path.as_posix())) and not path.is_symlink()


def _listed(folder: Path) -> frozenset[str]:
    try:
        return frozenset(json.loads((folder / layout.VERSION_FILE).read_bytes())["files"])
    except (OSError, ValueError, KeyError, TypeError):
        return frozenset()


def _has_others(path: Path) -> bool:
    """Whether a folder of artifacts contains files or links that Octavo did not create."""
    if path.is_symlink() or not path.is_dir():
        return False
    return any(not own for _, own in _own_files(path))


def remove_staged(staged: str) -> None:
    """Remove what an owner moved or wrote into its temporary folder; for a link, only the link itself."""
    if os.path.isdir(staged) and not os.path.islink(staged):
        shutil.rmtree(staged)  # follows no link below either
    else:
        os.unlink(staged)


def _remove_empty(folder: Path, *, below: tuple[Path, ...]) -> None:
    """Remove a folder and its parents while they are empty and lie below one of these."""
    while any(root in folder.parents for root in below):
        try:
            folder.rmdir()
        except OSError:  # the folder is not empty, or another process removed it first
            return
        folder = folder.parent
