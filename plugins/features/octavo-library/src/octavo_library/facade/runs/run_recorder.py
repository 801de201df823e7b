"""Records runs in the index: the request at the start, and the outcome at the end."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from threading import Event
from typing import Any, Protocol

from ...ingestion.events import EngineEvent, RunFinished
from ...ingestion.requests import IngestRequest
from ...storage import NewRun, RunEnd
from ..context import LibraryContext


class Answered(Protocol):
    """A finished document of a run."""

    @property
    def was_attempted(self) -> bool:
        """Whether the run started it."""


def new_run(
    context: LibraryContext,
    request: IngestRequest,
    *,
    total: int | None,
    workers: int | None,
    options: Mapping[str, Any],
    sources: tuple[str, ...] = (),
    retry_of: str | None = None,
) -> NewRun:
    """Build the record of a new run.

    Args:
        context: the library's parts.
        request: the request.
        total: number of its documents, if known.
        workers: documents converted in parallel; None: the settings'.
        options: the caller's options.
        sources: the arguments of the user.
        retry_of: the run that it retries.
    """
    return NewRun(
        surface=request.surface,
        corpus_id=request.corpus_id,
        sources=sources,
        options={name: value for name, value in options.items() if value is not None},
        engine_set=context.runtime.catalogue.fingerprint(),
        retry_of=retry_of,
        workers=workers or context.runtime.settings.workers or 0,
        total=total,
        commit_policy=str(context.runtime.settings.engine.commits.of(total or 0)),
    )


@contextmanager
def recording(
    context: LibraryContext, new: NewRun, *, run_id: str, stop: Event
) -> Iterator[Callable[[Answered], None]]:
    """Record the start and the end of a run.

    Args:
        context: the library's parts.
        new: its record.
        run_id: its id in the engine.
        stop: set if the run is stopped.

    Returns:
        A function to call with each finished document.
    """
    index = context.index
    index.runs.start(new, run_id=run_id, owner=context.artifacts.owner)
    answered: Counter[bool] = Counter()
    ends: list[RunFinished] = []
    leave = context.events.subscribe(lambda event: _keep_end(event, run_id, ends))
    ended: RunEnd = "failed"
    try:
        yield lambda one: answered.update([one.was_attempted])
        ended = "stopped" if stop.is_set() else "finished"
    except GeneratorExit:  # the caller stopped reading the results
        ended = "stopped"
        raise
    finally:
        leave()
        context.index.runs.end(
            run_id,
            ended,
            total=max(answered.total(), new.total or 0),
            not_attempted=answered[False],
            bottleneck=ends[0].bottleneck if ends else None,
        )


def _keep_end(event: EngineEvent, run_id: str, ends: list[RunFinished]) -> None:
    if isinstance(event, RunFinished) and event.run_id == run_id:
        ends.append(event)
