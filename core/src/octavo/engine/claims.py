"""Who works on which job: start one, take over a dead owner's, let go (ENG-6, ENG-22)."""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress

from octavo_contracts import TERMINAL_STATES, IngestionState, Intent, OctavoError
from sqlalchemy.exc import SQLAlchemyError

from ..runtime import Runtime
from ..store import ArtifactStore, Index, Job, NewJob, document_id_for
from .recovery import Recovery
from .requests import IngestRequest
from .turns import WAIT_SECONDS, raise_if

_S = IngestionState
BEGIN = (_S.HASH_CHECKED, _S.SOURCE_STORED, _S.CONVERSION_PENDING)
"""What a new job passes through before anything is converted."""


class Claims:
    """Starts and takes over jobs for one opening of a library. Thread-safe.

    Args:
        runtime: whose engines a stored failure depends on.
        artifacts: the library's files; its owner becomes the jobs'.
        index: the library's index.
        recovery: finishes what a dead owner had stored.
        on_claim: called whenever a job was claimed.
    """

    def __init__(
        self,
        runtime: Runtime,
        artifacts: ArtifactStore,
        index: Index,
        recovery: Recovery,
        *,
        on_claim: Callable[[], None],
    ) -> None:
        self._runtime = runtime
        self._artifacts = artifacts
        self._index = index
        self._recovery = recovery
        self._on_claim = on_claim

    def engine_set(self, request: IngestRequest) -> str:
        """What a stored failure depends on: the installed engines, and the plugin that was asked for."""
        asked = "".join(f"/{plugin}" for plugin, _ in request.options.overrides)
        return self._runtime.catalogue.fingerprint() + asked

    def new_job(self, raw_hash: str, intent: Intent, request: IngestRequest, path_ref: str | None) -> NewJob:
        """The job to start for a document."""
        return NewJob(
            raw_hash=raw_hash,
            intent=intent,
            source_instance_id=request.instance_id(document_id_for(raw_hash)),
            engine_set=self.engine_set(request),
            request_json=json.dumps({"path": path_ref, "surface": request.surface, "corpus_id": request.corpus_id}),
            steps=BEGIN,
            unless_converted=intent is Intent.INGEST,
        )

    def claim(self, raw_hash: str, intent: Intent, request: IngestRequest, path_ref: str | None) -> Job | None:
        """Start the job, or take over a dead owner's.

        Returns:
            The claimed job in `conversion_pending`; None where it was finished while we waited.
        """
        new = self.new_job(raw_hash, intent, request, path_ref)
        self._on_claim()
        while True:
            job, is_new = self._index.start_job(new, owner=self._artifacts.owner)
            if is_new:
                return job
            if job.state in TERMINAL_STATES:
                return None
            if self._is_free(job):
                claimed = self._index.claim(job, owner=self._artifacts.owner)
                if claimed is None:
                    continue
                if self._recovery.adopt(claimed):
                    return None
                if job.owner not in (None, self._artifacts.owner):
                    claimed = self._recovery.interrupted(claimed)
                if claimed.state is _S.CONVERSION_FAILED:
                    claimed = self._index.advance(claimed, _S.CONVERSION_PENDING)
                return claimed
            raise_if(request.options.cancel)
            time.sleep(WAIT_SECONDS)

    def _is_free(self, job: Job) -> bool:
        """Whether nobody is at work on a job. One of our own is left over: this thread alone has the document."""
        return job.owner is None or job.owner == self._artifacts.owner or not self._artifacts.is_alive(job.owner)

    @contextmanager
    def held(self, job: Job) -> Iterator[None]:
        """Let go of a job that an unexpected error left open, so that the document can be taken in again."""
        try:
            yield
        except BaseException:
            with suppress(OctavoError, SQLAlchemyError):  # the first error is the one to report
                now = self._index.job(job.job_id)
                if now.owner == self._artifacts.owner:
                    self._index.release(now)
            raise
