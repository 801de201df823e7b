"""Crash recovery: takes over abandoned jobs, completes interrupted writes, and reports inconsistencies (ENG-6)."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime
from pathlib import PurePosixPath

from octavo_contracts import IngestionState, LibraryDamaged, OctavoError, Retry
from octavo_contracts.refs import store_ref

from ..files import layout
from ..files.artifacts import ArtifactStore
from ..files.stored_files import name_of
from .index import Index
from .instance_ids import document_id_for
from .records import STORED_ORIGINAL, ConversionRecord, DocumentRecord, Job
from .unindexed import Purged, record_of, recorded_versions


@dataclass(frozen=True, kw_only=True, slots=True)
class Recovered:
    """The result of `recover`.

    Attributes:
        removed_temp: number of removed temporary folders of dead owners.
        jobs: abandoned jobs, now claimed by the caller, oldest first.
    """

    removed_temp: int
    jobs: tuple[Job, ...]


CLOCK_SECONDS = 2.0
"""Maximum lag of the file system's clock behind that of the index."""

_LET_GO = (
    IngestionState.SOURCE_STORED,
    IngestionState.CONVERSION_FAILED,
    IngestionState.EXTRACTION_PENDING,
    IngestionState.EXTRACTION_FAILED,
)


def recover(store: ArtifactStore, index: Index, *, lease_seconds: float = 600.0) -> Recovered:
    """Remove temporary files of dead owners and take over abandoned jobs; call it when a library is opened.

    A job is taken over if its owner is dead or its lease has expired, or if it has no owner, unless it waits for a tool
    or its last attempt ended in order (`is_let_go`). If several processes open the library at once, one of them gets
    the job.

    Args:
        store: the opened folder; its owner becomes the jobs' owner.
        index: the index beside it.
        lease_seconds: how long the claims last without renewal.
    """
    now = index.now()
    alive: dict[str, bool] = {}
    claimed = []
    for job in index.jobs.open_jobs(queued=False):
        if job.owner is None:
            free = job.waiting_reason is None and not is_let_go(job)
        else:
            if job.owner not in alive:
                alive[job.owner] = store.is_alive(job.owner)
            free = not alive[job.owner] or (job.lease_until or "") < now
        mine = index.jobs.claim(job, owner=store.owner, lease_seconds=lease_seconds) if free else None
        if mine is not None:
            claimed.append(mine)
    return Recovered(removed_temp=store.sweep(), jobs=tuple(claimed))


def is_let_go(job: Job) -> bool:
    """Whether a job was released after its attempt ended: nothing is left to clean up, the job only has to continue."""
    return job.owner is None and job.waiting_reason is None and job.state in _LET_GO


def find_orphan_version(store: ArtifactStore, index: Index, job: Job) -> int | None:
    """The version that this job stored before it was interrupted.

    A version folder is renamed into place when it is complete, so the job can be finished from its files. The version has no
    index row, or one that a repair made for it.

    Returns:
        The newest intact one, or None: `verify` reports versions that were damaged since.
    """
    if job.raw_hash is None:
        return None
    versions = index.versions.of_document(document_id_for(job.raw_hash))
    is_open = job.job_id in {one.job_id for one in index.queue.of_hashes([job.raw_hash])}
    recorded = {record.version for record in versions if record.job_id != job.job_id or not is_open}
    for version in reversed(store.versions(job.raw_hash)):
        if version in recorded or not is_whole(store, job.raw_hash, version, read_contents=True):
            continue
        if store.manifest(job.raw_hash, version).job_id == job.job_id:
            return version
    return None


def is_whole(store: ArtifactStore, raw_hash: str, version: int, *, read_contents: bool) -> bool:
    """Whether a version's files are present and unaltered. Chunk sets are not checked: they are derived data.

    Args:
        store: the opened folder.
        raw_hash: the document's hash.
        version: the version's number.
        read_contents: compare every file with its hash, rather than its size only.
    """
    return _check_version(store, raw_hash, version, read_contents=read_contents) == ([], [])


