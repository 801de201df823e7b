"""Repairs what a check found, without losing data.

Derived data is rebuilt; intact data that is missing from the index is adopted; leftovers of interrupted writes and
purges are removed; a version whose files are missing or altered is marked as damaged, and an intact version, if there
is one, becomes the active one. No document, version row, annotation or original is deleted.
"""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import PurePosixPath

from octavo_contracts import OctavoError, store_ref
from octavo_text.chunking import ChunkingConfig

from ...ingestion.damaged_versions import DAMAGE
from ...ingestion.originals import open_original, places_of
from ...ingestion.unnamed_versions import remove_unnamed
from ...storage import ArtifactStore, Index, document_id_for
from ...storage.files.layout import (
    BY_HASH,
    CHUNK_FILE,
    LIBRARY_RECORD,
    OCR,
    ORIGINALS,
    RECORD,
    generation_of_original,
    hash_of_original,
    is_kept_beside,
    record_file,
    version_folder,
    version_number,
)
from ...storage.index.adoption import Adopted, adopt
from ...storage.index.touched import LIBRARY
from ...storage.record_keeper import RecordKeeper, write_missing_records
from .chunk_sets import derive, is_whole
from .paths import PAGE
from .purge import finish_interrupted
from .verify import StoreReport, orphan_pages


@dataclass(frozen=True, kw_only=True)
class RepairReport:
    """What a repair did; sorted references unless stated otherwise.

    Attributes:
        removed: leftovers, orphans, and altered summaries and extraction runs that were removed: a summary is made again when
            it is needed, and the index has what a run found.
        chunk_sets: chunk sets that were rebuilt.
        logs: processing logs that were rewritten.
        stale_paths: the user's paths that were marked as no longer leading to the document.
        completed_purges: number of interrupted purges that were completed.
        damaged: (document id, version) of versions newly marked as damaged.
        activated: (document id, version) of intact versions that replaced a damaged active one.
        reconverted: (document id, version) of versions made again from the originals of documents without an intact
            version.
        unreadable: ids of documents without an intact version whose original is unavailable or cannot be converted.
        remaining: findings that cannot be repaired from the available data.
        adopted: versions, originals and folders of documents that were added to the index.
        kept: files in removed folders that stay because Octavo did not make them.
        stored_again: missing or altered stored originals that were copied again from the user's files.
        being_written: findings that were left alone, because a running job stored them and will record them.
        finished: ids of documents whose interrupted job was completed with the version that is in the index.
    """

    removed: tuple[str, ...]
    chunk_sets: tuple[str, ...]
    logs: tuple[str, ...]
    stale_paths: tuple[str, ...]
    completed_purges: int
    damaged: tuple[tuple[str, int], ...]
    activated: tuple[tuple[str, int], ...]
    unreadable: tuple[str, ...]
    remaining: tuple[str, ...]
    reconverted: tuple[tuple[str, int], ...] = ()
    adopted: tuple[str, ...] = ()
    kept: tuple[str, ...] = ()
    stored_again: tuple[str, ...] = ()
    being_written: tuple[str, ...] = ()
    finished: tuple[str, ...] = ()


