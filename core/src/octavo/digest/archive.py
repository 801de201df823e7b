"""The archive: canonical texts kept beside a digest, so that its quotations can be verified later (DIG-9, R-5)."""

from __future__ import annotations

import os
import re
import time
import uuid
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

from octavo_contracts import StorageError, UsageError

from ..text.canonical import CanonicalText

DEFAULT_RETENTION_DAYS = 30
DAY_SECONDS = 86_400.0
SWEEP_EVERY_SECONDS = 3_600.0
"""How often an archive in use is looked through for texts past their time."""

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
            f"the source id {source_id[:80]!r} can not name a folder",
            remedy="Use letters, digits, '.', '_' and '-', at most 128, beginning with a letter or digit",
        )
    if _RESERVED.fullmatch(source_id):
        raise UsageError(f"the source id {source_id!r} is a device's name on some systems", remedy="Give another one")
    return source_id


class Archive:
    """Canonical texts by source and hash: `{folder}/{source_id}/{hex}.txt`, UTF-8, for their owner alone.

    Args:
        folder: where; made when something is first written.
        retention_days: texts older than this are removed by `sweep`; 0 keeps them.
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

        Raises:
            UsageError: the source id is no safe name.
            StorageError: it could not be written.
        """
        # Imported here: a digest without an archive needs none of the store, whose database takes a while to import.
        from ..store.durable import make_folder, replace_file, storage_errors, write_file

        target = self.folder / check_source_id(source_id) / f"{text.sha256}.txt"
        staged = target.with_name(f".{uuid.uuid4().hex}.tmp")
        with storage_errors(self.folder, doing="archiving a text"):
            try:
                make_folder(target.parent)
                write_file(staged, text.text.encode())
                now = self._clock()
                os.utime(staged, (now, now))
                replace_file(staged, target)
            finally:
                with suppress(OSError):
                    staged.unlink(missing_ok=True)
        return target

    def read(self, text_hash: str, *, source_id: str | None = None) -> str | None:
        """The text of a hash, or None.

        Args:
            text_hash: hex, with or without `sha256:`.
            source_id: the source; by default any.

        Raises:
            UsageError: the hash or the source id is malformed.
            StorageError: the file is there and can not be read.
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
                raise StorageError(f"{path} can not be read: {error.strerror}") from error
        return None

    def sweep(self) -> int:
        """Remove the texts that are past their time, and folders left empty; returns how many texts."""
        if self.retention_days <= 0:
            return 0
        oldest = self._clock() - self.retention_days * DAY_SECONDS
        removed = 0
        for folder in self._sources():
            for path in folder.glob("*.txt"):
                with suppress(OSError):
                    if path.stat().st_mtime < oldest:
                        path.unlink()
                        removed += 1
            with suppress(OSError):
                folder.rmdir()
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
