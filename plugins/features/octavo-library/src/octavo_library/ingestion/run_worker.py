"""What the threads of a run do with one source, and what they are handed and hand back (ENG-14, ENG-15)."""

from __future__ import annotations

import os
import threading
import time
from dataclasses import dataclass

from octavo.settings.step_names import StepName
from octavo_contracts import file_ref

from ..storage import Job
from .engine import Engine
from .events import StepFinished
from .ingestor import Committing
from .requests import Given, IngestRequest, ProcessedDocument
from .settled import not_attempted


@dataclass(frozen=True, slots=True)
class Item:
    """A source on its way; `raw_hash` is None where it has to be opened first: a URL, or a file that cannot be read."""

    given: Given
    raw_hash: str | None

    @property
    def path_ref(self) -> str:
        """Where it stands, as a reference."""
        return file_ref(os.fspath(self.given))


@dataclass(frozen=True, slots=True)
class Claimed:
    """An item whose job is this run's, since a time, and the highest version ever given out for its document."""

    item: Item
    job: Job
    since: float
    above: int


@dataclass(frozen=True, slots=True)
class Worked:
    """What a thread made of an item: what came of it, or the end of its job on its way to the index.

    Attributes:
        item: the item.
        made: what was made of it.
        claimed: the claim; None for an item that was taken in by itself, so that the run does not hold its turn.
    """

    item: Item
    made: ProcessedDocument | Committing
    claimed: Claimed | None = None


class RunWorker:
    """Works on the sources of one run; called from several threads.

    Args:
        engine: the engine it is a run of.
        request: how the documents come in, with the run's id.
        stop: set to end the run.
    """

    def __init__(self, engine: Engine, request: IngestRequest, *, stop: threading.Event) -> None:
        self._engine = engine
        self._request = request
        self._stop = stop

    def take(self, item: Item) -> Worked:
        """Take one document in by itself: for what is not plainly new."""
        if self._stop.is_set():
            return Worked(item, not_attempted(item.given))
        return Worked(item, self._engine.ingestor.take(item.given, self._request))

    def convert(self, claimed: Claimed) -> Worked:
        """Convert a claimed document and store its files; the end of its job may wait for a group."""
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
            urgent=self._engine.writer.policy.size == 1,
        )
        return Worked(item, made, claimed)
