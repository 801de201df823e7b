"""Removing the files of a library: what Octavo made, and nothing behind a link (STO-12)."""

from __future__ import annotations

import errno
import json
import os
import shutil
from collections.abc import Iterator
from contextlib import AbstractContextManager, ExitStack, contextmanager, suppress
from pathlib import Path

from octavo.filesystem.folder_handle import FolderHandle

from . import layout
from .stored_files import StoredFiles


class RemovableFiles(StoredFiles):
    """A library's folder from which artifacts are removed; see `StoredFiles` for the arguments."""

    def remove(self, ref: str) -> bool:
        """Remove an artifact, or a folder of them, for good. To be called once nothing names it any more.

        It loses its name whole, by one rename into this owner's temporary folder, and is deleted there: a crash
        leaves it complete, or leaves what the next opening sweeps. Folders that are empty then go too. Where somebody put
        other files into such a folder, Octavo's own are removed one by one, and theirs stay. Nothing is removed behind a
        link: where a folder of the library is one, what it leads to may be another library's. `files` tells what is left.

        Returns:
            Whether anything was removed.

        Raises:
            UsageError: not a reference into a library.
            StorageError: it cannot be removed.
        """
        path = self.path(ref)
        if path.is_symlink():
            return False
        with self._errors("removing an artifact"):
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

    def own_files(self, ref: str) -> Iterator[tuple[str, int]]:
        """As `files`, of what `remove` would remove."""
        path = self.path(ref)
        if self.is_linked(ref):
            return
        others = {place for place, is_own in _own_files(path) if not is_own} if path.is_dir() else set()
        yield from ((one, size) for one, size in self.files(ref) if self.path(one) not in others)

    def has_own(self, ref: str) -> bool:
        """Whether there is something to remove: no link, nor a folder that holds other people's files alone."""
        path = self.path(ref)
        if self.is_linked(ref):
            return False
        owns = [own for _, own in _own_files(path)] if path.is_dir() else []
        return any(owns) or not owns

    def _take_away(self, folder: FolderHandle, path: Path) -> bool:
        with self._staging() as staged:
            folder.move(path.name, staged)
            folder.sync()
            remove_staged(staged)
            _remove_empty(path.parent, below=(self.root / layout.BY_HASH, self.root / layout.OCR))
        return True

    def _remove_own(self, folder: Path) -> bool:
        """Remove Octavo's files below a folder, and the folders that are empty then."""
        own = [path for path, is_own in _own_files(folder) if is_own]
        for path in own:
            with suppress(FileNotFoundError), self._held(path.parent) as within:
                within.remove(path.name)
        for parent, folders, _ in os.walk(folder, topdown=False):
            for name in folders:
                with suppress(OSError):  # something else is in it, or it is a link
                    (Path(parent) / name).rmdir()
        return bool(own)

    @contextmanager
    def _held(self, folder: Path) -> Iterator[FolderHandle]:
        """A folder of the library, opened step by step, so that no link is followed on the way.

        Raises:
            OSError: it is not there, or it or a folder on the way is a link.
        """
        with ExitStack() as opened:
            handle = opened.enter_context(FolderHandle.open(self.root))
            for name in folder.relative_to(self.root).parts:
                handle = opened.enter_context(handle.below(name))
            yield handle

    def _staging(self) -> AbstractContextManager[str]:
        raise NotImplementedError  # `ArtifactStore` has it


def _own_files(folder: Path) -> Iterator[tuple[Path, bool]]:
    """Every file and link below a folder of artifacts, and whether Octavo made it: by its name, or by its version's list."""
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
    """Whether a folder of artifacts holds files or links that Octavo did not make."""
    if path.is_symlink() or not path.is_dir():
        return False
    return any(not own for _, own in _own_files(path))


def remove_staged(staged: str) -> None:
    """Remove what an owner moved or wrote into its own temporary folder; a link goes without what it leads to."""
    if os.path.isdir(staged) and not os.path.islink(staged):
        shutil.rmtree(staged)  # follows no link below either
    else:
        os.unlink(staged)


def _remove_empty(folder: Path, *, below: tuple[Path, ...]) -> None:
    """Remove a folder and its parents as far as they are empty and lie below one of these."""
    while any(root in folder.parents for root in below):
        try:
            folder.rmdir()
        except OSError:  # something else is in it, or another process was quicker
            return
        folder = folder.parent
