"""Purges a document (STO-12): previewed, confirmed, and completed even after a crash.

The steps are: hold the document, so that no worker converts it meanwhile; record the purge and delete its rows in one
transaction; remove the files; release the document. The user's own files are never removed.
"""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass

from octavo_contracts import IngestionState, Intent, UsageError, store_ref

from ...storage import ArtifactStore, DocumentRecord, Index, Job, NewJob, PurgeRecord, is_entry
from ...storage.files.layout import BY_HASH, OCR, version_folder

HOLD = '{"purge": true}'
"""`request_json` of the jobs that hold a document while it is purged."""


@dataclass(frozen=True, kw_only=True)
class PurgePreview:
    """What a purge would remove, and what it would keep.

    Attributes:
        document_id: the document.
        title: its title.
        files: reference → bytes, of all files to remove.
        bytes: total size of the files.
        rows: table → number of index rows to delete.
        corpora: names of its corpora, sorted.
        kept_paths: the user's own files, which are not touched, as references.
        kept_attachments: ids of its attachments, which stay as documents.
    """

    document_id: str
    title: str | None
    files: Mapping[str, int]
    bytes: int
    rows: Mapping[str, int]
    corpora: tuple[str, ...]
    kept_paths: tuple[str, ...]
    kept_attachments: tuple[str, ...] = ()

    @property
    def digest(self) -> str:
        """32 hex digits that identify this preview: pass them as the confirmation."""
        facts = json.dumps(asdict(self), sort_keys=True, ensure_ascii=False)
        return hashlib.sha256(facts.encode("utf-8", "surrogateescape")).hexdigest()[:32]


@dataclass(frozen=True, kw_only=True)
class Purged:
    """What a purge removed.

    Attributes:
        documents: number of whole documents.
        versions: number of single versions.
        ocr_pages: number of recognised pages.
        bytes: size of the files.
        kept: references of files that stay in the removed folders: Octavo did not make them, or a folder is a link,
            whose target may belong to another library.
    """

    documents: int = 0
    versions: int = 0
    ocr_pages: int = 0
    bytes: int = 0
    kept: tuple[str, ...] = ()


def preview(artifacts: ArtifactStore, index: Index, document_id: str) -> PurgePreview:
    """Preview the purge of a document.

    Raises:
        UsageError: no such document.
    """
    record = index.documents.get(document_id)
    files = {ref: size for place in _places(artifacts, index, record) for ref, size in artifacts.own_files(place)}
    names = {corpus.corpus_id: corpus.name for corpus in index.corpora.all()}
    return PurgePreview(
        document_id=document_id,
        title=record.title,
        files=files,
        bytes=sum(files.values()),
        rows=index.purges.rows_of(document_id),
        corpora=tuple(sorted(names[corpus] for corpus in index.paths.corpora_of(document_id))),
        kept_paths=tuple(
            place.path for place in index.paths.all(document_id=document_id, limit=10_000) if not is_entry(place.path)
        ),
        kept_attachments=tuple(
            one.document_id
            for one in index.documents.get_many(each.document_id for each in index.attachments.of_document(document_id))
        ),
    )


def purge(artifacts: ArtifactStore, index: Index, document_id: str, *, confirm: str, by: str = "user") -> Purged:
    """Remove a document: its rows, versions, chunk sets, stored original, and recognised pages that no other one has.

    Args:
        artifacts: the library's files.
        index: the library's index.
        document_id: the document.
        confirm: the digest of a preview, or the document's id.
        by: who requested the purge, for the log.

    Raises:
        UsageError: no such document, wrong confirmation, or the document is being converted now.
        StorageError: files could not be removed; the purge continues when the library is next opened.
    """
    with _held(artifacts, index, index.documents.get(document_id).raw_hash) as jobs:
        shown = preview(artifacts, index, document_id)
        if confirm not in (shown.digest, document_id):
            raise UsageError(
                "the confirmation matches neither the document's id nor the digest of the current preview",
                source=shown.title or document_id,
                remedy="Nothing was removed. Confirm a new preview",
            )
        ocr_pages = {page: _size(artifacts, _ocr_ref(page)) for page in index.purges.own_ocr_pages(document_id)}
        noted = index.purges.begin_document(
            document_id,
            size=shown.bytes - sum(ocr_pages.values()),
            ocr_pages=ocr_pages,
            keep_jobs=[job.job_id for job in jobs],
            by=by,
        )
        kept = remove_noted(artifacts, index, noted, drop_jobs=[job.job_id for job in jobs])
    return summary(noted, kept=kept)


def remove_noted(
    artifacts: ArtifactStore, index: Index, noted: Sequence[PurgeRecord], *, drop_jobs: Sequence[str] = ()
) -> tuple[str, ...]:
    """Remove the files of recorded purges, and record their completion.

    Returns:
        References of the files that stay (`Purged.kept`).

    Raises:
        StorageError: files could not be removed; those purges stay pending.
    """
    kept: list[str] = []
    for record in noted:
        for ref in _refs_of(artifacts, index, record):
            artifacts.remove(ref)
            kept += _left_of(artifacts, ref)
    index.purges.finish([record.purge_id for record in noted], drop_jobs=drop_jobs)
    return tuple(sorted(set(kept)))


