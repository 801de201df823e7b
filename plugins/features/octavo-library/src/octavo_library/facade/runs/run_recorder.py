"""Records runs in the index: what was asked for when one begins, and how it ends."""

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
    """A document that a run answered."""

    @property
    def was_attempted(self) -> bool:
        """Whether the run came to it."""


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
    """What is recorded of a run that begins.

    Args:
        context: the library's parts.
        request: how its documents come in.
        total: its documents, where that is known.
        workers: documents converted at once; None: the settings'.
        options: what the caller asked for.
        sources: what the user named.
        retry_of: the run that it repeats.
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
    )


@contextmanager
def recording(
    context: LibraryContext, new: NewRun, *, run_id: str, stop: Event
) -> Iterator[Callable[[Answered], None]]:
    """Note that a run begins, and how it ends.

    Args:
        context: the library's parts.
        new: what to note of it.
        run_id: the engine's id of it.
        stop: set where it is cut short.

    Returns:
        Call it with each document that was answered.
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
    except GeneratorExit:  # whoever read the answers has left
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
