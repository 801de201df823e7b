"""Adopts files that `unindexed` found: makes index rows from the records and files beside the index.

Rows are only ever added. If a record names a version that the index does not know, the index is the older of the two,
and all rows of that record are adopted.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from octavo_contracts import IngestionState, store_ref

from ...text.times import time_text, utc_now
from ..files import layout
from ..files.artifacts import ArtifactStore
from .document_records import OF_DOCUMENT
from .index import Index
from .instance_ids import document_id_for
from .records import Job
from .recovery import is_whole, maker_of
from .row_completion import with_policy_of_corpus
from .schema import (
    content_hashes,
    conversions,
    corpora,
    document_source_instances,
    documents,
    jobs,
    metadata,
    purges,
    transitions,
)
from .unindexed import Purged, Record, record_of, recorded_versions
from .version_rows import conversion_row, document_row, hash_rows, job_of, job_row, log_rows, read_record

ADOPTED = "repair"
"""Actor name in the activation log for versions that were adopted."""

Rows = dict[str, list[Mapping[str, Any]]]
"""Rows by table name."""


@dataclass(frozen=True)
class _Found:
    """The files and the record of one document."""

    raw_hash: str
    document_id: str
    record: Record
    stored: Mapping[int, bool]
    """Version → whether it is intact; purged versions are left out."""

    makers: Mapping[int, str | None] = field(default_factory=dict)
    """Version → id of the job that stored it."""

    @property
    def intact(self) -> list[int]:
        return sorted(number for number, is_intact in self.stored.items() if is_intact)


@dataclass(frozen=True, kw_only=True)
class Adopted:
    """The adopted documents.

    Attributes:
        documents: ids of the documents.
        unreadable: ids of those documents that have no intact version.
        being_written: the given references that were left out, because a job that is open now stored them.
    """

    documents: tuple[str, ...] = ()
    unreadable: tuple[str, ...] = ()
    being_written: tuple[str, ...] = ()


def adopt(store: ArtifactStore, index: Index, refs: Sequence[str], *, outdated: Iterable[str] = ()) -> Adopted:
    """Add to the index what a check found missing from it, except what an open job stored: that job will record it.

    Args:
        store: the library's files.
        index: the library's index.
        refs: versions, originals and document folders, as listed in `VerifyReport.unindexed`.
        outdated: hashes of documents whose record differs from the index. Their records are adopted too if the index is
            known to be older than the records.

    Raises:
        StorageError: the index cannot be written.
    """
    purged = Purged.of(store, index.purges.log())
    found = [_look(store, raw_hash, purged) for raw_hash in sorted(set(map(_hash_of, refs)))]
    newer = [
        one for one in found if one.record and index.lost_rows.lacks(one.document_id, recorded_versions(one.record))
    ]
    if newer:
        found += [_look(store, each, purged) for each in sorted(set(outdated) - {one.raw_hash for one in found})]
    library = read_record(store.find(layout.LIBRARY_RECORD)) if newer else {}
    of_newer = {one.document_id for one in newer}
    with index.whole():
        # Read here, after the files: a version whose job is not open now was recorded by that job, or is lost.
        open_jobs = index.jobs.open_jobs()
        left = _being_written(found, refs, open_jobs)
        in_work = set(map(_hash_of, left)) - {_hash_of(ref) for ref in refs if ref not in left}
        at_work = {job.job_id for job in open_jobs}
        found = [_without(one, at_work) for one in found if one.raw_hash not in in_work]
        index.lost_rows.insert(_rows(store, index, found, library, at_work), [one.document_id for one in found])
        unreadable = [one.document_id for one in found if not _settle(index, one, is_newer=one.document_id in of_newer)]
    return Adopted(
        documents=tuple(one.document_id for one in found), unreadable=tuple(unreadable), being_written=tuple(left)
    )


def _being_written(found: Sequence[_Found], refs: Sequence[str], open_jobs: Sequence[Job]) -> list[str]:
    """The references that belong to open jobs: versions that they stored, and originals and folders of their documents."""
    makers = {
        store_ref(layout.version_folder(one.raw_hash, number)): maker
        for one in found
        for number, maker in one.makers.items()
    }
    job_ids, hashes = {job.job_id for job in open_jobs}, {job.raw_hash for job in open_jobs}
    return [ref for ref in refs if (makers[ref] in job_ids if ref in makers else _hash_of(ref) in hashes)]


def _without(one: _Found, job_ids: Collection[str]) -> _Found:
    """A document without the versions that these jobs stored."""
    return replace(
        one, stored={number: each for number, each in one.stored.items() if one.makers[number] not in job_ids}
    )


def _hash_of(ref: str) -> str:
    parts = ref.removeprefix("store:").split("/")
    return parts[1] if parts[0] == layout.BY_HASH else layout.hash_of_original(ref)


def _look(store: ArtifactStore, raw_hash: str, purged: Purged) -> _Found:
    numbers = [number for number in store.versions(raw_hash) if not purged.has_version(raw_hash, number)]
    stored = {number: is_whole(store, raw_hash, number, read_contents=True) for number in numbers}
    makers = {number: maker_of(store, raw_hash, number) for number in numbers}
    return _Found(raw_hash, document_id_for(raw_hash), record_of(store, raw_hash), stored, makers)


def _rows(
    store: ArtifactStore, index: Index, found: Sequence[_Found], library: Record, at_work: Collection[str]
) -> Rows:
    rows: Rows = {table.name: [] for table in metadata.sorted_tables}
    rows[corpora.name] += library.get(corpora.name, [])
    rows[purges.name] += [row for row in library.get(purges.name, ()) if row.get("done_at") is not None]
    policies = {str(row.get("corpus_id")): _policy(row) for row in rows[corpora.name]} | index.corpora.policies()
    for one in found:
        for table in OF_DOCUMENT:
            taken: list[Mapping[str, Any]] = list(one.record.get(table.name, ()))
            if table is document_source_instances:
                taken = [with_policy_of_corpus(row, policies) for row in taken]
            elif table is documents:
                taken = [_pointed(row, one) for row in taken] or [_new_document(store, one)]
            rows[table.name] += taken
        found_jobs, steps = log_rows(store.find(layout.log_file(one.raw_hash)), one.raw_hash, one.document_id)
        rows[jobs.name] += found_jobs
        rows[transitions.name] += [step for step in steps if step["job_id"] not in at_work]
        for number, is_intact in one.stored.items():
            job_id = job_of(store, one.raw_hash, number)
            made = conversion_row(store, one.raw_hash, one.document_id, number, job_id)
            rows[jobs.name].append(job_row(job_id, one.raw_hash, one.document_id))
            rows[conversions.name].append(made if is_intact else made | {"damaged_at": time_text(utc_now())})
            if is_intact:
                rows[content_hashes.name] += hash_rows(store, one.raw_hash, one.document_id, number)
    return rows


def _policy(row: Mapping[str, Any]) -> str:
    return f"{row.get('visibility')}\n{row.get('sensitivity')}"


def _pointed(row: Mapping[str, Any], found: _Found) -> Mapping[str, Any]:
    """A document's row, not pointing at a damaged version if an intact one exists."""
    active = _number(row.get("active_conversion_version"))
    return row if active in found.intact or not found.intact else {**row, "active_conversion_version": None}