def finish_interrupted(artifacts: ArtifactStore, index: Index) -> int:
    """Complete the purges of dead owners; called when a library is opened, before jobs are taken over.

    A purge is left for a later opening if its owner is alive, or if its document is being converted again by now.

    Returns:
        The number of completed purges.
    """
    done = 0
    for record in index.purges.pending():
        if record.kind != "document":
            remove_noted(artifacts, index, [record])
            done += 1
            continue
        assert record.subject is not None  # kept until the files are removed
        try:
            with _held(artifacts, index, record.subject) as jobs:
                remove_noted(artifacts, index, [record], drop_jobs=[job.job_id for job in jobs])
                done += 1
        except UsageError:
            continue
    abandoned = [job for job in index.jobs.open_jobs() if job.request_json == HOLD and not _is_alive(artifacts, job)]
    if abandoned:
        index.purges.drop_jobs([job.job_id for job in abandoned])
    return done


def summary(noted: Sequence[PurgeRecord], *, kept: tuple[str, ...] = ()) -> Purged:
    """Sum up the counts and sizes of purges."""
    kinds = [record.kind for record in noted]
    return Purged(
        documents=kinds.count("document"),
        versions=kinds.count("version"),
        ocr_pages=kinds.count("ocr"),
        bytes=sum(record.bytes for record in noted),
        kept=kept,
    )


def _left_of(artifacts: ArtifactStore, ref: str) -> list[str]:
    """The files left at a reference; a reference that is a link or lies behind one is returned itself."""
    if artifacts.is_linked(ref):
        return [ref] if os.path.lexists(artifacts.path(ref)) else []  # only a folder has links
    return [one for one, _ in artifacts.files(ref)]


def _places(artifacts: ArtifactStore, index: Index, record: DocumentRecord) -> Iterator[str]:
    yield store_ref(f"{BY_HASH}/{record.raw_hash}")
    yield from artifacts.originals_of(record.raw_hash)
    for page in index.purges.own_ocr_pages(record.document_id):
        yield _ocr_ref(page)


def _ocr_ref(page: str) -> str:
    return store_ref(f"{OCR}/{page}")


def _size(artifacts: ArtifactStore, ref: str) -> int:
    return sum(size for _, size in artifacts.own_files(ref))


def _refs_of(artifacts: ArtifactStore, index: Index, record: PurgeRecord) -> Iterator[str]:
    """References to remove for a purge. The index names none of them, even if the document was ingested again."""
    subject = record.subject
    assert subject is not None  # kept until the files are removed
    if record.kind == "ocr":
        yield _ocr_ref(subject)
    elif record.kind == "version":
        assert record.version is not None  # set for the purge of a version
        yield store_ref(version_folder(subject, record.version))
    elif subject not in index.documents.find_by_hash([subject]):
        yield store_ref(f"{BY_HASH}/{subject}")
        yield from artifacts.originals_of(subject)
    else:
        # The same bytes were ingested again before this purge was completed: their versions have higher numbers.
        kept = index.documents.get(record.document_id).original_ref if record.document_id else None
        old = [number for number in artifacts.versions(subject) if number <= record.highest_version]
        yield from (store_ref(version_folder(subject, number)) for number in old)
        yield from (ref for ref in artifacts.originals_of(subject) if ref != kept)


@contextmanager
def _held(artifacts: ArtifactStore, index: Index, raw_hash: str) -> Iterator[list[Job]]:
    """Hold a document by placeholder jobs, so that no worker starts to convert it; an error removes them.

    Raises:
        UsageError: the document is being converted.
    """
    held: list[Job] = []
    done = False
    try:
        for intent in (Intent.INGEST, Intent.RECONVERT):
            held.append(_hold(artifacts, index, raw_hash, intent))
        yield held
        done = True
    finally:
        if not done:
            index.purges.drop_jobs([job.job_id for job in held if job.request_json == HOLD])
            for job in held:
                if job.request_json != HOLD:
                    index.jobs.release(job, waiting_reason=job.waiting_reason)


def _hold(artifacts: ArtifactStore, index: Index, raw_hash: str, intent: Intent) -> Job:
    # The states of a converting job, so that another process can take the job over after a crash.
    way = (IngestionState.HASH_CHECKED, IngestionState.SOURCE_STORED, IngestionState.CONVERSION_PENDING)
    new = NewJob(raw_hash=raw_hash, intent=intent, request_json=HOLD, steps=way)
    job, is_new = index.jobs.start(new, owner=artifacts.owner)
    if is_new:
        return job
    claimed = None if _is_alive(artifacts, job) else index.jobs.claim(job, owner=artifacts.owner)
    if claimed is None:
        raise UsageError(
            "the document is being converted now",
            source=raw_hash[:12],
            remedy="Wait until the conversion has ended, then purge it",
        )
    return claimed


def _is_alive(artifacts: ArtifactStore, job: Job) -> bool:
    return job.owner is not None and artifacts.is_alive(job.owner)
