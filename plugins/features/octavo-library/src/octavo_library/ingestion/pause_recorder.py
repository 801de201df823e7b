"""Records the pauses of this process in the index, so that other processes can show them (ENG-30)."""

from __future__ import annotations

import logging
from collections.abc import Callable
from concurrent.futures import Future

from octavo_contracts import OctavoError
from sqlalchemy.exc import SQLAlchemyError

from ..storage import Index
from .commit_queue import CommitQueue
from .events import EngineEvent, Paused, Resumed

_log = logging.getLogger("octavo.ingestion")


class PauseRecorder:
    """Listens to the events of an engine. The writer thread writes: an event is emitted while a lock is held.

    Args:
        commits: the queue of the writer thread.
        owner: this process, as the owner of its jobs.
    """

    def __init__(self, commits: CommitQueue, *, owner: str) -> None:
        self._commits = commits
        self._owner = owner
        self._is_recorded = False

    def __call__(self, event: EngineEvent, /) -> None:
        """Record the beginning or the end of a pause."""
        owner = self._owner
        if isinstance(event, Paused):
            cause, value, resumes_at, advice = event.cause.value, event.value, event.resumes_at, event.advice
            self._is_recorded = True
            self._submit(
                lambda index: index.pauses.begin(owner, cause, value=value, resumes_at=resumes_at, advice=advice)
            )
        elif isinstance(event, Resumed):
            ended = event.cause.value
            self._submit(lambda index: index.pauses.end(owner, ended))

    def close(self) -> None:
        """Remove the pauses of this process, which closes the library."""
        if self._is_recorded:
            self._submit(lambda index: index.pauses.end(self._owner))

    def _submit(self, write: Callable[[Index], None]) -> None:
        try:
            self._commits.submit(write).add_done_callback(_warn)
        except OctavoError as error:  # the library was closed meanwhile
            _log.debug("a pause is not recorded: %s", error)


def _warn(done: Future[None]) -> None:
    error = done.exception() if not done.cancelled() else None
    if isinstance(error, OctavoError | SQLAlchemyError):
        _log.warning("a pause cannot be recorded for other processes: %s", error)
