"""Holds a document by placeholder jobs, so that no process converts it meanwhile (STO-12)."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from octavo_contracts import IngestionState, Intent, UsageError

from ..storage import ArtifactStore, Index, Job, NewJob

HOLD = '{"purge": true}'
"""`request_json` of the jobs that hold a document."""


@contextmanager
def held(artifacts: ArtifactStore, index: Index, raw_hash: str, *, take_over: bool = True) -> Iterator[list[Job]]:
    """Hold a document by placeholder jobs, which the caller deletes at the end; an error removes them.

    Args:
        artifacts: the library's files.
        index: the library's index.
        raw_hash: SHA-256 of the document's bytes.
        take_over: whether the open jobs of dead processes are taken over. Otherwise any open job is an error.

    Raises:
        UsageError: the document is being converted.
    """
    jobs: list[Job] = []
    done = False
    try:
        for intent in (Intent.INGEST, Intent.RECONVERT):
            jobs.append(_hold(artifacts, index, raw_hash, intent, take_over=take_over))
        yield jobs
        done = True
    finally:
        if not done:
            index.purges.drop_jobs([job.job_id for job in jobs if job.request_json == HOLD])
            for job in jobs:
                if job.request_json != HOLD:
                    index.jobs.release(job, waiting_reason=job.waiting_reason)


def _hold(artifacts: ArtifactStore, index: Index, raw_hash: str, intent: Intent, *, take_over: bool) -> Job:
    # The states of a converting job, so that another process can take the job over after a crash.
    way = (IngestionState.HASH_CHECKED, IngestionState.SOURCE_STORED, IngestionState.CONVERSION_PENDING)
    new = NewJob(raw_hash=raw_hash, intent=intent, request_json=HOLD, steps=way)
    job, is_new = index.jobs.start(new, owner=artifacts.owner)
    if is_new:
        return job
    claimed = index.jobs.claim(job, owner=artifacts.owner) if take_over and not is_alive(artifacts, job) else None
    if claimed is None:
        raise UsageError(
            "the document is being converted now",
            source=raw_hash[:12],
            remedy="Wait until the conversion has ended, then purge it",
        )
    return claimed


def is_alive(artifacts: ArtifactStore, job: Job) -> bool:
    """Whether the process that has a job still has the library open."""
    return job.owner is not None and artifacts.is_alive(job.owner)
