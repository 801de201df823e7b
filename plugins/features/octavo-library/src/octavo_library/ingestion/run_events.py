"""Reports the beginning and the end of a run, whoever converts its documents."""

from __future__ import annotations

from .engine import Engine
from .events import RunFinished, RunStarted
from .requests import IngestRequest
from .run_stats import RunStats


def emit_start(engine: Engine, request: IngestRequest, *, run_id: str, total: int | None) -> None:
    """Report that a run begins."""
    engine.events.emit(
        RunStarted(
            run_id=run_id,
            total=total,
            surface=request.surface,
            corpus_id=request.corpus_id,
            commit_policy=str(engine.settings.commits.of(total or 0)),
        )
    )


def emit_end(engine: Engine, tally: RunStats, done: int, *, run_id: str, seconds: float, complete: bool) -> None:
    """Report that a run has ended, and keep what limited it."""
    bottleneck = tally.bottleneck(seconds=seconds, places=engine.pools.sizes())
    engine.last_bottleneck = bottleneck
    engine.events.emit(
        RunFinished(
            run_id=run_id,
            done=done,
            seconds=seconds,
            stopped=not complete,
            bottleneck=str(bottleneck) if bottleneck else None,
            degraded=tally.degraded,
            unwatched=engine.throttle.unwatched(),
        )
    )
