"""What is done for a document once a version of it is stored: the registry of follow-ups, and the one function that runs them.

A follow-up has jobs of its own, which are opened in the transaction that completes the document's job: whoever opens the
library next goes on where a host was killed in between (ENG-6). Ingestion knows none of them by name: the engine is given
a list.
"""

from __future__ import annotations

import logging
import threading
from collections.abc import Generator, Sequence
from contextlib import closing
from dataclasses import dataclass
from typing import Protocol

from octavo_contracts import Intent, OctavoError

from ..storage import CompletedJob, DocumentFacts, Index, Job, NewJob, document_id_for
from .claimed_job import Busy
from .parallel_map import behind
from .requests import IngestRequest, ProcessedDocument, SourceResult

_log = logging.getLogger("octavo.ingestion")


@dataclass(frozen=True, kw_only=True, slots=True)
class Arrival:
    """A document that came in, or a new version of one, as the transaction that records it sees it.

    Attributes:
        document_id: the document.
        request: how it came in.
        intent: what its job was for; `INGEST` for a known document that came again.
        has_attachments: whether documents may have come inside it.
        version: what its new active version says of it; None where no version became the active one.
    """

    document_id: str
    request: IngestRequest
    intent: Intent = Intent.INGEST
    has_attachments: bool = False
    version: DocumentFacts | None = None


@dataclass(frozen=True, kw_only=True, slots=True)
class Completion:
    """The end of a job, to be committed.

    Attributes:
        completed: everything that is true from then on.
        request: how its document came in.
    """

    completed: CompletedJob
    request: IngestRequest

    @property
    def arrival(self) -> Arrival | None:
        """The version that arrives with it; None for a failure."""
        conversion, document = self.completed.conversion, self.completed.document
        if conversion is None or document is None:
            return None
        return Arrival(
            document_id=document_id_for(document.raw_hash),
            request=self.request,
            intent=self.completed.job.intent,
            has_attachments=bool(self.completed.attachments),
            version=document if conversion.activate else None,
        )


class FollowUp(Protocol):
    """Work on a document that follows its conversion. Thread-safe."""

    def jobs_for(self, index: Index, arrival: Arrival, /) -> Sequence[NewJob]:
        """The jobs to open in the transaction that records an arrival; it may write what belongs to them as well."""

    def is_due(self, processed: ProcessedDocument, request: IngestRequest, /) -> bool:
        """Whether there may be something to do for a document; called for each, so it only looks at the two."""

    def run(
        self, processed: ProcessedDocument, request: IngestRequest, /, *, intent: Intent, patient: bool
    ) -> ProcessedDocument:
        """Do what is due for a document, and complete the jobs for it.

        Args:
            processed: what came of the document.
            request: how it came in.
            intent: what it was converted for.
            patient: whether to wait while somebody else is at work on what it needs.

        Returns:
            What came of the document, with what was done.

        Raises:
            Busy: the caller is not patient, and would have to wait.
            OctavoError: it could not be done, and no job says so.
        """

    def owns(self, job: Job, /) -> bool:
        """Whether an open job is of this follow-up, so that it goes on by itself: no caller would ask for it again."""

    def resume(self, job: Job, request: IngestRequest, /) -> IngestRequest | None:
        """Go on with a job of this follow-up.

        Args:
            job: the job, which nobody has.
            request: how it was asked for.

        Returns:
            How its document is to be ingested now; None: the job has ended, or another process has it.

        Raises:
            OctavoError: as `run`.
        """


class FollowUps:
    """The follow-ups of one engine, in the order in which they run. Thread-safe once all are registered.

    Args:
        owner: of the jobs that this process opens for itself, as `ArtifactStore.owner`.
    """

    def __init__(self, owner: str) -> None:
        self._owner = owner
        self._all: list[FollowUp] = []

    def register(self, follow_up: FollowUp) -> None:
        """Add one; it runs after those that are there."""
        self._all.append(follow_up)

    def complete(self, index: Index, completions: Sequence[Completion]) -> list[Job]:
        """Complete jobs and open those that follow, in the caller's transaction: all of them, or none.

        Raises:
            OctavoError: as `Index.jobs.complete`.
        """
        completed = index.jobs.complete([one.completed for one in completions])
        self.open_jobs(index, [one.arrival for one in completions if one.arrival is not None])
        return completed

    def open_jobs(self, index: Index, arrivals: Sequence[Arrival]) -> None:
        """Open the jobs that follow, in the transaction that records the arrivals."""
        new = [job for arrival in arrivals for one in self._all for job in one.jobs_for(index, arrival)]
        if new:
            index.jobs.start_many(new, owner=self._owner)

    def run(
        self,
        processed: ProcessedDocument,
        request: IngestRequest,
        *,
        intent: Intent = Intent.INGEST,
        patient: bool = True,
        job: Job | None = None,
    ) -> ProcessedDocument:
        """Run what is due for a document: each follow-up, in order.

        Args:
            processed: what came of the document.
            request: how it came in.
            intent: what it was converted for.
            patient: whether to wait while somebody else is at work on what a follow-up needs.
            job: the job that has ended, where nobody waits for an answer: errors are logged then.

        Returns:
            What came of the document, with what was done.

        Raises:
            Busy: the caller is not patient, and would have to wait.
            OctavoError: a follow-up could not be run, and no job says so.
        """
        for one in self._all:
            if not one.is_due(processed, request):
                continue
            try:
                processed = one.run(processed, request, intent=intent, patient=patient)
            except OctavoError as error:
                if job is None:
                    raise
                _log.warning(
                    "job %s has ended, and what else was asked of its document was not done: %s", job.job_id, error
                )
        return processed

    def run_behind(
        self,
        found: Generator[SourceResult, None, None],
        request: IngestRequest,
        *,
        workers: int,
        stop: threading.Event,
    ) -> Generator[SourceResult, None, None]:
        """Pass the answers of a run on, each with its follow-ups done.

        Nobody is waited for while the run goes on: it may hold the very document, or another process's run may wait for
        this one. Answers that somebody else is in the way of come last, when the run holds nothing any more.

        Args:
            found: the answers.
            request: how the documents came in.
            workers: documents worked on at once.
            stop: set to end the run.
        """
        late: dict[int, SourceResult] = {}

        def is_due(processed: ProcessedDocument) -> bool:
            return any(one.is_due(processed, request) for one in self._all)

        def work(answer: SourceResult) -> SourceResult:
            given, processed = answer
            try:
                return given, self.run(processed, request, patient=False)
            except Busy:
                late[id(answer)] = answer
                return answer

        with closing(behind(found, is_due=is_due, work=work, workers=workers, stop=stop)) as answers:
            for answer in answers:
                if id(answer) not in late:
                    yield answer
        for given, processed in late.values():
            yield given, self.run(processed, request)

    def owner_of(self, job: Job) -> FollowUp | None:
        """The follow-up whose job it is; None for an ingestion or a reconversion that somebody asked for."""
        return next((one for one in self._all if one.owns(job)), None)
