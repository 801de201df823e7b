"""Registry of follow-ups: work on a document after a version of it is stored, and the function that runs it.

A follow-up has its own jobs, which are opened in the transaction that completes the document's job: if the host is
killed in between, the next process that opens the library resumes them (ENG-6). Ingestion knows no follow-up by name:
the engine receives a list.
"""

from __future__ import annotations

import json
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

MARK = "follow_up"
"""Key of a job's request: the follow-up to which the job belongs, where its intent does not tell."""

_log = logging.getLogger("octavo.ingestion")


@dataclass(frozen=True, kw_only=True, slots=True)
class Arrival:
    """An ingested document, or a new version of one, as seen by the transaction that records it.

    Attributes:
        document_id: the document.
        request: the request.
        intent: the purpose of its job; `INGEST` for a known document that was ingested again.
        has_attachments: whether it may have attachments.
        version: the facts of its new active version; None if no version became the active one.
    """

    document_id: str
    request: IngestRequest
    intent: Intent = Intent.INGEST
    has_attachments: bool = False
    version: DocumentFacts | None = None


@dataclass(frozen=True, kw_only=True, slots=True)
class Completion:
    """The completion of a job, to be committed.

    Attributes:
        completed: the index rows to write.
        request: the request of the job.
    """

    completed: CompletedJob
    request: IngestRequest

    @property
    def arrival(self) -> Arrival | None:
        """The version that the job stored; None for a failure."""
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
        """The jobs to open in the transaction that records an arrival; may also write their rows to the index."""

    def is_due(self, processed: ProcessedDocument, request: IngestRequest, /) -> bool:
        """Whether a document may need this follow-up. Called for each document, so it reads only its arguments."""

    def run(
        self, processed: ProcessedDocument, request: IngestRequest, /, *, intent: Intent, patient: bool
    ) -> ProcessedDocument:
        """Run the follow-up for a document and complete its jobs.

        Args:
            processed: the result of the document.
            request: the request.
            intent: the purpose of the conversion.
            patient: whether to wait while another worker has what the follow-up needs.

        Returns:
            The result of the document, including that of the follow-up.

        Raises:
            Busy: the caller is not patient, and would have to wait.
            OctavoError: the follow-up failed, and no job records the failure.
        """

    def owns(self, job: Job, /) -> bool:
        """Whether an open job belongs to this follow-up and must be resumed: no caller will request it again."""

    def resume(self, job: Job, request: IngestRequest, /) -> IngestRequest | None:
        """Resume a job of this follow-up.

        Args:
            job: the job, which has no owner.
            request: its request.

        Returns:
            The request by which to ingest its document now; None: the job has ended, or another process has it.

        Raises:
            OctavoError: as `run`.
        """


def follow_up_of(job: Job) -> str | None:
    """The follow-up that marked a job as its own in the job's request; None if none did."""
    marked: str | None = json.loads(job.request_json or "{}").get(MARK)
    return marked


class FollowUps:
    """The follow-ups of one engine, in the order in which they run. Thread-safe once all are registered.

    Args:
        owner: owner of the jobs that this process opens for itself, as `ArtifactStore.owner`.
    """

    def __init__(self, owner: str) -> None:
        self._owner = owner
        self._all: list[FollowUp] = []

    def register(self, follow_up: FollowUp) -> None:
        """Add a follow-up; it runs after those that are registered already."""
        self._all.append(follow_up)

    def complete(self, index: Index, completions: Sequence[Completion]) -> list[Job]:
        """Complete jobs and open those of their follow-ups, in the caller's transaction: all of them, or none.

        Raises:
            OctavoError: as `Index.jobs.complete`.
        """
        completed = index.jobs.complete([one.completed for one in completions])
        self.open_jobs(index, [one.arrival for one in completions if one.arrival is not None])
        return completed

    def open_jobs(self, index: Index, arrivals: Sequence[Arrival]) -> None:
        """Open the jobs of the follow-ups, in the transaction that records the arrivals."""
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
        """Run the follow-ups that are due for a document, in order.

        Args:
            processed: the result of the document.
            request: the request.
            intent: the purpose of the conversion.
            patient: whether to wait while another worker has what a follow-up needs.
            job: the completed job, if no caller waits for a result: errors are then logged, not raised.

        Returns:
            The result of the document, including those of the follow-ups.

        Raises:
            Busy: the caller is not patient, and would have to wait.
            OctavoError: a follow-up failed, and no job records the failure.
        """
        for one in self._all:
            if not one.is_due(processed, request):
                continue
            try:
                processed = one.run(processed, request, intent=intent, patient=patient)
            except OctavoError as error:
                if job is None:
                    raise
                _log.warning("job %s has ended, but a follow-up of its document failed: %s", job.job_id, error)
        return processed

    def run_behind(
        self,
        found: Generator[SourceResult, None, None],
        request: IngestRequest,
        *,
        workers: int,
        stop: threading.Event,
    ) -> Generator[SourceResult, None, None]:
        """Pass the results of a run on, each after its follow-ups.

        A follow-up never waits for a lock during the run: the run itself may hold it, or the run of another process may
        wait for this one (deadlock). Results whose follow-ups would have to wait come last, when the run holds no lock.

        Args:
            found: the results.
            request: the request.
            workers: documents processed in parallel.
            stop: set to end the run.
        """
        late: dict[int, SourceResult] = {}

        def is_due(processed: ProcessedDocument) -> bool:
            return self.is_due(processed, request)

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

    def is_due(self, processed: ProcessedDocument, request: IngestRequest) -> bool:
        """Whether a document may need a follow-up."""
        return any(one.is_due(processed, request) for one in self._all)

    def owner_of(self, job: Job) -> FollowUp | None:
        """The follow-up to which a job belongs; None for a requested ingestion or reconversion."""
        return next((one for one in self._all if one.owns(job)), None)
