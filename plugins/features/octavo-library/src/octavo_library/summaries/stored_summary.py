"""The file of a summary: what was made, by which version of which maker, from which files, and when (INT-2).

A summary is valid for the version whose `version.json`, and so every file, is the one that it was made of; for the same
version of the same maker; and for a number of days.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from hashlib import sha256
from typing import Any, Self

from octavo_contracts import LibraryDamaged, UsageError, store_ref

from ..storage import ArtifactStore
from ..storage.files import layout
from ..storage.files.stored_files import name_of
from .makers import SummaryMaker

_FORMAT = 1
_CLOCK_DAYS = 1.0
"""A summary from further in the future than this was made by a wrong clock, and would never grow old."""


@dataclass(frozen=True, kw_only=True)
class StoredSummary:
    """A summary as it is stored.

    Attributes:
        maker: name of its maker.
        maker_version: the maker's version.
        made_at: when it was made. Only the library's owner may see it: another policy context may have asked (STO-5).
        version: number of the version that it was made of.
        source_sha256: SHA-256 of that version's `version.json`, which has the hashes of all its files.
        content: what was made, as JSON values.
    """

    maker: str
    maker_version: str
    made_at: datetime
    version: int
    source_sha256: str
    content: Mapping[str, Any]

    def to_json(self) -> bytes:
        """The file, which has the hash of its content."""
        fields = {
            "format": _FORMAT,
            "maker": self.maker,
            "maker_version": self.maker_version,
            "made_at": self.made_at.isoformat(),
            "version": self.version,
            "source_sha256": self.source_sha256,
            "content_sha256": _digest(self.content),
            "content": self.content,
        }
        return json.dumps(fields, ensure_ascii=False, indent=1).encode()

    @classmethod
    def read(cls, data: bytes) -> Self:
        """Read a file.

        Raises:
            ValueError: it is no summary, or its content was altered.
        """
        try:
            fields = json.loads(data)
            if fields["format"] != _FORMAT or fields["content_sha256"] != _digest(fields["content"]):
                raise ValueError("the content differs from its hash, or the format is unknown")
            return cls(
                maker=str(fields["maker"]),
                maker_version=str(fields["maker_version"]),
                made_at=datetime.fromisoformat(fields["made_at"]).astimezone(UTC),
                version=int(fields["version"]),
                source_sha256=str(fields["source_sha256"]),
                content=dict(fields["content"]),
            )
        except (KeyError, TypeError, AttributeError) as error:
            raise ValueError(f"it is no summary: {error!r}") from error


def valid_summary(
    artifacts: ArtifactStore, raw_hash: str, version: int, maker: SummaryMaker, *, max_days: float
) -> StoredSummary | None:
    """The stored summary of a version; None if there is none, or if it has to be made again.

    Args:
        artifacts: the library's files.
        raw_hash: hash of the document.
        version: the version.
        maker: its maker.
        max_days: days for which a summary is valid.

    Raises:
        StorageError: the store does not answer now.
    """
    data = artifacts.find(layout.summary_file(raw_hash, version, _file_name(maker)))
    if data is None:
        return None
    try:
        found = StoredSummary.read(data)
        source = source_of(artifacts, raw_hash, version)
    except (ValueError, LibraryDamaged):
        return None
    made_by = (found.maker, found.maker_version, found.version, found.source_sha256)
    if made_by != (maker.name, maker.version, version, source):
        return None
    age = datetime.now(UTC) - found.made_at
    return found if -timedelta(days=_CLOCK_DAYS) <= age <= timedelta(days=max_days) else None


def keep_summary(
    artifacts: ArtifactStore, raw_hash: str, version: int, maker: SummaryMaker, content: Mapping[str, Any]
) -> StoredSummary:
    """Store a summary that was made now.

    Raises:
        UsageError: the version was purged meanwhile.
        LibraryDamaged: the version has lost its list of files.
        StorageError: the library cannot be written.
    """
    made = StoredSummary(
        maker=maker.name,
        maker_version=maker.version,
        made_at=datetime.now(UTC),
        version=version,
        source_sha256=source_of(artifacts, raw_hash, version),
        content=content,
    )
    artifacts.put_summary(raw_hash, version, name=_file_name(maker), data=made.to_json())
    return made


def altered_summaries(artifacts: ArtifactStore, raw_hash: str, version: int) -> Iterator[str]:
    """References of a version's summaries whose content is not what was stored.

    Raises:
        StorageError: the store does not answer now.
    """
    for ref in artifacts.summaries(raw_hash, version):
        data = artifacts.find(name_of(ref))
        try:
            if data is not None:
                StoredSummary.read(data)
        except ValueError:
            yield ref


def source_of(artifacts: ArtifactStore, raw_hash: str, version: int) -> str:
    """SHA-256 of a version's list of files.

    Raises:
        LibraryDamaged: the list is missing.
        StorageError: it cannot be read.
    """
    ref = store_ref(f"{layout.version_folder(raw_hash, version)}/{layout.VERSION_FILE}")
    try:
        return sha256(artifacts.read(ref)).hexdigest()
    except UsageError as error:
        raise LibraryDamaged(f"{name_of(ref)} is missing", remedy="Run `octavo verify-store`") from error


def _file_name(maker: SummaryMaker) -> str:
    return f"{maker.name}-{maker.version}"


def _digest(content: Mapping[str, Any]) -> str:
    told = json.dumps(content, ensure_ascii=False, sort_keys=True, separators=(",", ":"))
    return sha256(told.encode()).hexdigest()
