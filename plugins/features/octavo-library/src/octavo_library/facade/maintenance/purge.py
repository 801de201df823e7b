"""Purges a document (STO-12): previewed, confirmed, and completed even after a crash.

The steps are: hold the document, so that no worker converts it meanwhile; record the purge and delete its rows in one
transaction; remove the files; release the document. The user's own files are never removed.
"""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass

from octavo_contracts import UsageError, store_ref

from ...ingestion.document_hold import HOLD, held, is_alive
from ...storage import ArtifactStore, DocumentRecord, Index, PurgeRecord, is_entry
from ...storage.files.layout import BY_HASH, OCR, generation_of_original, number_in, version_folder
from ...storage.files.stored_files import name_of


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
    raw_hash = index.documents.get(document_id).raw_hash
    with held(artifacts, index, raw_hash) as jobs:
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
            stored=max(artifacts.versions(raw_hash), default=0),
            ocr_pages=ocr_pages,
            held_by=jobs,
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
        if record.kind == "document":
            kept += _remove_document(artifacts, index, record)
            continue
        ref = _ref_of(record)
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
            with held(artifacts, index, record.subject) as jobs:
                remove_noted(artifacts, index, [record], drop_jobs=[job.job_id for job in jobs])
                done += 1
        except UsageError:
            continue
    abandoned = [job for job in index.jobs.open_jobs() if job.request_json == HOLD and not is_alive(artifacts, job)]
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


def _ref_of(record: PurgeRecord) -> str:
    """The reference to remove for the purge of a version or of a recognised page."""
    assert record.subject is not None  # kept until the files are removed
    if record.kind == "ocr":
        return _ocr_ref(record.subject)
    assert record.version is not None  # set for the purge of a version
    return store_ref(version_folder(record.subject, record.version))


def _remove_document(artifacts: ArtifactStore, index: Index, record: PurgeRecord) -> list[str]:
    """Remove the files of a purged document; returns references of those that stay.

    This process may have been suspended, and the purge completed by another one. The same bytes may have been ingested
    again since, or may be while the files are removed. What is stored then has higher version numbers, and its original
    a higher generation; so only what has the names of before is removed. The log and the record of the document alone keep
    their names: they are copies of the index, and `repair` writes them again.
    """
    subject, document_id = record.subject, record.document_id
    assert subject is not None  # kept until the files are removed
    assert document_id is not None
    folder = store_ref(f"{BY_HASH}/{subject}")
    kept: list[str] = []
    if artifacts.store.is_shared or _is_back(index, subject):
        numbers = {ref: number_in(name_of(ref)) for ref, _ in artifacts.own_files(folder)}
        old = [ref for ref, number in numbers.items() if number is not None and number <= record.highest_version]
        # The objects of versions first: their other files mean nothing without them.
        artifacts.remove_exactly(sorted(old, key=lambda ref: not ref.endswith(".zip")))
        if not _is_back(index, subject):
            artifacts.remove_exactly([ref for ref, number in numbers.items() if number is None])
    else:
        artifacts.remove(folder)
        kept += _left_of(artifacts, folder)
    generation = index.purges.generation(document_id)
    for ref in artifacts.originals_of(subject):
        if generation_of_original(ref) < generation:
            artifacts.remove_exactly([ref])
            kept += _left_of(artifacts, ref)
    return kept


def _is_back(index: Index, raw_hash: str) -> bool:
    """Whether the bytes of a purged document were ingested again."""
    return raw_hash in index.documents.find_by_hash([raw_hash])