def repair(artifacts: ArtifactStore, index: Index, report: StoreReport, *, chunking: ChunkingConfig) -> RepairReport:
    """Repair the findings of a report.

    Args:
        artifacts: the library's files.
        index: the library's index.
        report: report of a current check.
        chunking: the config of rebuilt chunk sets.

    Raises:
        StorageError: the library cannot be written.
    """
    completed = finish_interrupted(artifacts, index) if report.pending_purges else 0
    outdated = [ref.split("/")[1] for ref in report.outdated_logs if ref.endswith(f"/{RECORD}")]
    taken = adopt(artifacts, index, report.unindexed, outdated=outdated) if report.unindexed else Adopted()
    removed, kept = _remove(artifacts, index, report)
    found = (*report.missing, *report.altered)
    chunk_sets = tuple(ref for ref in found if _rebuild_chunks(artifacts, index, ref, chunking))
    spoilt = tuple(ref for ref in report.altered if is_kept_beside(ref) and artifacts.remove(ref))
    logs = tuple(ref for ref in report.outdated_logs if _rewrite_log(artifacts, index, ref))
    stored_again = tuple(ref for ref in found if _store_again(artifacts, index, ref))
    write_missing_records(artifacts, index)
    stale = _mark_stale(index, set(report.changed_originals))
    bad = _bad_versions(report)
    damaged = tuple(one for one in sorted(bad) if index.versions.mark_damaged(*one))
    activated, unreadable = _reactivate(index, {document_id for document_id, _ in bad})
    of_originals = [ref for ref in found if is_original(ref) and ref not in stored_again]
    of_chunks = [ref for ref in found if is_chunk_set(ref) and ref not in chunk_sets]
    of_versions = [ref for ref in found if version_of(ref) is not None and not _is_derived(ref)]
    return RepairReport(
        removed=tuple(sorted((*removed, *spoilt))),
        chunk_sets=tuple(sorted(chunk_sets)),
        logs=logs,
        stale_paths=stale,
        completed_purges=completed,
        damaged=damaged,
        activated=activated,
        unreadable=tuple(sorted({*unreadable, *taken.unreadable})),
        adopted=tuple(ref for ref in report.unindexed if ref not in taken.being_written),
        being_written=taken.being_written,
        kept=kept,
        stored_again=stored_again,
        remaining=tuple(sorted((*of_originals, *of_chunks, *of_versions))),
    )


