"""A library's folder opened read-only: on a read-only or full disk, or without write permission."""

from __future__ import annotations

import os
from typing import NoReturn

from octavo_contracts import StorageError

from .artifacts import ArtifactStore
from .folder_store import FolderStore
from .refusal import refusal
from .removable_files import RemovableFiles


class ReadOnlyFolder(FolderStore):
    """Read-only files of a library: refuses every write, and creates nothing when it is opened.

    It holds no lock and owns no job.

    Args:
        root: the library's folder.
        why: the error of the attempt to open the library for writing; refused writes quote it.
    """

    def __init__(self, root: str | os.PathLike[str], *, why: StorageError) -> None:
        RemovableFiles.__init__(self, root)
        self._why = why

    @property
    def owner(self) -> str:
        """A name that no store opened for writing has."""
        return "reader"

    def close(self) -> None:
        """Do nothing: there is nothing to release."""

    def discard(self) -> None:
        """Do nothing: this store created nothing."""

    def leftovers(self) -> tuple[str, ...]:
        """As `FolderStore.leftovers`; empty if the library has no folder for them."""
        try:
            return super().leftovers()
        except FileNotFoundError:
            return ()

    def sweep(self) -> int:
        """Refuse.

        Raises:
            StorageError: always.
        """
        raise refusal(self._why)

    def staging(self) -> NoReturn:
        """Refuse, as every write."""
        raise refusal(self._why)


class ReadOnlyStore(ArtifactStore):
    """The artifacts of a library that is open for reading only.

    Args:
        root: the library's folder.
        why: see `ReadOnlyFolder`.
    """

    def __init__(self, root: str | os.PathLike[str], *, why: StorageError) -> None:
        super().__init__(ReadOnlyFolder(root, why=why))
