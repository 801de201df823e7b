"""What a library offers for runs. `Library` is built on it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from threading import Event
from typing import TYPE_CHECKING, Any, Literal

from octavo_contracts import UsageError

from ...ingestion.events import EngineEvent, RunFinished
from ...storage import ArtifactStore, Index, NewRun, OpenCase, RunCounts, RunEnd, RunRecord, Status, StepCount
from ..engine_status import HasEngine
from .estimates import Band, intervals, total_of

if TYPE_CHECKING:
    from ...ingestion.requests import IngestRequest
    from ...runtime import Runtime
    from ..results import Ingested

_ALL_DONE = (
    "All that was given to it is converted. What failed inside a message is tried again with it: ingest it with --retry"
)

Condition = Literal["running", "finished", "stopped", "failed", "interrupted"]
"""At work; ended by itself; cut short by the user; ended by an error; its process is gone."""


@dataclass(frozen=True, kw_only=True)
class Run:
    """A run as it was when it was asked for.

    Attributes:
        record: what was asked for and when.
        corpus: name of the corpus, or None.
        condition: see `Condition`.
        seconds: wall time so far; None for an interrupted run, whose end nobody saw.
        counts: what came of the sources in the run.
        status: how it stands with them today.
        steps: how often its jobs entered each state.
        wall: wall time that the whole run takes, seconds.
        cost: what its model calls cost, in the unit that the steps count in; apart from time, as neither says
            anything of the other.
        open_cases: what is not converted to this day.
        failed_reconversions: known documents that the run was to convert again, and that are as they were: why.
    """

    record: RunRecord
    corpus: str | None
    condition: Condition
    seconds: float | None
    counts: RunCounts
    status: Status
    steps: tuple[StepCount, ...]
    wall: Band | None
    cost: Band | None
    open_cases: tuple[OpenCase, ...]
    failed_reconversions: tuple[OpenCase, ...]

    @property
    def id(self) -> str:
        """Its id."""
        return self.record.run_id


class HasRuns(HasEngine):
    """The part of `Library` that knows runs."""

    artifacts: ArtifactStore
    index: Index
    runtime: Runtime

    def runs(self, *, limit: int = 20) -> list[tuple[RunRecord, Condition, RunCounts]]:
        """Runs, the newest first, with how each ended and what came of its sources."""
        records = self.index.list_runs(limit=limit)
        counts = self.index.run_counts([record.run_id for record in records])
        return [(record, self._condition(record), counts[record.run_id]) for record in records]

    def run(self, ref: str) -> Run:
        """Everything known of a run.

        Args:
            ref: its id, four or more of its first digits, or "last".

        Raises:
            UsageError: none or more than one fits.
        """
        record = self.index.run(self.index.resolve_run(ref))
        counts = self.index.run_counts([record.run_id])[record.run_id]
        condition = self._condition(record)
        rest = max(0, record.total - counts.done) if condition == "running" and record.total is not None else 0
        is_guess = condition == "running" and record.total is None
        names = {corpus.corpus_id: corpus.name for corpus in self.index.list_corpora()}
        return Run(
            record=record,
            corpus=names.get(record.corpus_id or ""),
            condition=condition,
            seconds=self._seconds(record, condition),
            counts=counts,
            status=self.index.run_status(record.run_id),
            steps=self.index.run_steps(record.run_id),
            wall=None if is_guess else self._wall(record, condition, rest),
            cost=None if is_guess else total_of(self.index.run_costs(record.run_id), more=rest),
            open_cases=self.index.open_cases(record.run_id),
            failed_reconversions=self.index.failed_reconversions(record.run_id),
        )

    def to_retry(self, ref: str, *, reason: str | None = None) -> tuple[RunRecord, tuple[OpenCase, ...]]:
        """A run and what of it is not converted to this day.

        Args:
            ref: as `run`.
            reason: only what failed or waits for this reason; "interrupted" for what was cut short.

        Raises:
            UsageError: no such run, or nothing of it is left for that reason.
        """
        record = self.index.run(self.index.resolve_run(ref))
        left = self.index.open_cases(record.run_id)
        cases = tuple(case for case in left if reason in (None, case.reason))
        if not cases:
            reasons = ", ".join(sorted({case.reason for case in left}))
            raise UsageError(
                f"nothing of run {record.run_id[:8]} is left to try" + (f" for {reason!r}" if reason else ""),
                remedy=f"Reasons that are left: {reasons}" if left else _ALL_DONE,
            )
        return record, cases

    def _new_run(
        self,
        request: IngestRequest,
        *,
        total: int | None,
        workers: int | None,
        options: Mapping[str, Any],
        sources: tuple[str, ...] = (),
        retry_of: str | None = None,
    ) -> NewRun:
        """What is recorded of a run that begins."""
        return NewRun(
            surface=request.surface,
            corpus_id=request.corpus_id,
            sources=sources,
            options={name: value for name, value in options.items() if value is not None},
            engine_set=self.runtime.catalogue.fingerprint(),
            retry_of=retry_of,
            workers=workers or self.runtime.settings.workers or 0,
            total=total,
        )

    @contextmanager
    def _recording(self, new: NewRun, *, run_id: str, stop: Event) -> Iterator[Callable[[Ingested], None]]:
        """Note that a run begins, and how it ends.

        Args:
            new: what to note of it.
            run_id: the engine's id of it.
            stop: set where it is cut short.

        Returns:
            Call it with each document that was answered.
        """
        self.index.start_run(new, run_id=run_id, owner=self.artifacts.owner)
        answered: Counter[bool] = Counter()
        ends: list[RunFinished] = []
        leave = self.events.subscribe(lambda event: _keep_end(event, run_id, ends))
        ended: RunEnd = "failed"
        try:
            yield lambda one: answered.update([one.attempted])
            ended = "stopped" if stop.is_set() else "finished"
        except GeneratorExit:  # whoever read the answers has left
            ended = "stopped"
            raise
        finally:
            leave()
            self.index.end_run(
                run_id,
                ended,
                total=max(answered.total(), new.total or 0),
                not_attempted=answered[False],
                bottleneck=ends[0].bottleneck if ends else None,
            )

    # -- inside ---------------------------------------------------------------------------------------------

    def _condition(self, record: RunRecord) -> Condition:
        if record.ended is not None:
            return record.ended
        return "running" if self.artifacts.is_alive(record.owner) else "interrupted"

    def _seconds(self, record: RunRecord, condition: Condition) -> float | None:
        if condition == "interrupted":
            return None
        end = _moment(record.ended_at) if record.ended_at else datetime.now(UTC).timestamp()
        return end - _moment(record.started_at)

    def _wall(self, record: RunRecord, condition: Condition, rest: int) -> Band | None:
        seconds = self._seconds(record, condition)
        if seconds is None:
            return None
        if not rest:
            return Band(seconds, seconds)
        moments = [_moment(record.started_at), *map(_moment, self.index.run_moments(record.run_id))]
        return total_of(intervals(moments), more=rest)


def _keep_end(event: EngineEvent, run_id: str, ends: list[RunFinished]) -> None:
    if isinstance(event, RunFinished) and event.run_id == run_id:
        ends.append(event)


def _moment(text: str) -> float:
    return datetime.fromisoformat(text).timestamp()
