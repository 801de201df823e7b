"""Runs of ingestion: the list, and one with its phases, failures and retries. Runs are the library owner's alone."""

from __future__ import annotations

from octavo_contracts import UsageError
from octavo_library import Library
from octavo_library.facade.catalogue import file_name_of
from pydantic import Field

from ..problems import NotFound
from ..screen import Query, Reader, Screen, View

MOST_CASES = 200
"""Sources that are not converted, on the page of a run."""


class RunsQuery(Query):
    """Which runs to list."""

    limit: int = Field(default=30, ge=1, le=200, description="Most runs.")


class RunRow(View):
    """A run in the list."""

    id: str = Field(description="Its id.")
    url: str = Field(description="Its page.")
    condition: str = Field(description="`running`, `finished`, `stopped`, `failed` or `interrupted`.")
    started_at: str = Field(description="When it began, UTC.")
    total: int | None = Field(description="Number of its sources, or null if unknown.")
    complete: int = Field(description="Sources that were converted without findings.")
    degraded: int = Field(description="Sources with a degraded conversion.")
    failed: int = Field(description="Sources that were not converted.")
    reused: int = Field(description="Sources that were known already.")


class RunsView(View):
    """The runs, newest first."""

    runs: list[RunRow] = Field(description="The runs.")
    throttles: list[str] = Field(description="Why new work is paused now.")


class BandView(View):
    """An estimate; both ends are equal for a measured value."""

    low: float = Field(description="Lower end.")
    high: float = Field(description="Upper end.")


class CaseView(View):
    """A source that is not converted."""

    name: str = Field(description="Its file name.")
    url: str | None = Field(description="The page of its document, or null.")
    reason: str = Field(description="Reason code, or `interrupted`.")


class RunQuery(Query):
    """A run."""

    run_id: str = Field(pattern=r"^[0-9a-f-]{8,64}$", description="Id of the run.")


class RunView(RunRow):
    """A run."""

    corpus: str | None = Field(description="The corpus that its documents join, or null.")
    surface: str = Field(description="How its documents came in.")
    workers: int = Field(description="Documents processed at the same time.")
    ended_at: str | None = Field(description="When it ended, UTC.")
    seconds: float | None = Field(description="Wall time so far; null if its end is unknown.")
    wall: BandView | None = Field(description="Estimated wall time of the whole run, seconds.")
    cost: BandView | None = Field(description="Estimated cost of its model calls; null without any.")
    bottleneck: str | None = Field(description="The step that documents waited for most.")
    commit_policy: str = Field(description="How often its results are committed, in words.")
    throttles: list[str] = Field(description="Why new work is paused now; empty for an ended run.")
    retry_of: str | None = Field(description="The run whose failures it retries.")
    standing: dict[str, int] = Field(description="Current state → number of its documents.")
    phases: dict[str, int] = Field(description="Phase → number of documents that completed it.")
    steps: dict[str, int] = Field(description="State → how often its jobs entered it.")
    failures: dict[str, int] = Field(description="Reason → number of sources that are not converted now.")
    cases: list[CaseView] = Field(description="Those sources, up to 200.")


def build_list(reader: Reader, query: RunsQuery) -> RunsView:
    """List runs.

    Raises:
        Refused: the asker is not the library's owner.
    """
    library = reader.owned
    return RunsView(
        runs=[
            RunRow(
                id=record.run_id,
                url=f"/runs/{record.run_id}",
                condition=condition,
                started_at=record.started_at,
                total=record.total,
                complete=counts.complete,
                degraded=counts.degraded,
                failed=counts.failed,
                reused=counts.reused,
            )
            for record, condition, counts in library.runs.list(limit=query.limit)
        ],
        throttles=_throttles(library),
    )


def _throttles(library: Library) -> list[str]:
    """The pauses of this process as they are now, and those that other processes have recorded."""
    own = library.engine.throttles()
    others = [one for one in library.runs.pauses() if one.cause not in {each.cause for each in own}]
    return [str(one) for one in (*own, *others)]


def build_one(reader: Reader, query: RunQuery) -> RunView:
    """Describe a run.

    Raises:
        Refused: the asker is not the library's owner.
        NotFound: there is no such run.
    """
    library = reader.owned
    try:
        run = library.runs.get(query.run_id)
    except UsageError:
        raise NotFound("run", remedy="Go back to the list of runs") from None
    failures: dict[str, int] = {}
    for case in run.open_cases:
        failures[case.reason] = failures.get(case.reason, 0) + 1
    return RunView(
        id=run.id,
        url=f"/runs/{run.id}",
        condition=run.condition,
        started_at=run.record.started_at,
        ended_at=run.record.ended_at,
        total=run.record.total,
        complete=run.counts.complete,
        degraded=run.counts.degraded,
        failed=run.counts.failed,
        reused=run.counts.reused,
        corpus=run.corpus,
        surface=run.record.surface,
        workers=run.record.workers,
        seconds=run.seconds,
        wall=BandView(low=run.wall.low, high=run.wall.high) if run.wall is not None else None,
        cost=BandView(low=run.cost.low, high=run.cost.high) if run.cost is not None else None,
        bottleneck=run.record.bottleneck,
        commit_policy=run.commit_policy,
        throttles=_throttles(library) if run.condition == "running" else [],
        retry_of=run.record.retry_of,
        standing={state.value: number for state, number in run.status.standing.items()},
        phases={phase.value: number for phase, number in run.status.phases.items()},
        steps={step.state.value: step.entered for step in run.steps},
        failures=dict(sorted(failures.items(), key=lambda item: (-item[1], item[0]))),
        cases=[
            CaseView(
                name=file_name_of(case.path) or "a source without a name",
                url=f"/documents/{case.document_id}" if case.document_id is not None else None,
                reason=case.reason,
            )
            for case in run.open_cases[:MOST_CASES]
        ],
    )


SCREENS = (
    Screen(
        path="/runs",
        template="runs.html",
        summary="List runs, newest first.",
        query=RunsQuery,
        view=RunsView,
        build=build_list,
        is_owners=True,
    ),
    Screen(
        path="/runs/{run_id}",
        template="run.html",
        summary="Show a run: phases, counts, failures by reason.",
        query=RunQuery,
        view=RunView,
        build=build_one,
        is_owners=True,
    ),
)
