"""`library.runs`: the requests, progress, cost and duration of runs, and retries of failed documents."""

from __future__ import annotations

import builtins
import os
import threading
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from datetime import UTC, datetime
from threading import Event
from typing import TYPE_CHECKING, Literal

from octavo_contracts import UsageError

from ...ingestion.events import PauseCause
from ...ingestion.throttle import ThrottleReason
from ...ingestion.wait_log import shown_process
from ...storage import PHASE_STATES, PolicyContext, RunCounts, RunRecord, Status, StepCount, UnfinishedSource
from ..context import LibraryContext
from ..ingest_batch import files_beforehand
from ..lookup import asker_of
from .document_jobs import DocumentJob, jobs_about
from .estimates import Estimate, intervals, total_of

if TYPE_CHECKING:
    from ..ingest_options import IngestOptions
    from ..results import IngestOutcome
    from .preflight import RunEstimate

_ALL_DONE = (
    "All sources of the run are converted. To retry attachments of a message that failed, ingest it with --retry"
)

Condition = Literal["running", "finished", "stopped", "failed", "interrupted"]
"""In progress; completed; stopped by the user; ended by an error; its process died."""


@dataclass(frozen=True, kw_only=True)
class RunSummary:
    """A snapshot of a run.

    Attributes:
        record: the request and its time.
        corpus: name of the corpus, or None.
        condition: see `Condition`.
        seconds: wall time so far; None for an interrupted run, whose end is unknown.
        counts: outcomes of the sources in the run.
        status: current status of the sources.
        steps: how often its jobs entered each state.
        wall: estimated wall time of the whole run, in seconds.
        cost: cost of its model calls, in the unit of the steps; separate from time, as one does not imply the other.
        commit_policy: how often its results are committed, or were at its end, in words (ENG-14, ENG-30).
        pauses: why new work is paused now, in any process that has the library open; empty for an ended run (ENG-30).
        open_cases: sources that are still not converted.
        failed_reconversions: known documents whose reconversion failed and that are unchanged, with the reason.
    """

    record: RunRecord
    corpus: str | None
    condition: Condition
    seconds: float | None
    counts: RunCounts
    status: Status
    steps: tuple[StepCount, ...]
    wall: Estimate | None
    cost: Estimate | None
    commit_policy: str
    pauses: tuple[ThrottleReason, ...]
    open_cases: tuple[UnfinishedSource, ...]
    failed_reconversions: tuple[UnfinishedSource, ...]

    @property
    def id(self) -> str:
        """Its id."""
        return self.record.run_id

    @property
    def checkpoints(self) -> dict[str, float]:
        """Seconds from the beginning until the last document of the run that completed each phase did so (ENG-28).

        The phases are those of `Phase`; `review` is the end of the run, when all its failures can be reviewed. A phase that
        no document completed is left out.
        """
        began = datetime.fromisoformat(self.record.started_at)
        reached = {
            phase.value: step.last_at
            for phase, state in PHASE_STATES.items()
            for step in self.steps
            if step.state is state
        }
        if self.record.ended_at is not None:
            reached["review"] = self.record.ended_at
        return {name: max(0.0, (datetime.fromisoformat(at) - began).total_seconds()) for name, at in reached.items()}


_SEARCHED = 100
"""Newest runs that are searched for one with failed sources."""