def _remove(artifacts: ArtifactStore, index: Index, report: StoreReport) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Remove leftovers and orphans; return what was removed, and the files that stay in the same folders."""
    # A check lists only names that the store itself uses, with a SHA-256, in folders that Octavo made: no file of the
    # user. `octavo repair` shows the list first.
    # A page may have got a document since the check, and a running conversion may be about to use it.
    pages = set(orphan_pages(artifacts, index))
    removed: list[str] = []
    kept: list[str] = []
    for ref in report.orphans:
        if ref.startswith(f"store:{OCR}/") and ref not in pages:
            continue
        before = [one for one, _ in artifacts.files(ref)]
        if not _remove_orphan(artifacts, index, ref):
            continue
        left = [one for one, _ in artifacts.files(ref)]
        removed += [one for one in before if one not in left] if left else [ref]
        kept += left
    if report.leftovers:
        artifacts.sweep()
    return tuple(sorted((*removed, *report.leftovers))), tuple(sorted(kept))


def _remove_orphan(artifacts: ArtifactStore, index: Index, ref: str) -> bool:
    """Remove an orphan; False if nothing was removed."""
    place = version_of(ref)
    if place is None or ref != store_ref(version_folder(*place)):
        return artifacts.remove(ref)
    return artifacts.has_own(ref) and remove_unnamed(artifacts, index, *place)


def _rebuild_chunks(artifacts: ArtifactStore, index: Index, ref: str, config: ChunkingConfig) -> bool:
    """Rebuild a chunk set; False if the reference is not one, or if the result differs from the committed hashes."""
    place = version_of(ref)
    if place is None or not is_chunk_set(ref) or _config_of(ref) != config.version:
        return False
    raw_hash, number = place
    try:
        data = derive(artifacts, raw_hash, number, config)
    except OctavoError:  # a source file is missing or damaged, which is a separate finding
        return False
    canonical = artifacts.read(store_ref(f"{version_folder(raw_hash, number)}/canonical.txt")).decode()
    committed = index.versions.hashes(document_id_for(raw_hash), number, "chunk")
    if not is_whole(data, canonical, committed=committed):
        return False
    if not artifacts.remove(ref) and artifacts.facts(ref) is not None:
        return False  # behind a link
    artifacts.put_chunks(raw_hash, number, config_version=config.version, data=data)
    return True


def _store_again(artifacts: ArtifactStore, index: Index, ref: str) -> bool:
    """Store a missing or altered original from a path of this machine.

    False if the reference is not an original, or no path has its bytes: an altered copy stays then.
    """
    if not is_original(ref):
        return False
    raw_hash = hash_of_original(ref)
    places = places_of(index, artifacts, raw_hash=raw_hash, policy=None)
    try:
        source = open_original(places, artifacts, raw_hash=raw_hash)
    except OctavoError:
        return False
    with source, os.fdopen(os.dup(source.fd), "rb") as stream:
        stream.seek(0)
        artifacts.remove(ref)  # an altered copy; the file with the right bytes is open
        generation = generation_of_original(ref)
        artifacts.put_original(raw_hash, extension=PurePosixPath(ref).suffix, stream=stream, generation=generation)
    return artifacts.digest(ref) == raw_hash  # a copy behind a link is not replaced


def _rewrite_log(artifacts: ArtifactStore, index: Index, ref: str) -> bool:
    if ref == store_ref(LIBRARY_RECORD):
        RecordKeeper(artifacts, index).write([LIBRARY])
        return True
    raw_hash = ref.split("/")[1]
    if ref == store_ref(record_file(raw_hash)):
        RecordKeeper(artifacts, index).write([document_id_for(raw_hash)], over_newer=True)
        return True
    artifacts.write_log(raw_hash, index.jobs.processing_log(raw_hash))
    return True


def _mark_stale(index: Index, changed: set[str]) -> tuple[str, ...]:
    marked: list[str] = []
    last = 0
    while changed and (page := index.paths.all(after=last, limit=PAGE)):
        last = page[-1].path_id
        gone = [place for place in page if place.path in changed and not place.is_stale]
        index.paths.set_stale([place.path_id for place in gone], stale=True)
        marked += [place.path for place in gone]
    return tuple(sorted(marked))


def _bad_versions(report: StoreReport) -> set[tuple[str, int]]:
    """(document id, version) with missing or altered files; derived ones do not count, as the version stays readable."""
    places = (version_of(ref) for ref in (*report.missing, *report.altered) if not _is_derived(ref))
    return {(document_id_for(raw_hash), number) for raw_hash, number in filter(None, places)}


def _reactivate(index: Index, document_ids: set[str]) -> tuple[tuple[tuple[str, int], ...], tuple[str, ...]]:
    """Activate an intact version in place of a damaged active one; return also the documents without one.

    The version that was active last is chosen, else the newest: one that was never active may have been held back.
    """
    activated: list[tuple[str, int]] = []
    unreadable: list[str] = []
    for document_id in sorted(document_ids):
        records = [record for record in index.versions.of_document(document_id) if record.purged_at is None]
        if not any(record.is_active and record.damaged_at is not None for record in records):
            continue
        intact = [record.version for record in records if record.damaged_at is None]
        if intact:
            were_active = [version for version, _ in index.versions.activations(document_id) if version in intact]
            chosen = were_active[-1] if were_active else max(intact)
            index.versions.activate(document_id, chosen, by=DAMAGE)
            activated.append((document_id, chosen))
        else:
            unreadable.append(document_id)
    return tuple(activated), tuple(unreadable)


def version_of(ref: str) -> tuple[str, int] | None:
    """Raw hash and number of the version that a reference lies in, or None."""
    parts = ref.removeprefix("store:").split("/")
    if len(parts) < 4 or parts[0] != BY_HASH:
        return None
    number = version_number(parts[3])
    return (parts[1], number) if number is not None else None


def is_original(ref: str) -> bool:
    """Whether a reference is that of a stored original."""
    return ref.startswith(f"store:{ORIGINALS}/")


def _is_derived(ref: str) -> bool:
    return is_chunk_set(ref) or is_kept_beside(ref)


def is_chunk_set(ref: str) -> bool:
    """Whether a reference is that of a chunk set."""
    return "/chunks/" in ref and ref.endswith(f"/{CHUNK_FILE}")


def _config_of(ref: str) -> str:
    return ref.split("/")[-2]
