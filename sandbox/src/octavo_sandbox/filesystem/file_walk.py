"""Walks files and folders: selects the files of an ingest run, and records skipped ones.

Folders are read lazily, so a folder of a million files needs no memory and causes no delay. Files are sorted by the
bytes of their names, folder by folder: the same order on every machine.
"""

from __future__ import annotations

import os
import stat
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from ..egress.targets import is_url
from .globs import matches
from .output_file import MARKER

LINK_OUT = "a link that leaves the folder"
LINK_BROKEN = "a broken link"
LINKED_FOLDER = "a linked folder"
NOT_A_FILE = "not a regular file"
LIBRARY = "an Octavo library"


class Skipped(NamedTuple):
    """A path that was found and skipped.

    Attributes:
        path: the path, as for a document.
        why: one of the constants of this module.
    """

    path: str
    why: str


@dataclass
class Walk:
    """The documents under the given paths. Iterate once.

    A given path is always included: a missing one gives a failed result. In a folder, names that begin with a dot are
    left out; links to folders and links that leave the folder are not followed and are recorded as skipped. The files of
    an Octavo library are no documents of the user's: a library is not entered, and is recorded as skipped.

    Args:
        paths: files and folders, as the user gave them.
        include: patterns; in folders only files that match one are included. Empty includes all.
        exclude: patterns of files and folders to leave out.
        library: folder of the library that the documents go to. It is not entered either; only a library that was
            itself given is recorded.

    Attributes:
        found: documents yielded so far.
        skipped: paths skipped so far that might surprise the user.
    """

    paths: Sequence[str]
    include: Sequence[str] = ()
    exclude: Sequence[str] = ()
    library: str | None = None
    found: int = 0
    skipped: list[Skipped] = field(default_factory=list)

    def __post_init__(self) -> None:
        self._library = _identity(self.library) if self.library else None

    def __iter__(self) -> Iterator[str]:
        for path in self.paths:
            documents = (
                self._folder(path, "", os.path.realpath(path))
                if not is_url(path) and os.path.isdir(path)
                else iter((path,))
            )
            for document in documents:
                self.found += 1
                yield document

    def _folder(self, folder: str, relative: str, root: str) -> Iterator[str]:
        if self._library is not None and _identity(folder) == self._library:
            if not relative and is_library(folder):
                self.skipped.append(Skipped(folder, LIBRARY))
            return
        try:
            with os.scandir(folder) as entries:
                names = sorted((entry for entry in entries), key=lambda entry: os.fsencode(entry.name))
        except OSError:
            # Yielded like a document, the folder gives a failed result that says why it cannot be opened.
            yield folder
            return
        if any(entry.name == MARKER and entry.is_dir(follow_symlinks=False) for entry in names):
            self.skipped.append(Skipped(folder, LIBRARY))
            return
        for entry in names:
            inside = f"{relative}{entry.name}"
            if entry.name.startswith(".") or any(matches(inside, pattern) for pattern in self.exclude):
                continue
            path = os.path.join(folder, entry.name)
            if entry.is_dir(follow_symlinks=False):
                yield from self._folder(path, f"{inside}/", root)
            elif not self.include or any(matches(inside, pattern) for pattern in self.include):
                why = _why_not(entry, path, root)
                if why is None:
                    yield path
                else:
                    self.skipped.append(Skipped(path, why))


def is_taken(
    path: str, root: str, *, include: Sequence[str] = (), exclude: Sequence[str] = (), library: str | None = None
) -> bool:
    """Whether a walk over `root` would include a path in it, or enter it if it is a folder.

    Every folder between the two is looked at for a library.

    Args:
        path: below `root`.
        root: the folder, without links.
        include: as `Walk`.
        exclude: as `Walk`.
        library: as `Walk`.
    """
    if path == root:
        return not is_library(root)
    inside = os.path.relpath(path, root)
    parts = inside.split(os.sep)
    folders = ["/".join(parts[:count]) for count in range(1, len(parts))]
    names = ["/".join(parts), *folders]
    if parts[0] == os.pardir or any(part.startswith(".") for part in parts):
        return False
    if any(matches(name, pattern) for name in names for pattern in exclude):
        return False
    own = _identity(library) if library is not None else None
    if own is not None and any(_identity(os.path.join(root, name)) == own for name in names):
        return False
    if is_library(root) or any(is_library(os.path.join(root, name)) for name in names):
        return False
    if os.path.isdir(path):
        return not os.path.islink(path)
    if any(os.path.islink(os.path.join(root, name)) for name in folders):
        return False
    if os.path.islink(path) and not os.path.realpath(path).startswith(os.path.join(root, "")):
        return False
    return not include or any(matches(names[0], pattern) for pattern in include)


def is_library(folder: str) -> bool:
    """Whether a folder is an Octavo library."""
    try:
        return stat.S_ISDIR(os.lstat(os.path.join(folder, MARKER)).st_mode)
    except OSError:
        return False


def _why_not(entry: os.DirEntry[str], path: str, root: str) -> str | None:
    """Why a path in a folder is skipped, or None."""
    if entry.is_symlink():
        target = os.path.realpath(path)
        try:
            mode = os.stat(target).st_mode
        except OSError:
            return LINK_BROKEN
        if stat.S_ISDIR(mode):
            return LINKED_FOLDER
        if not target.startswith(os.path.join(root, "")):
            return LINK_OUT
        return None if stat.S_ISREG(mode) else NOT_A_FILE
    return None if entry.is_file(follow_symlinks=False) else NOT_A_FILE


def _identity(folder: str) -> tuple[int, int] | None:
    """Device and inode, which identify a folder under any name."""
    try:
        status = os.stat(folder)
    except OSError:
        return None
    return status.st_dev, status.st_ino
