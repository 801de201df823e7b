"""Ingests numbered documents for ever, as the engine does, telling each finished one on its output; to be killed.

Usage: crash_writer.py LIBRARY INDEX_URL START COUNT
"""

from __future__ import annotations

import hashlib
import sys

from octavo_contracts import IngestionState
from octavo_library.storage import (
    ArtifactStore,
    CompletedJob,
    ConversionFacts,
    DocumentFacts,
    Index,
    Job,
    NewJob,
    Provenance,
    ReuseEvent,
    document_id_for,
    find_orphan_version,
    recover,
)

S = IngestionState
BEGIN = (S.HASH_CHECKED, S.SOURCE_STORED, S.CONVERSION_PENDING)
END = (
    *(S.CONVERTED, S.CLASSIFIED, S.SUMMARIZED, S.INDEXED, S.EXTRACTION_PENDING),
    *(S.EXTRACTED, S.VERIFIED, S.WRITTEN, S.COMPLETE),
)


def finish(store: ArtifactStore, index: Index, job: Job, number: int) -> None:
    """Convert what is not converted, and file it."""
    raw_hash = hashlib.sha256(str(number).encode()).hexdigest()
    version = find_orphan_version(store, index, job)
    if version is None:
        files = {f"part{n}.txt": f"{number} {n}".encode() * 100 for n in range(8)}
        version = store.put_version(raw_hash, files, job_id=job.job_id)
    completed = CompletedJob(
        job=job,
        steps=END,
        document=DocumentFacts(raw_hash=raw_hash, file_size=number),
        conversion=ConversionFacts(version=version, tool="plaintext"),
        sighting=Provenance(path=f"file:///{number}"),
    )
    index.jobs.complete([completed])
    store.write_log(raw_hash, index.jobs.processing_log(raw_hash))
    sys.stdout.write(f"{raw_hash}\n")
    sys.stdout.flush()


def main(root: str, url: str, start: int, count: int) -> None:
    """Finish what was left, then begin with `start`."""
    with ArtifactStore(root) as store, Index(url) as index:
        for job in recover(store, index).jobs:
            finish(store, index, job, int(job.request_json or ""))
        for number in range(start, start + count):
            raw_hash = hashlib.sha256(str(number).encode()).hexdigest()
            if raw_hash in index.documents.find_by_hash([raw_hash]):
                event = ReuseEvent(document_id=document_id_for(raw_hash), sighting=Provenance(path=f"file:///{number}"))
                index.jobs.record_reuse([event])
                continue
            new = NewJob(raw_hash=raw_hash, steps=BEGIN, request_json=str(number), unless_converted=True)
            job, is_new = index.jobs.start(new, owner=store.owner)
            if is_new:
                finish(store, index, job, number)


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2], int(sys.argv[3]), int(sys.argv[4]))
