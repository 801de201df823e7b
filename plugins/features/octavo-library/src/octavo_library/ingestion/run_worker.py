"""The work of a run's threads on one source, with its inputs and results (ENG-14, ENG-15)."""

from __future__ import annotations

import os
import threading
import time
from dataclasses import dataclass

from octavo.settings.step_names import StepName
from octavo_contracts import OctavoError, file_ref
from octavo_sandbox import Cancelled
from sqlalchemy.exc import SQLAlchemyError

from ..storage import Job
from .completions import Committing
from .engine import Engine
from .events import StepFinished
from .requests import Given, IngestRequest, ProcessedDocument
from .settled import failed, not_attempted


@dataclass(frozen=True, slots=True)
class Item:
    """A source of a run; `raw_hash` is None if it must be opened first: a URL, or a file that cannot be read."""

    given: Given
    raw_hash: str | None

    @property
    def path_ref(self) -> str:
        """Its path as a reference."""
        return file_ref(os.fspath(self.given))


@dataclass(frozen=True, slots=True)
class Claimed:
    """An item whose job this run has claimed, the time of the claim, and the highest version number of its document."""

    item: Item
    job: Job
    since: float
    above: int


@dataclass(frozen=True, slots=True)
class Worked:
    """The result of an item, or its completion, which waits to be committed.

    Attributes:
        item: the item.
        made: the result or the completion.
        claimed: the claim; None for an item that was ingested singly, so that the run does not hold its lock.
    """

    item: Item
    made: ProcessedDocument | Committing
    claimed: Claimed | None = None


class RunWorker:
    """Processes the sources of one run; called from several threads.

    Args:
        engine: the engine of the run.
        request: the request, with the run's id.
        stop: set to end the run.
    """

    def __init__(self, engine: Engine, request: IngestRequest, *, stop: threading.Event) -> None:
        self._engine = engine
        self._request = request
        self._stop = stop

    def take(self, item: Item) -> Worked:
        """Ingest one document singly, unless it is certain to be new."""
        if self._stop.is_set():
            return Worked(item, not_attempted(item.given))
        return Worked(item, self._engine.ingestor.take(item.given, self._request))

    def convert(self, claimed: Claimed) -> Worked:
        """Convert a claimed document and store its files; its completion may wait for a group."""
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
        made = self._engine.ingestor.convert_claimed(
            job,
            item.given,
            self._request,
            path_ref=item.path_ref,
            above=claimed.above,
            urgent=self._engine.commits.policy.size == 1,
        )
        return Worked(item, made, claimed)

    def settle(self, item: Item, made: Committing, error: Exception, *, since: float) -> Worked:
        """Repeat a commit that the index refused, or fail its document."""
        job = made.pending.claimed.job
        claimed = Claimed(item, job, since, above=0)
        settled = self._engine.completer.settle_submitted(made, error)
        try:
            with self._engine.claims.held(job):
                settled.committed.result()
        except Cancelled as cancelled:
            return Worked(item, failed(cancelled, item.given), claimed)
        except (OctavoError, SQLAlchemyError):
            pass  # raised where the commit is awaited
        return Worked(item, settled, claimed)
