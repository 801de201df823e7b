"""Events of the beginning and the end of a run, for runs of this process and runs of workers."""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass

from .engine import Engine
from .events import RunFinished, RunStarted
from .requests import IngestRequest
from .run_stats import RunStats


@dataclass(slots=True)
class RunProgress:
    """How far a run has come.

    Attributes:
        done: sources with a result.
        complete: whether all sources have one.
    """

    done: int = 0
    complete: bool = False


@contextmanager
def reported(
    engine: Engine, tally: RunStats, request: IngestRequest, *, run_id: str, total: int | None
) -> Iterator[RunProgress]:
    """Report that a run begins and, when the context is left, that it has ended; `tally` counts its events in between.

    Yields:
        The progress, which the caller keeps.
    """
    leave = engine.events.subscribe(tally)
    started, progress = time.monotonic(), RunProgress()
    engine.events.emit(
        RunStarted(
            run_id=run_id,
            total=total,
            surface=request.surface,
            corpus_id=request.corpus_id,
            commit_policy=str(engine.settings.commits.of(total or 0)),
        )
    )
    try:
        yield progress
    finally:
        _emit_end(engine, tally, progress, run_id=run_id, seconds=time.monotonic() - started)
        leave()


def _emit_end(engine: Engine, tally: RunStats, progress: RunProgress, *, run_id: str, seconds: float) -> None:
    """Report that a run has ended, and keep what limited it."""
    bottleneck = tally.bottleneck(seconds=seconds, places=engine.pools.sizes())
    engine.last_bottleneck = bottleneck
    engine.events.emit(
        RunFinished(
            run_id=run_id,
            done=progress.done,
            seconds=seconds,
            stopped=not progress.complete,
            bottleneck=str(bottleneck) if bottleneck else None,
            degraded=tally.degraded,
            unwatched=engine.throttle.unwatched(),
        )
    )
