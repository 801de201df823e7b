"""Takes one open job up where nobody asks for it: finds its original, and how it was asked for, in the library."""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable
from dataclasses import replace

from octavo.conversion.routing import Preference
from octavo.sandbox import Cancelled
from octavo_contracts import (
    TERMINAL_STATES,
    IngestionState,
    Intent,
    OctavoError,
    UsageError,
)

from ..storage import ArtifactStore, Index, Job, document_id_for
from .attachment_ingestor import TakingIn
from .attachment_jobs import child_request, ways_in
from .follow_ups import Afterwards
from .ingestor import Ingestor
from .originals import open_original, places_of
from .requests import IngestRequest, Remembered
from .retry_scheduler import Woken

_log = logging.getLogger("octavo.ingestion")

_WELL = frozenset({IngestionState.COMPLETE, IngestionState.DEGRADED_COMPLETE})

Prefer = Callable[[str | None], tuple[tuple[str, Preference], ...]]


class Resuming:
    """Takes jobs up for one opening of a library.

    Args:
        artifacts: the library's files.
        index: the library's index, for reading.
        ingestor: converts.
        prefer: what the user's verdicts on a profile put first, as `ConvertOptions.preferences`.
        afterwards: does what else was asked of a document, on the thread that resumes.
        attached: takes in what came inside a document, on that thread.
        tries: times that a job which was cut short is begun; then it waits for a caller, as its document may be what
            ends the hosts.
    """

    def __init__(
        self,
        artifacts: ArtifactStore,
        index: Index,
        ingestor: Ingestor,
        *,
        prefer: Prefer,
        afterwards: Afterwards,
        attached: TakingIn,
        tries: int,
    ) -> None:
        self._artifacts = artifacts
        self._index = index
        self._ingestor = ingestor
        self._prefer = prefer
        self._afterwards = afterwards
        self._attached = attached
        self._tries = tries

    def __call__(self, job_id: str, request: IngestRequest | None, /, *, cancel: threading.Event) -> Woken:
        """Take a job up, unless somebody has it or it is final.

        Raises:
            StorageError: the library cannot be written; the job is let go of.
        """
        try:
            job = self._index.jobs.get(job_id)
        except UsageError:
            return Woken.ENDED  # its document was purged
        if job.state in TERMINAL_STATES or job.owner is not None or job.raw_hash is None:
            return Woken.ENDED
        if job.waiting_reason is None and job.attempts >= self._tries:
            return Woken.LEFT
        remembered = Remembered.read(job.request_json)
        if request is None:
            if remembered is None or (remembered.has_password and job.intent is not Intent.EXTRACT):
                return Woken.LEFT
            corpus = self._index.corpora.get(remembered.corpus_id) if remembered.corpus_id else None
            request = remembered.request(corpus, run_id=job.run_id)
            preferred = self._prefer(request.options.profile)
            request = replace(request, options=replace(request.options, preferences=preferred))
        request = replace(request, options=replace(request.options, cancel=cancel))
        if job.intent is Intent.EXTRACT:
            self._go_on(job, request, owed=job)
            return Woken.WAITS if cancel.is_set() else Woken.ENDED
        activate = remembered.activate if remembered is not None else None
        if request.attached is not None:
            still = self._still_owed(job, request)
            if still is None:
                return Woken.ENDED
            request = still
        try:
            woken = self._resume(job, request, path_ref=remembered.path if remembered else None, activate=activate)
        except Cancelled:
            return Woken.WAITS
        except UsageError:
            return Woken.LEFT  # its plugin or profile is not there any more
        except OctavoError:
            if self._index.jobs.get(job_id).state in TERMINAL_STATES:
                return Woken.ENDED
            raise
        if woken is Woken.ENDED and self._index.jobs.get(job_id).state in _WELL:
            if request.may_tag:
                self._go_on(job, request)
            self._take_attachments(job, request)
        return woken

    def _still_owed(self, job: Job, request: IngestRequest) -> IngestRequest | None:
        """How what came inside a document is to come in now; None, and nothing is left of it, where that was purged.

        The document may have left the corpus since (STO-12); another one may have it attached as well.
        """
        assert job.raw_hash is not None  # the caller looked
        assert request.attached is not None  # likewise
        document_id = document_id_for(job.raw_hash)
        attached = [request.attached.to, *self._index.attachments.parents_of(document_id)]
        for parent_id in attached:
            if not self._index.attachments.is_attached(document_id, to=parent_id):
                continue
            ways = ways_in(self._index, parent_id, request, intent=Intent.RECONVERT)
            if request.corpus_id in [way.corpus_id for way in ways]:
                return request
            if ways:
                return child_request(self._index, parent_id, request.attached.name, ways[0])
        self._index.purges.drop_jobs([job.job_id])
        if not self._index.documents.find_by_hash([job.raw_hash]):
            for ref in self._artifacts.originals_of(job.raw_hash):
                self._artifacts.remove(ref)
        return None

    def _take_attachments(self, job: Job, request: IngestRequest) -> None:
        assert job.raw_hash is not None  # the caller looked
        try:
            self._attached.all_of(document_id_for(job.raw_hash), request, intent=job.intent)
        except OctavoError as error:
            _log.warning(
                "job %s has ended, and not all that came inside its document was taken in: %s", job.job_id, error
            )

    def _go_on(self, job: Job, request: IngestRequest, *, owed: Job | None = None) -> None:
        assert job.raw_hash is not None  # the caller looked
        try:
            self._afterwards.do(document_id_for(job.raw_hash), request, job=owed)
        except OctavoError as error:
            _log.warning(
                "job %s has ended, and what else was asked of its document was not done: %s", job.job_id, error
            )

    def _resume(self, job: Job, request: IngestRequest, *, path_ref: str | None, activate: bool | None) -> Woken:
        assert job.raw_hash is not None  # the caller looked
        try:
            name = self._index.attachments.name_of(document_id_for(job.raw_hash))
            places = places_of(
                self._index,
                self._artifacts,
                raw_hash=job.raw_hash,
                policy=request.told_as,
                path_ref=path_ref,
                name=name,
            )
            source = open_original(places, self._artifacts, raw_hash=job.raw_hash, name=name)
        except OctavoError as error:
            # An ingestion goes on when its bytes come again; a reconversion would never be asked for again.
            if job.intent is Intent.RECONVERT and self._index.documents.find_by_hash([job.raw_hash]):
                self._ingestor.give_up(job, error, request)
                return Woken.ENDED
            return Woken.LEFT
        with source:
            return self._ingestor.resume(job, source, request, path_ref=path_ref, activate=activate)