def _new_document(store: ArtifactStore, found: _Found) -> Mapping[str, Any]:
    """The row of a document without a record."""
    row: dict[str, Any] = {
        "document_id": found.document_id,
        "content_hash": found.raw_hash,
        "ingestion_status": IngestionState.HARD_FAILED.value,
        "first_ingested_at": time_text(utc_now()),
        "processing_log_ref": store_ref(layout.log_file(found.raw_hash)),
    }
    if found.stored:
        row |= document_row(store, found.raw_hash, max(found.intact or found.stored))
    originals = store.originals_of(found.raw_hash)
    return (
        row
        | {"original_ref": row.get("original_ref") or next(iter(originals), None)}
        | {
            "active_conversion_version": None  # `_settle` activates a version, and logs that
        }
    )


def _settle(index: Index, found: _Found, *, is_newer: bool) -> bool:
    """Activate an intact version of a document; False if it has none and its record names one or is missing."""
    row = next(iter(found.record.get("documents", ())), {})
    recorded = _number(row.get("active_conversion_version"))
    if not found.intact:
        return bool(row) and recorded is None
    active = index.documents.get(found.document_id).active_version
    wanted = recorded if is_newer else active
    if wanted is None and not row:
        wanted = index.versions.active(found.document_id) or max(found.intact)
    if wanted is not None and wanted not in found.intact:
        wanted = max(found.intact)
    if wanted is not None and wanted != active:
        index.versions.activate(found.document_id, wanted, by=ADOPTED)
    return True


def _number(text: Any) -> int | None:
    return layout.version_number(text) if isinstance(text, str) else None
