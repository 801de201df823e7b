"""Finds intact artifacts that the index does not reference, left by an older index, a lost row or a crash.

They may be the only copy of a document, so none of them is an orphan unless the purge log says that it was purged.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any, Self

from ..files import layout
from ..files.artifacts import ArtifactStore
from .instance_ids import document_id_for
from .purges import PurgeRecord
from .version_rows import read_record

Record = Mapping[str, list[dict[str, Any]]]
"""The rows of a record, by table."""


@dataclass(frozen=True)
class Purged:
    """Purged documents and versions, by the logs of the index and of the library's record: either may be the older one.

    Attributes:
        documents: document id → time of the last purge, and the highest version number that it had.
        versions: (document id, version) of individually purged versions.
    """

    documents: Mapping[str, tuple[str, int]] = field(default_factory=dict)
    versions: frozenset[tuple[str, int]] = frozenset()

    @classmethod
    def of(cls, store: ArtifactStore, log: Iterable[PurgeRecord]) -> Self:
        """Merge the log of the index with that of the library's record."""
        lines: list[tuple[Any, ...]] = [
            (one.kind, one.document_id, one.version, one.highest_version, one.at) for one in log
        ]
        names = ("kind", "document_id", "version", "highest_version", "at")
        rows = read_record(store.find(layout.LIBRARY_RECORD)).get("purges", ())
        lines += [tuple(row[name] for name in names) for row in rows if all(name in row for name in names)]
        documents: dict[str, tuple[str, int]] = {}
        versions = set()
        for kind, document_id, version, highest, at in lines:
            if document_id is None:
                continue
            if kind == "document":
                last, most = documents.get(document_id, ("", 0))
                documents[document_id] = (max(last, str(at)), max(most, int(highest)))
            elif version is not None:
                versions.add((document_id, int(version)))
        return cls(documents, frozenset(versions))

    def has_version(self, raw_hash: str, version: int) -> bool:
        """Whether a version was purged, individually or with its document."""
        document_id = document_id_for(raw_hash)
        _, highest = self.documents.get(document_id, ("", 0))
        return version <= highest or (document_id, version) in self.versions

    def has_document(self, store: ArtifactStore, raw_hash: str) -> bool:
        """Whether a document was purged and not ingested again since."""
        purged = self.documents.get(document_id_for(raw_hash))
        if purged is None:
            return False
        at, highest = purged
        if any(number > highest for number in store.versions(raw_hash)):
            return False
        rows = record_of(store, raw_hash).get("documents", ())
        return not any(str(row.get("first_ingested_at")) > at for row in rows)


def record_of(store: ArtifactStore, raw_hash: str) -> Record:
    """The rows of a document's record by table; empty if the record is missing, damaged, or one of other bytes."""
    record = read_record(store.find(layout.record_file(raw_hash)))
    row = next(iter(record.get("documents", ())), {})
    return record if row.get("content_hash") == raw_hash else {}


def recorded_versions(record: Record) -> frozenset[int]:
    """The versions that a record names, except purged ones."""
    rows = record.get("conversions", ())
    return frozenset(row["version"] for row in rows if isinstance(row.get("version"), int) and not row.get("purged_at"))
