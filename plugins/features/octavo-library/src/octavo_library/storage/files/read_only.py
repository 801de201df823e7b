"""A library's folder that is opened for reading alone: on a read-only or full disk, or without permission to write."""

from __future__ import annotations

import os
from pathlib import Path
from typing import NoReturn

from octavo_contracts import StorageError

from .artifacts import ArtifactStore
from .refusal import refusal
from .stored_files import StoredFiles


class ReadOnlyStore(ArtifactStore):
    """The files of a library, for reading: every call that would write is refused, and nothing is made by the opening.

    It holds no lock and is the owner of no job.

    Args:
        root: the library's folder.
        why: what the attempt to open the library for writing ended with; writes are refused with it.
    """

    def __init__(self, root: str | os.PathLike[str], *, why: StorageError) -> None:
        StoredFiles.__init__(self, root)
        self._why = why

    @property
    def owner(self) -> str:
        """A name that no opening for writing ever has."""
        return "reader"

    def close(self) -> None:
        """There is nothing to let go of."""

    def discard(self) -> None:
        """There is nothing that this opening made."""

    def leftovers(self) -> tuple[Path, ...]:
        """As `ArtifactStore.leftovers`; none where the library has no folder for them."""
        try:
            return super().leftovers()
        except FileNotFoundError:
            return ()

    def sweep(self) -> int:
        """Refused.

        Raises:
            StorageError: always.
        """
        raise refusal(self._why)

    def _staging(self) -> NoReturn:
        raise refusal(self._why)
