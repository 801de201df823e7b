"""Verifies a library: reads every file and compares it with its recorded hash. Changes nothing (STO-8, ENG-2)."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

from octavo_contracts import Intent, OctavoError, store_ref

from ...entities.extraction_file import altered_extractions
from ...storage import ArtifactStore, ConversionRecord, DocumentRecord, Index, document_id_for, verify
from ...storage.files.layout import BY_HASH, hash_of_original, log_file, ocr_folder, version_folder
from ...storage.files.stored_files import name_of
from ...storage.index.unindexed import Purged, record_of
from ...storage.record_keeper import outdated_records
from ...storage.version_files import CANONICAL
from ...summaries.stored_summary import altered_summaries
from .chunk_sets import chunk_set_ref, chunk_set_refs, is_whole
from .paths import differing_originals


@dataclass(frozen=True, kw_only=True)
class StoreReport:
    """The findings of a check: sorted references; every list is empty in a clean library.

    Attributes:
        documents: checked documents.
        versions: checked versions.
        missing: recorded artifacts that do not exist.
        altered: artifacts whose bytes differ from the recorded hash.
        orphans: artifacts that the index does not name, including recognised pages that no document has.
        leftovers: temporary folders of dead processes.
        outdated_logs: processing logs, and records of documents, that differ from the index.
        changed_originals: the user's files that differ from the document.
        pending_purges: ids of purges that were recorded and not completed.
        unindexed: versions, originals and folders of documents that are missing from the index, and that are intact or
            named by a record: the index is older than they are, or lost a row. They are never removed.
        unfinished: ids of documents whose version is in the index, while the job that made it was never completed.
    """

    documents: int = 0
    versions: int = 0
    missing: tuple[str, ...] = ()
    altered: tuple[str, ...] = ()
    orphans: tuple[str, ...] = ()
    leftovers: tuple[str, ...] = ()
    outdated_logs: tuple[str, ...] = ()
    changed_originals: tuple[str, ...] = ()
    pending_purges: tuple[str, ...] = ()
    unindexed: tuple[str, ...] = ()
    unfinished: tuple[str, ...] = ()

    @property
    def is_clean(self) -> bool:
        """Whether there are no findings."""
        return not any(
            (
                self.missing,
                self.altered,
                self.orphans,
                self.leftovers,
                self.outdated_logs,
                self.changed_originals,
                self.pending_purges,
                self.unindexed,
                self.unfinished,
            )
        )


@dataclass
class _Found:
    documents: int = 0
    versions: int = 0
    missing: set[str] = field(default_factory=set)
    altered: set[str] = field(default_factory=set)
    outdated_logs: set[str] = field(default_factory=set)
    hashes: set[str] = field(default_factory=set)


def check_store(artifacts: ArtifactStore, index: Index, *, chunking_version: str) -> StoreReport:
    """Read and verify every file of a library.

    Documents in work are read only once: their concurrent changes may show as findings.

    Args:
        artifacts: the library's files.
        index: the library's index.
        chunking_version: the config for which every version has a chunk set.

    Raises:
        LibraryDamaged: the index itself is damaged.
    """
    index.check_undamaged()  # before data is compared with it or repaired from it
    basic = verify(artifacts, index, read_contents=True)
    orphans = set(basic.orphans)
    unnamed = orphans.union(basic.unindexed)
    altered = (ref for ref in _altered_originals(artifacts) if ref not in unnamed)
    found = _Found(missing=set(basic.missing), altered={*basic.damaged, *altered})
    for document in index.documents.iterate():
        found.documents += 1
        found.hashes.add(document.raw_hash)
        _check_log(artifacts, index, document, found)
        for record in index.versions.of_document(document.document_id):
            if record.purged_at is None:
                found.versions += 1
                _check_chunks(artifacts, index, document, record, chunking_version, found)
                found.altered.update(altered_summaries(artifacts, document.raw_hash, record.version))
                found.altered.update(altered_extractions(artifacts, document.raw_hash, record.version))
    found.outdated_logs.update(outdated_records(artifacts, index))
    empty, recorded = _unnamed_folders(artifacts, index, found.hashes)
    return StoreReport(
        documents=found.documents,
        versions=found.versions,
        missing=tuple(sorted(found.missing)),
        altered=tuple(sorted(found.altered)),
        orphans=tuple(sorted({*orphans, *empty, *orphan_pages(artifacts, index)})),
        unindexed=tuple(sorted({*basic.unindexed, *recorded})),
        leftovers=basic.leftovers,
        outdated_logs=tuple(sorted(found.outdated_logs)),
        changed_originals=differing_originals(index),
        pending_purges=tuple(sorted(record.purge_id for record in index.purges.pending())),
        unfinished=tuple(sorted(document_id_for(job.raw_hash) for job in index.queue.recorded() if job.raw_hash)),
    )


def orphan_pages(artifacts: ArtifactStore, index: Index) -> tuple[str, ...]:
    """Recognised pages that no document has: leftovers of ingestions that were interrupted during OCR.

    Documents share recognised pages (OCR-3), and the pages of a document are recorded when its version is committed. So
    while any conversion runs, no page can be identified as an orphan.

    Returns:
        Their folders, as references.
    """
    pages = set(artifacts.ocr_pages())
    if not pages or _is_converting(artifacts, index):
        return ()
    refs = [store_ref(ocr_folder(page)) for page in sorted(pages - index.purges.claimed_ocr_pages())]
    return tuple(ref for ref in refs if artifacts.has_own(ref))


def _is_converting(artifacts: ArtifactStore, index: Index) -> bool:
    owners = {job.owner for job in index.jobs.open_jobs() if job.intent is not Intent.EXTRACT and job.owner is not None}
    return any(artifacts.is_alive(owner) for owner in owners)


def _altered_originals(artifacts: ArtifactStore) -> Iterator[str]:
    """Stored originals whose bytes do not match the hash in their name."""
    for ref in artifacts.originals():
        if artifacts.digest(ref) != hash_of_original(ref):
            yield ref


def _check_log(artifacts: ArtifactStore, index: Index, document: DocumentRecord, found: _Found) -> None:
    name = log_file(document.raw_hash)
    if artifacts.find(name) != index.jobs.processing_log(document.raw_hash):
        found.outdated_logs.add(store_ref(name))


def _check_chunks(
    artifacts: ArtifactStore,
    index: Index,
    document: DocumentRecord,
    record: ConversionRecord,
    chunking_version: str,
    found: _Found,
) -> None:
    canonical_ref = store_ref(f"{version_folder(document.raw_hash, record.version)}/{CANONICAL}")
    if canonical_ref in found.missing | found.altered:
        return  # no text to compare with; already a finding
    try:
        canonical = artifacts.read(canonical_ref).decode()
    except OctavoError:  # the version's list of files is missing; already a finding
        return
    sets = dict(chunk_set_refs(artifacts, document.raw_hash, record.version))
    if not sets:
        sets = {chunking_version: chunk_set_ref(document.raw_hash, record.version, chunking_version)}
    # The index has the hashes of one set: the one that was committed with the version.
    committed = index.versions.hashes(document.document_id, record.version, "chunk") if len(sets) == 1 else None
    for ref in sets.values():
        data = artifacts.find(name_of(ref))
        if data is None:
            found.missing.add(ref)
        elif not is_whole(data, canonical, committed=committed):
            found.altered.add(ref)


def _unnamed_folders(artifacts: ArtifactStore, index: Index, known: set[str]) -> tuple[list[str], list[str]]:
    """Folders of hashes that are missing from the index and have no version, which would be a separate finding.

    Returns:
        Folders without content to adopt, and folders whose record names a document that was not purged.
    """
    unnamed = [one for one in artifacts.documents() if one not in known and not artifacts.versions(one)]
    if unnamed:  # the jobs are read after the listing, and the documents after the jobs
        busy = {job.raw_hash for job in index.jobs.open_jobs()}
        unnamed = [one for one in unnamed if one not in busy and not index.documents.find_by_hash([one])]
    purged = Purged.of(artifacts, index.purges.log()) if unnamed else Purged()
    recorded = {one for one in unnamed if record_of(artifacts, one) and not purged.has_document(artifacts, one)}
    refs = {one: store_ref(f"{BY_HASH}/{one}") for one in unnamed}
    empty = [refs[one] for one in unnamed if one not in recorded and artifacts.has_own(refs[one])]
    return empty, [refs[one] for one in recorded if not artifacts.is_linked(refs[one])]