@dataclass(frozen=True, kw_only=True, slots=True)
class VerifyReport:
    """Inconsistencies between folder and index. References, sorted.

    Attributes:
        missing: the index references them, but they do not exist.
        damaged: they differ from the version's manifest.
        orphans: the index does not reference them. Excluded are those of open jobs, and those in `unindexed`.
        leftovers: temporary folders of dead owners.
        unindexed: versions and originals that the index does not reference, and that are intact or named by a record.
    """

    missing: tuple[str, ...]
    damaged: tuple[str, ...]
    orphans: tuple[str, ...]
    leftovers: tuple[str, ...]
    unindexed: tuple[str, ...] = ()

    @property
    def is_clean(self) -> bool:
        """Whether no inconsistency was found."""
        return not (self.missing or self.damaged or self.orphans or self.leftovers or self.unindexed)


def verify(store: ArtifactStore, index: Index, *, read_contents: bool = False) -> VerifyReport:
    """Compare the folder with the index. Changes nothing.

    Args:
        store: the opened folder.
        index: the index beside it.
        read_contents: read every file and compare its hash, rather than its size only.
    """
    jobs = index.jobs.open_jobs()
    known: set[str] = set()
    hashes: set[str] = set()
    missing: list[str] = []
    damaged: list[str] = []
    stored = {layout.hash_of_original(ref) for ref in store.originals()}
    for document, versions in _documents(index):
        raw_hash = document.raw_hash
        recorded = [record.version for record in versions if record.purged_at is None]
        known.update(layout.version_folder(raw_hash, version) for version in recorded)
        hashes.add(raw_hash)
        missing += _missing_original(store, document, versions, stored=stored)
        for version in recorded:
            absent, wrong = _check_version(store, raw_hash, version, read_contents=read_contents)
            missing += absent
            damaged += wrong
    unnamed = tuple(sorted(_settled(store, index, list(_unnamed(store, known, hashes)), before=jobs)))
    purged = Purged.of(store, index.purges.log()) if unnamed else Purged()
    unindexed = tuple(ref for ref in unnamed if _is_kept(store, ref, purged))
    return VerifyReport(
        missing=tuple(sorted(missing)),
        damaged=tuple(sorted(damaged)),
        orphans=tuple(sorted(set(unnamed) - set(unindexed))),
        unindexed=unindexed,
        leftovers=store.leftovers(),
    )


def _documents(index: Index) -> Iterator[tuple[DocumentRecord, tuple[ConversionRecord, ...]]]:
    """Every document with its versions, read page by page."""
    last = None
    while page := index.documents.page(limit=500, after=last):
        for document in page:
            yield document, index.versions.of_document(document.document_id)
        last = page[-1]


def _missing_original(
    store: ArtifactStore, document: DocumentRecord, versions: Sequence[ConversionRecord], *, stored: set[str]
) -> list[str]:
    """The reference of the stored original that a document should have and has not.

    Args:
        store: the opened files.
        document: the document.
        versions: its versions, which tell whether the user's file was copied.
        stored: hashes of the originals that were there a moment ago.
    """
    ref = document.original_ref or ""
    if ref.startswith("store:"):
        return [] if store.facts(ref) is not None else [ref]
    if document.raw_hash in stored or not any(map(_copied_original, versions)):
        return []
    if store.originals_of(document.raw_hash):
        return []
    return [store_ref(layout.original_file(document.raw_hash, PurePosixPath(ref).suffix))]


def _copied_original(version: ConversionRecord) -> bool:
    return json.loads(version.config_json or "{}").get(STORED_ORIGINAL) is True