class Runs:
    """The runs of an open library (ENG-15 to ENG-17).

    Args:
        context: the library's parts.
    """

    def __init__(self, context: LibraryContext) -> None:
        self._context = context

    def list(self, *, limit: int = 20) -> builtins.list[tuple[RunRecord, Condition, RunCounts]]:
        """Runs, newest first, each with its condition and the outcomes of its sources."""
        records = self._context.index.runs.all(limit=limit)
        counts = self._context.index.runs.counts([record.run_id for record in records])
        return [(record, self._condition(record), counts[record.run_id]) for record in records]

    def get(self, ref: str) -> RunSummary:
        """The details of a run.

        Args:
            ref: its id, four or more of its first digits, or "last".

        Raises:
            UsageError: no such run, or more than one.
        """
        record = self._context.index.runs.get(self._context.index.runs.resolve(ref))
        counts = self._context.index.runs.counts([record.run_id])[record.run_id]
        condition = self._condition(record)
        rest = max(0, record.total - counts.done) if condition == "running" and record.total is not None else 0
        is_guess = condition == "running" and record.total is None
        names = {corpus.corpus_id: corpus.name for corpus in self._context.index.corpora.all()}
        return RunSummary(
            record=record,
            corpus=names.get(record.corpus_id or ""),
            condition=condition,
            seconds=self._seconds(record, condition),
            counts=counts,
            status=self._context.index.status.of_run(record.run_id),
            steps=self._context.index.runs.steps(record.run_id),
            wall=None if is_guess else self._wall(record, condition, rest),
            cost=None if is_guess else total_of(self._context.index.runs.costs(record.run_id), more=rest),
            commit_policy=record.commit_policy or self._policy_for(record.total or counts.done),
            pauses=tuple(self.pauses()) if condition == "running" else (),
            open_cases=self._context.index.runs.open_cases(record.run_id),
            failed_reconversions=self._context.index.runs.failed_reconversions(record.run_id),
        )

    def pauses(self) -> builtins.list[ThrottleReason]:
        """Why new work is paused now, in any process that has the library open; empty if it is not (ENG-30)."""
        index, artifacts = self._context.index, self._context.artifacts
        now = _moment(index.now())
        return [
            ThrottleReason(
                cause=PauseCause(one.cause),
                value=one.value,
                resumes_at=one.resumes_at,
                seconds=max(0.0, now - _moment(one.since)),
                advice=one.advice,
            )
            for one in index.pauses.all()
            if artifacts.is_alive(one.owner)
        ]

    def failed(self, ref: str, *, reason: str | None = None) -> tuple[RunRecord, tuple[UnfinishedSource, ...]]:
        """A run and its sources that are still not converted.

        Args:
            ref: as `get`.
            reason: only sources that failed or wait for this reason; "interrupted" for interrupted ones.

        Raises:
            UsageError: no such run, or no source of it is left for that reason.
        """
        record = self._context.index.runs.get(self._context.index.runs.resolve(ref))
        left = self._context.index.runs.open_cases(record.run_id)
        cases = tuple(case for case in left if reason in (None, case.reason))
        held = self._context.index.runs.in_work(record.run_id) if not left else {}
        if held:
            owner, number = max(held.items(), key=lambda item: item[1])
            raise UsageError(
                f"run {record.run_id[:8]} has no sources to retry yet: {number} documents are in work at "
                + shown_process(self._context.index, owner, self._context.runtime.settings.objects.lease_seconds),
                remedy="Wait until that process has ended, or until its lease has if it died; then run the command again",
            )
        if not cases:
            reasons = ", ".join(sorted({case.reason for case in left}))
            raise UsageError(
                f"run {record.run_id[:8]} has no sources to retry" + (f" for reason {reason!r}" if reason else ""),
                remedy=f"Give one of the remaining reasons: {reasons}" if left else _ALL_DONE,
            )
        return record, cases

    def newest_failed(self, *, reason: str | None = None) -> str:
        """Id of the newest run with sources that are still not converted; "last" if the newest runs have none.

        Args:
            reason: only sources that failed or wait for this reason.
        """
        runs = self._context.index.runs
        failed = (
            record.run_id
            for record in runs.all(limit=_SEARCHED)
            if any(reason in (None, case.reason) for case in runs.open_cases(record.run_id))
        )
        return next(failed, "last")

    def retry(
        self,
        ref: str,
        *,
        reason: str | None = None,
        password: str | None = None,
        timeout: float | None = None,
        workers: int | None = None,
        cancel: Event | None = None,
    ) -> Iterator[IngestOutcome]:
        """Retry exactly the sources that a run did not convert, as a new run (ENG-15).

        Args:
            ref: its id, four or more of its first digits, or "last".
            reason: only sources that failed or wait for this reason; "interrupted" for interrupted ones.
            password: password of encrypted documents.
            timeout: seconds that a plugin may take for one document; by default as in the run.
            workers: documents converted in parallel; by default the settings'.
            cancel: set it from another thread to stop.

        Raises:
            UsageError: no such run, or no source of it is left for that reason.
        """
        from ..ingest import Ingestion  # who only reads about runs loads no converter code

        record, cases = self.failed(ref, reason=reason)
        return Ingestion(self._context).retry(
            record, cases, password=password, timeout=timeout, workers=workers, cancel=cancel
        )

    def estimate(
        self,
        sources: Iterable[str | os.PathLike[str]] | str | os.PathLike[str],
        *,
        corpus: str | None = None,
        reingest: bool = False,
    ) -> RunEstimate:
        """Estimate a run before it begins: new and known documents, and the disk space (ENG-12). Nothing is stored.

        Args:
            sources: paths, folders and URLs.
            corpus: the corpus that the documents would join; it need not exist.
            reingest: whether known documents would be converted again.
        """
        from .preflight import DiskPreflight

        files = files_beforehand(sources, library=self._context.path)
        return DiskPreflight.of(self._context).estimate(files, corpus=corpus, reingest=reingest)

    def check_disk(
        self,
        sources: Iterable[str | os.PathLike[str]] | str | os.PathLike[str],
        *,
        corpus: str | None = None,
        reingest: bool = False,
    ) -> int | None:
        """Refuse a run that does not fit the disk (ENG-12).

        `Library.ingest_many` does this itself, unless its sources can be iterated only once, as a generator's.

        Args:
            sources: as `estimate`; iterated twice where space is short.
            corpus: as `estimate`.
            reingest: as `estimate`.

        Returns:
            The number of sources; None if the settings turn the check off.

        Raises:
            StorageExhausted: the run needs more than the free space above the disk's floor.
        """
        from .preflight import DiskPreflight

        if not self._context.runtime.settings.engine.care.disk_preflight:
            return None
        files = files_beforehand(sources, library=self._context.path)
        return DiskPreflight.of(self._context).check(files, corpus=corpus, reingest=reingest)

    def check_cost(
        self,
        sources: Iterable[str | os.PathLike[str]] | str | os.PathLike[str],
        options: IngestOptions,
    ) -> None:
        """Refuse a run that is estimated above the cost limit of its corpus, unless the options confirm the cost (ENG-24).

        `Library.ingest_many` does this itself, unless its sources can be iterated only once, as a generator's.

        Args:
            sources: as `estimate`; iterated once where the corpus has a limit.
            options: options of the run.

        Raises:
            PolicyRefused: the run is estimated to cost more, and has not begun.
            UsageError: no such plugin, profile or surface.
        """
        from .cost_guard import cost_limit_of

        named = [one for one in self._context.index.corpora.all() if one.name == options.corpus]
        if not options.confirm_cost and any(cost_limit_of(one) is not None for one in named):
            from ..ingest import Ingestion  # who only reads about runs loads no converter code
            from .preflight import check_cost, new_sources

            request = Ingestion(self._context).request(options, threading.Event())
            check_cost(self._context, new_sources(self._context, sources, options), options, request)

    def jobs(
        self, ref: str, *, corpus: str | None = None, policy: PolicyContext | None = None
    ) -> builtins.list[DocumentJob]:
        """The jobs on a document: running, waiting and failed; oldest first.

        Args:
            ref: as for `Library.document`; also a document that was never converted and whose first job waits or was
                interrupted.
            corpus: the asking corpus: only jobs requested under its policy are returned (STO-5).
            policy: the asking policy context. Without corpus and policy, the library's owner asks.

        Raises:
            UsageError: no such document, or more than one; or both a corpus and a policy.
        """
        _, asker = asker_of(self._context, corpus, policy)
        return jobs_about(self._context.index, ref, policy=asker)

    # -- inside ---------------------------------------------------------------------------------------------

    def _policy_for(self, documents: int) -> str:
        return str(self._context.runtime.settings.engine.commits.of(documents))

    def _condition(self, record: RunRecord) -> Condition:
        if record.ended is not None:
            return record.ended
        return "running" if self._context.artifacts.is_alive(record.owner) else "interrupted"

    def _seconds(self, record: RunRecord, condition: Condition) -> float | None:
        if condition == "interrupted":
            return None
        end = _moment(record.ended_at) if record.ended_at else datetime.now(UTC).timestamp()
        return end - _moment(record.started_at)

    def _wall(self, record: RunRecord, condition: Condition, rest: int) -> Estimate | None:
        seconds = self._seconds(record, condition)
        if seconds is None:
            return None
        if not rest:
            return Estimate(seconds, seconds)
        moments = [_moment(record.started_at), *map(_moment, self._context.index.runs.moments(record.run_id))]
        return total_of(intervals(moments), more=rest)


def _moment(text: str) -> float:
    return datetime.fromisoformat(text).timestamp()
