"""Removes the versions that dead or suspended processes stored for jobs that others had taken over (ENG-6).

A process whose job was taken over learns of it when its completion is refused, and removes its version itself
(`fenced_versions`). It cannot if it dies before, or if the store received its last write after its death. The index knows
which jobs changed hands, so that any worker can look at their documents.
"""

from __future__ import annotations

import time

from octavo_contracts import LibraryDamaged, UsageError

from ..storage import ArtifactStore, Index, Job, document_id_for
from ..storage.index.unindexed import record_of, recorded_versions
from .unnamed_versions import remove_unnamed

WINDOW_SECONDS = 24 * 3600.0
"""How long the documents of such jobs are looked at. A process can be suspended for hours, store its version, and die."""


LOOKS = 100
"""Most documents that are looked at in one sweep: a restart of the database makes jobs of all workers change hands at once."""


class VersionSweep:
    """Looks at the documents of jobs that changed hands before they ended, in growing intervals.

    Every worker does: which of them will live is not known. A look is one listing.

    Args:
        artifacts: the library's files.
        index: the library's index.
        interval: seconds between the first looks at a document. Each later one waits as long as the document was watched
            before.
    """

    def __init__(self, artifacts: ArtifactStore, index: Index, *, interval: float) -> None:
        self._artifacts = artifacts
        self._index = index
        self._interval = interval
        self._watched: dict[str, tuple[float, float]] = {}

    def sweep(self) -> int:
        """Look at the documents that are due; returns the number of removed versions.

        Raises:
            OctavoError: the index or the store failed.
        """
        ended = self._index.queue.ended_after_takeover(seconds=WINDOW_SECONDS)
        self._watched = {job_id: times for job_id, times in self._watched.items() if job_id in ended}
        removed, now = 0, time.monotonic()
        due = [job_id for job_id in ended if self._is_due(job_id, now)]
        due.sort(key=lambda job_id: self._watched.get(job_id, (now, 0.0))[1])  # those first that were not looked at
        for job_id in due[:LOOKS]:
            removed += self._look_at(ended[job_id])
            since, _ = self._watched.get(job_id, (now, now))
            self._watched[job_id] = (since, now)
        return removed

    def _is_due(self, job_id: str, now: float) -> bool:
        if job_id not in self._watched:
            return True
        since, last = self._watched[job_id]
        return now - last >= max(self._interval, last - since)

    def _look_at(self, job: Job) -> int:
        """Remove the versions that an ended job left without a row. An ended job adds no row any more.

        A version that the document's record names had a row: the index lost it, and `repair` brings it back.
        """
        if job.raw_hash is None:
            return 0
        stored = self._artifacts.versions(job.raw_hash)
        rows = {one.version for one in self._index.versions.of_document(document_id_for(job.raw_hash))}
        unnamed = [number for number in stored if number not in rows]
        if not unnamed:
            return 0
        kept = recorded_versions(record_of(self._artifacts, job.raw_hash))
        removed = 0
        for number in unnamed:
            if number not in kept and self._is_of(job, job.raw_hash, number):
                removed += remove_unnamed(self._artifacts, self._index, job.raw_hash, number)
        return removed

    def _is_of(self, job: Job, raw_hash: str, number: int) -> bool:
        try:
            return self._artifacts.manifest(raw_hash, number).job_id == job.job_id
        except (LibraryDamaged, UsageError):
            return False  # `verify-store` lists a damaged version; a missing one was removed just now
