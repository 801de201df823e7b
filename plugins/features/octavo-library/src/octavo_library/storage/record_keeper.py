"""Updates the record files beside the index; see `octavo_library.storage.index.document_records`."""

from __future__ import annotations

import json
import logging
import threading
from collections.abc import Iterable, Iterator

from octavo_contracts import OctavoError, store_ref
from sqlalchemy.exc import SQLAlchemyError

from . import ArtifactStore, Index
from .files.layout import LIBRARY_RECORD, record_file
from .index.document_records import says_the_same
from .index.location import recorded_id
from .index.touched import LIBRARY
from .index.unindexed import Purged, record_of, recorded_versions
from .pipelined import each

BATCH = 200
"""Number of documents whose records are read in one query."""

AT_OPENING = 500
"""Maximum number of records written when a library without records, made by an older version, is opened. `repair`
writes all of them."""

_log = logging.getLogger("octavo.storage")


class RecordKeeper:
    """Writes the records of the documents that a transaction changed. Thread-safe.

    A record that cannot be written does not undo the transaction: the record is outdated, which `verify` reports and
    `repair` corrects.

    Args:
        artifacts: the library's files.
        index: the library's index.
    """

    def __init__(self, artifacts: ArtifactStore, index: Index) -> None:
        self._artifacts = artifacts
        self._index = index
        self._lock = threading.Lock()

    def __call__(self, touched: frozenset[str]) -> None:
        """Write the records of the touched ids after a transaction; failures are logged."""
        try:
            self.write(touched)
        except (OctavoError, SQLAlchemyError) as error:
            _log.warning("cannot write the records beside the index: %s", error)

    def write(self, touched: Iterable[str], *, over_newer: bool = False) -> None:
        """Write records from the current state of the index.

        Args:
            touched: document ids, and `LIBRARY` for the rows that belong to no document.
            over_newer: whether to replace a record that names a version unknown to the index. After an older index was
                restored, such a record is the only trace of that version.

        Raises:
            StorageError: a record cannot be written.
        """
        wanted = set(touched)
        with self._lock:
            if LIBRARY in wanted:
                self._artifacts.write_record(LIBRARY_RECORD, self._index.records.of_library())
            for ids in _batches(sorted(wanted - {LIBRARY})):
                records = self._index.records.of_documents(ids).items()
                each(self._artifacts, records, lambda one: self._write_one(*one, over_newer=over_newer))

    def _write_one(self, raw_hash: str, data: bytes, *, over_newer: bool) -> None:
        if over_newer or not self._is_newer(raw_hash, data):
            self._artifacts.write_record(record_file(raw_hash), data)

    def _is_newer(self, raw_hash: str, data: bytes) -> bool:
        """Whether a document's record names a version that exists, was not purged, and is missing from the index."""
        recorded = recorded_versions(record_of(self._artifacts, raw_hash))
        known = {row["version"] for row in json.loads(data)["tables"].get("conversions", ())}
        unknown = (recorded - known).intersection(self._artifacts.versions(raw_hash)) if recorded - known else ()
        if not unknown:
            return False
        purged = Purged.of(self._artifacts, self._index.purges.log())
        if all(purged.has_version(raw_hash, version) for version in unknown):
            return False
        _log.warning("the index is older than the documents beside it: run `octavo verify-store`, then `octavo repair`")
        return True

    def begin(self) -> None:
        """Write the first records of a library that has none, or whose record belongs to another library."""
        recorded = recorded_id(self._artifacts)
        # An index beside another library's documents was refused earlier; here, the record's own library is gone.
        is_foreign = recorded is not None and recorded != self._index.library_id()
        if is_foreign or self._artifacts.store.facts(LIBRARY_RECORD) is None:
            first = [record.document_id for record in self._index.documents.page(limit=AT_OPENING)]
            self(frozenset({LIBRARY, *first}))


def outdated_records(artifacts: ArtifactStore, index: Index) -> Iterator[str]:
    """References of the existing records that differ from the index. A missing record is not reported."""
    library = artifacts.find(LIBRARY_RECORD)
    if library is not None and not says_the_same(library, index.records.of_library()):
        yield store_ref(LIBRARY_RECORD)
    for ids in _batches([record.document_id for record in index.documents.iterate()]):
        for raw_hash, data in index.records.of_documents(ids).items():
            record = artifacts.find(record_file(raw_hash))
            if record is not None and not says_the_same(record, data):
                yield store_ref(record_file(raw_hash))


def write_missing_records(artifacts: ArtifactStore, index: Index) -> int:
    """Write the missing records; returns how many.

    Raises:
        StorageError: a record cannot be written.
    """
    missing = [
        record.document_id
        for record in index.documents.iterate()
        if artifacts.store.facts(record_file(record.raw_hash)) is None
    ]
    if artifacts.store.facts(LIBRARY_RECORD) is None:
        missing.append(LIBRARY)
    RecordKeeper(artifacts, index).write(missing)
    return len(missing)


def _batches(ids: list[str]) -> Iterator[list[str]]:
    for start in range(0, len(ids), BATCH):
        yield ids[start : start + BATCH]
