"""A version as one object: a ZIP archive of its files, so that one conditional write makes it visible (STO-8)."""

from __future__ import annotations

import io
import zipfile
import zlib
from collections.abc import Mapping

from octavo_contracts import LibraryDamaged

SUFFIX = ".zip"

_DATE = (1980, 1, 1, 0, 0, 0)
"""Date of every entry: the archive of given files and a given writer is the same in each try."""


def packed(contents: Mapping[str, bytes], *, writer: str) -> bytes:
    """The archive of a version's files.

    Args:
        contents: name → content.
        writer: a text that only this write has. It tells a writer whether the object in the store is its own, if the
            store's answer to the write was lost.
    """
    target = io.BytesIO()
    with zipfile.ZipFile(target, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, data in contents.items():
            entry = zipfile.ZipInfo(name, _DATE)
            entry.compress_type = zipfile.ZIP_DEFLATED
            entry.external_attr = 0o600 << 16
            archive.writestr(entry, data)
        archive.comment = writer.encode()
    return target.getvalue()


class VersionPack:
    """The files of one version, read from its archive.

    Args:
        data: the archive.
        place: its name in the library, for messages.

    Raises:
        LibraryDamaged: it is no archive.
    """

    def __init__(self, data: bytes, *, place: str) -> None:
        self._place = place
        try:
            self._archive = zipfile.ZipFile(io.BytesIO(data))
        except (zipfile.BadZipFile, ValueError) as error:
            raise self._damaged(error) from error

    @property
    def sizes(self) -> Mapping[str, int]:
        """Name → size in bytes of the files."""
        return {entry.filename: entry.file_size for entry in self._archive.infolist()}

    def read(self, name: str) -> bytes:
        """The bytes of a file.

        Raises:
            FileNotFoundError: the version has no such file.
            LibraryDamaged: the archive is damaged.
        """
        try:
            return self._archive.read(name)
        except KeyError:
            raise FileNotFoundError(f"{self._place}/{name}") from None
        except (zipfile.BadZipFile, zlib.error, ValueError, EOFError, OSError, NotImplementedError) as error:
            raise self._damaged(error) from error

    def _damaged(self, error: Exception) -> LibraryDamaged:
        return LibraryDamaged(f"{self._place} is damaged: {error}", remedy="Run `octavo verify-store`")
