"""Versions whose completion was refused, because another process had taken the job over (ENG-6)."""

from __future__ import annotations

import logging
import threading
from concurrent.futures import Future
from dataclasses import dataclass

from octavo_contracts import TERMINAL_STATES, IllegalTransition, OctavoError, UsageError

from ..storage import ArtifactStore, CompletedJob, Index, Job
from .unnamed_versions import remove_unnamed

_log = logging.getLogger("octavo.ingestion")


@dataclass(frozen=True, slots=True)
class _Fenced:
    job_id: str
    raw_hash: str
    version: int


class FencedVersions:
    """Removes the versions that this process stored in vain. Thread-safe.

    While the job is open, its new owner may still adopt such a version. Once the job has ended without it, nothing names it.

    Args:
        artifacts: the library's files.
        index: the library's index.
    """

    def __init__(self, artifacts: ArtifactStore, index: Index) -> None:
        self._artifacts = artifacts
        self._index = index
        self._lock = threading.Lock()
        self._found: list[_Fenced] = []

    def watch(self, completed: CompletedJob, committed: Future[Job]) -> None:
        """Note the version of a completion if its commit is refused."""
        conversion, raw_hash = completed.conversion, completed.job.raw_hash
        if conversion is None or raw_hash is None:
            return
        fenced = _Fenced(completed.job.job_id, raw_hash, conversion.version)

        def note(done: Future[Job]) -> None:
            if isinstance(done.exception(), IllegalTransition):
                with self._lock:
                    self._found.append(fenced)

        committed.add_done_callback(note)

    def sweep(self) -> None:
        """Remove the noted versions whose jobs have ended without them; the others stay noted."""
        with self._lock:
            found, self._found = self._found, []
        for at, fenced in enumerate(found):
            try:
                is_settled = self._settle(fenced)
            except OctavoError as error:
                _log.warning("cannot remove a version that was stored in vain yet: %s", error)
                with self._lock:
                    self._found += found[at:]
                return
            if not is_settled:
                with self._lock:
                    self._found.append(fenced)

    def _settle(self, fenced: _Fenced) -> bool:
        try:
            if self._index.jobs.get(fenced.job_id).state not in TERMINAL_STATES:
                return False
        except UsageError:
            pass  # the document was purged; this version may have been stored after that
        is_stored = self._artifacts.has_version(fenced.raw_hash, fenced.version)
        return not is_stored or remove_unnamed(self._artifacts, self._index, fenced.raw_hash, fenced.version)
