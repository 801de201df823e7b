"""A folder that the user named for results: files go below it and nowhere else, and nothing is replaced unasked."""

from __future__ import annotations

import hashlib
import os
import stat
from contextlib import ExitStack
from pathlib import Path, PurePosixPath

from octavo_contracts import UsageError

from .folder_handle import FolderHandle, hash_of
from .output_file import MARKER

_MODE = 0o666
"""Less what the umask takes away, as any new file of the user's."""
_FOLDER_MODE = 0o777


class FileTaken(UsageError):
    """A file is there and is not to be replaced; `source` is its path."""


class OutputFolder:
    """Writes files below a folder. Links below it are not followed. Thread-safe.

    Args:
        path: the folder; made when the first file is written.
        force: whether files that are there are replaced.

    Raises:
        UsageError: it is a file, or in a library.
    """

    def __init__(self, path: str | os.PathLike[str], *, force: bool = False) -> None:
        self.path = Path(path)
        self._force = force
        if os.path.lexists(path) and not os.path.isdir(path):
            raise UsageError("it is a file, and no folder for results", source=os.fspath(path))
        real = Path(os.path.realpath(path))
        inside = next((one for one in (real, *real.parents) if os.path.isdir(one / MARKER)), None)
        if inside is not None:
            raise UsageError(
                f"the results would be written into the library {inside}",
                source=os.fspath(path),
                remedy="Give a folder outside of the library's",
            )

    def check(self, name: PurePosixPath, *, never: str | os.PathLike[str] | None = None) -> None:
        """Raise where a file could not be written: asked before the work.

        Args:
            name: relative to the folder.
            never: the document, which is never modified.

        Raises:
            FileTaken: a file is there and is not to be replaced.
            UsageError: the name leads out of the folder or to the document.
        """
        _check_name(name)
        target = self.path / name
        if never is not None and os.path.lexists(target) and _is_same(target, never):
            raise UsageError(
                "the output would replace the document itself", source=str(target), remedy="Give another folder"
            )
        if not self._force and os.path.lexists(target):
            raise _taken(target)

    def write(self, name: PurePosixPath, data: bytes, *, sha256: str | None = None) -> bool:
        """Write a file, whole or not at all; False where it is there with these bytes.

        Args:
            name: relative to the folder; folders in it are made.
            data: the content.
            sha256: of the document's bytes, hex: a file that has them is not replaced.

        Raises:
            UsageError: as `check`; or a link or a file is where a folder should be.
            StorageError: the disk is full, or the folder cannot be written.
        """
        _check_name(name)
        target = self.path / name
        try:
            os.makedirs(self.path, exist_ok=True)
            with ExitStack() as opened:
                folder = opened.enter_context(FolderHandle.open(self.path))
                for part in name.parts[:-1]:
                    folder.make_folder(part, mode=_FOLDER_MODE)
                    folder = opened.enter_context(folder.below(part))
                return self._put(folder, name.name, data, target=target, sha256=sha256)
        except OSError as error:
            if isinstance(error, NotADirectoryError) or _is_link_on_the_way(self.path, name):
                raise UsageError(
                    "a link or a file is where a folder should be", source=str(target), remedy="Give another folder"
                ) from error
            from .durable import output_failed  # imported late: most outputs are written

            raise output_failed(error, target) from error

    def _put(self, folder: FolderHandle, name: str, data: bytes, *, target: Path, sha256: str | None) -> bool:
        there = _hash_there(folder, name)
        if there == hashlib.sha256(data).hexdigest():
            return False
        if there is not None and there == sha256:
            raise UsageError("the output would replace a file that has the bytes of the document", source=str(target))
        with folder.staged(data, mode=_MODE) as staged:
            if self._force:
                folder.replace(staged, name)
            elif not folder.publish(staged, name):
                raise _taken(target)
        return True


def _hash_there(folder: FolderHandle, name: str) -> str | None:
    """SHA-256 of a regular file that is there; None where nothing is, or something else."""
    try:
        with folder.reading(name) as descriptor:
            return hash_of(descriptor)
    except OSError:
        return None


def _check_name(name: PurePosixPath) -> None:
    if name.is_absolute() or ".." in name.parts or not name.name or "\0" in str(name):
        raise UsageError("the name of the output leads out of the folder", source=str(name))


def _taken(target: Path) -> FileTaken:
    return FileTaken(
        "the file is there already, and was not replaced", source=str(target), remedy="Give --force to replace it"
    )


def _is_same(one: str | os.PathLike[str], other: str | os.PathLike[str]) -> bool:
    try:
        return os.path.samefile(one, other)
    except OSError:
        return False


def _is_link_on_the_way(folder: Path, name: PurePosixPath) -> bool:
    place = folder
    for part in name.parts[:-1]:
        place = place / part
        try:
            if not stat.S_ISDIR(os.lstat(place).st_mode):
                return True
        except OSError:
            return False
    return False