def _check_version(
    store: ArtifactStore, raw_hash: str, version: int, *, read_contents: bool
) -> tuple[list[str], list[str]]:
    """Missing and damaged artifacts of one version."""
    folder = layout.version_folder(raw_hash, version)
    own = store_ref(f"{folder}/{layout.VERSION_FILE}")
    if store.facts(own) is None:
        return [own], []
    try:
        manifest = store.manifest(raw_hash, version)
    except OctavoError as error:
        if error.retry is Retry.AUTOMATIC:
            raise  # the store does not answer now, which says nothing of the version
        return [], [own]
    missing, damaged = [], []
    for name, (size, digest) in manifest.files.items():
        ref = store_ref(f"{folder}/{name}")
        try:
            facts = store.facts(ref)
        except LibraryDamaged:  # the archive that has all files of the version
            return [], [own]
        if facts is None:
            missing.append(ref)
        elif facts.size != size or (read_contents and not _has_digest(store, ref, digest)):
            damaged.append(ref)
    return missing, damaged


def _has_digest(store: ArtifactStore, ref: str, digest: str) -> bool:
    try:
        return store.digest(ref) == digest
    except LibraryDamaged:  # its part of the archive that has all files of the version
        return False


def _unnamed(store: ArtifactStore, known: set[str], hashes: set[str]) -> Iterator[str]:
    """References that are not among the known ones. Originals are matched by hash: a failed document may lack its `original_ref`."""
    for raw_hash in store.documents():
        for version in store.versions(raw_hash):
            folder = layout.version_folder(raw_hash, version)
            if folder not in known and store.has_own(store_ref(folder)):
                yield store_ref(folder)
    for ref in store.originals():
        if layout.hash_of_original(ref) not in hashes and not store.is_linked(ref):
            yield ref


def _settled(store: ArtifactStore, index: Index, unnamed: Sequence[str], *, before: Sequence[Job]) -> Iterator[str]:
    """Leave out what running jobs stored or recorded during the check.

    The jobs are read after the store was listed, and the recorded versions after the jobs: a version in the listing belongs to
    a job that is open, or that has recorded it.

    Args:
        store: the opened files.
        index: the index beside them.
        unnamed: references that the index lacked when the check began.
        before: the jobs that were open then.
    """
    jobs = index.jobs.open_jobs() if unnamed else ()
    open_jobs = {job.job_id for job in jobs}
    hashes = {job.raw_hash for job in jobs}
    begun = [job.created_at for job in (*before, *jobs) if job.owner is not None]
    # Files stored since then may belong to a running job: attachments of a message are stored before they are recorded.
    since = datetime.fromisoformat(min(begun)).timestamp() - CLOCK_SECONDS if begun else None
    for ref in unnamed:
        path = PurePosixPath(name_of(ref))
        if path.parent.name == layout.ORIGINALS:
            raw_hash = layout.hash_of_original(ref)
            is_new = since is not None and _stored_at(store, ref) >= since
            if raw_hash in hashes or is_new or index.documents.find_by_hash([raw_hash]):
                continue
        else:
            raw_hash, number = path.parent.parent.name, layout.version_number(path.name)
            recorded = {one.version for one in index.versions.of_document(document_id_for(raw_hash))}
            if number is None or number in recorded or maker_of(store, raw_hash, number) in open_jobs:
                continue
        yield ref


def _is_kept(store: ArtifactStore, ref: str, purged: Purged) -> bool:
    """Whether an unreferenced artifact may be the only copy of something, so that it must be kept."""
    path = PurePosixPath(name_of(ref))
    if path.parent.name == layout.ORIGINALS:
        raw_hash = layout.hash_of_original(ref)
        is_there = store.facts(ref) is not None
        return not purged.has_document(store, raw_hash) and is_there and store.digest(ref) == raw_hash
    raw_hash, number = path.parent.parent.name, layout.version_number(path.name)
    if number is None or purged.has_version(raw_hash, number):
        return False
    return number in recorded_versions(record_of(store, raw_hash)) or is_whole(
        store, raw_hash, number, read_contents=True
    )


def _stored_at(store: ArtifactStore, ref: str) -> float:
    facts = store.facts(ref)
    return float("inf") if facts is None else facts.stored_at  # it may have been removed meanwhile


def maker_of(store: ArtifactStore, raw_hash: str, version: int) -> str | None:
    """Id of the job that stored a version, or None if its manifest does not tell."""
    try:
        return store.manifest(raw_hash, version).job_id
    except OctavoError:
        return None
