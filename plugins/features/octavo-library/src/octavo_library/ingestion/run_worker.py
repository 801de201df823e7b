"""The part of a run that its threads do: one document at a time, read, converted and stored (ENG-14, ENG-15)."""

from __future__ import annotations

import os
import threading
import time
from concurrent.futures import Future
from dataclasses import dataclass

from octavo.conversion.results import open_source, unreadable
from octavo.documents.source import printable
from octavo.sandbox import Cancelled
from octavo.settings.step_names import StepName
from octavo_contracts import NotAttempted, OctavoError, SourceChanged, file_ref

from ..storage import Job, document_id_for
from .claimed_job import Task
from .engine import Engine
from .events import StepFinished
from .job_completion import now_text
from .requests import Answer, Given, IngestRequest, Processed, cancelled
from .version_writer import Ending


@dataclass(frozen=True, slots=True)
class Item:
    """A source on its way."""

    given: Given
    raw_hash: str | None

    @property
    def path_ref(self) -> str:
        """Where it stands, as a reference."""
        return file_ref(os.fspath(self.given))


@dataclass(frozen=True, slots=True)
class Claimed:
    """An item whose job is ours."""

    item: Item
    job: Job
    since: float
    above: int


@dataclass(frozen=True, slots=True)
class Converted:
    """An item whose files are stored, and whose end the writer has."""

    item: Item
    ending: Ending
    since: float
    committed: Future[Job]


@dataclass(frozen=True, slots=True)
class Settled:
    """An item that there is an answer to.

    Attributes:
        item: the item.
        processed: what came of it.
        is_held: whether the run had taken its turn, and has to give it back.
    """

    item: Item
    processed: Processed
    is_held: bool = False


class Workbench:
    """Works on the documents of one run; called from several threads.

    Args:
        engine: the engine it is a run of.
        request: how the documents come in, with the run's id.
        stop: set to end the run.
    """

    def __init__(self, engine: Engine, request: IngestRequest, *, stop: threading.Event) -> None:
        self._engine = engine
        self._request = request
        self._stop = stop

    def take(self, item: Item) -> Settled:
        """The long way, one document by itself: for what is not plainly new."""
        if self._stop.is_set():
            return Settled(item, not_attempted(item.given)[1])
        return Settled(item, self._engine.ingestor.take(item.given, self._request))

    def convert(self, claimed: Claimed) -> Settled | Converted:
        """Convert a claimed document and store its files; what is new and whole is left to the writer to end.

        Raises:
            StorageError: the library cannot be written; the job is let go of.
        """
        item, job = claimed.item, claimed.job
        waited = time.monotonic() - claimed.since
        self._engine.events.emit(
            StepFinished(
                run_id=self._request.run_id,
                job_id=job.job_id,
                step=StepName.CONVERT,
                waited=waited,
                seconds=0.0,
                outcome="ok",
            )
        )
        with self._engine.claims.held(job):
            try:
                source = open_source(item.given, name=None).without_name()  # as `Incoming.open`
            except OctavoError as error:
                return self._vanished(claimed, error)
            with source:
                if source.raw_file_hash != item.raw_hash:
                    return self._changed(claimed)
                task = Task(
                    job=job,
                    source=source,
                    request=self._request,
                    path_ref=item.path_ref,
                    started=now_text(),
                    above=claimed.above,
                )
                try:
                    ending = self._engine.trying.work(task)
                except Cancelled:
                    self._engine.writer.call(lambda index: index.jobs.release(job))
                    processed = Processed(
                        document_id=document_id_for(source.raw_file_hash), reused=False, result=cancelled(source)
                    )
                    return Settled(item, processed, is_held=True)
                if ending.outcome is not None:
                    processed = self._engine.ingestor.end(ending)
                    return Settled(item, processed, is_held=True)
            committed = self._engine.writer.submit(ending.end, urgent=self._engine.writer.policy.size == 1)
        return Converted(item, ending, claimed.since, committed)

    def _vanished(self, claimed: Claimed, error: OctavoError) -> Settled:
        """Its bytes were there when they were hashed. The job ends; nothing is known of the document."""
        result = unreadable(error, source=claimed.item.given, name=None)
        reason = result.failure_receipts[0].reason_code
        sighting = self._request.sighting(claimed.item.path_ref)
        self._engine.writer.call(
            lambda index: index.jobs.finish_failure(
                claimed.job, reason=reason, result_json=result.to_json(), sighting=sighting
            )
        )
        processed = Processed(document_id=None, reused=False, result=result)
        return Settled(claimed.item, processed, is_held=True)

    def _changed(self, claimed: Claimed) -> Settled:
        """Other bytes stand there than were hashed: the job of the old ones ends, the new ones go the long way."""
        error = SourceChanged("the file changed between hashing and reading", source=str(claimed.item.given))
        result = unreadable(error, source=claimed.item.given, name=None)
        reason = result.failure_receipts[0].reason_code
        self._engine.writer.call(
            lambda index: index.jobs.finish_failure(claimed.job, reason=reason, result_json=result.to_json())
        )
        processed = self._engine.ingestor.take(claimed.item.given, self._request)
        return Settled(claimed.item, processed, is_held=True)


def not_attempted(given: Given) -> Answer:
    """The answer to a source whose turn did not come, as the run was cancelled."""
    shown = printable(os.fspath(given))
    result = unreadable(NotAttempted("the run was cancelled", source=shown), source=given, name=None)
    return given, Processed(document_id=None, reused=False, result=result)
