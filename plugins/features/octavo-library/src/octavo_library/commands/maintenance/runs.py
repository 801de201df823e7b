"""`octavo runs`: list the runs of a library, or show one.

JSON:
    Without RUN, `--json` prints one object with `pauses` (as below), and `runs`, a list, newest first, of:

    - `id`, `started_at`, `ended_at` (or null), `surface`, `sources` (the arguments of the user).
    - `condition`: `running`, `finished`, `stopped` (by the user), `failed` (ended by an error other than that of a
      document) or `interrupted` (its process died).
    - `total`: number of sources, or null if unknown; `not_attempted`: number of sources that it did not attempt.
    - `counts`: `complete`, `degraded`, `failed`, `reused`, and `failures`: reason → number, as it was in the run. Attachments are not
      counted: `octavo ingest` counts them too, as `attachments`.

    With RUN it prints one object with `run`: those keys, and

    - `corpus`: its name, or null; `retry_of`: the run that it retries, or null; `workers`; `options`.
    - `seconds`: wall time so far; null for an interrupted run.
    - `status`: current status of its documents: `documents`, `standing`, `failures`, `waiting`, `phases` (`registered`,
      `converted`, `shallow`, `deep`: how many completed each).
    - `checkpoints`: seconds until the last document completed each phase, and `review`: until the run ended.
    - `steps`: a list of `state`, `entered`, `skipped`, `first_at`, `last_at`.
    - `wall_seconds`, `model_cost`: estimated duration and cost of the whole run, as `low` and `high`; null if it is too
      early for an estimate.
    - `bottleneck`: the step that documents waited for most, or null.
    - `commit_policy`: how often its results are committed, in words.
    - `pauses`: why new work is paused now, in any process that has the library open: a list of `cause` (disk, memory or
      temperature), `value` (the reading when the pause began), `resumes_at`, `seconds`, `advice`, `message`.
    - `open`: a list of sources that are still not converted: `path` (a reference), `document_id` (or null), `reason`.
    - `failed_reconversions`: a list of known documents whose reconversion failed and that are unchanged: `path`,
      `document_id`, `reason` (`interrupted` for a reconversion that is resumed automatically).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import click
from octavo_cli.toolkit.options import json_option, library_option
from octavo_cli.toolkit.running import octavo_command

if TYPE_CHECKING:
    from ...facade.runs import Estimate, RunCounts, UnfinishedSource
    from ...facade.runs.runs import RunSummary
    from ...ingestion.throttle import ThrottleReason
    from ...storage import RunRecord

SHOWN_CASES = 20
"""Maximum number of unconverted documents to list; --json lists all."""


@octavo_command(name="runs")
@click.argument("run", metavar="[RUN]", required=False)
@click.option(
    "--limit", metavar="N", type=click.IntRange(min=1), default=20, show_default=True, help="Maximum number of runs."
)
@library_option
@json_option
def command(run: str | None, limit: int, library: str, as_json: bool) -> None:
    """List the runs of a library, or show one.

    RUN is a run's id, four or more of its first digits, or `last`.
    """
    from octavo_cli.toolkit.output import write_json

    from ..opening import open_library

    with open_library(library, create=False) as opened:
        if run is not None:
            shown = opened.runs.get(run)
            if as_json:
                write_json({"run": _run_keys(shown)})
            else:
                _write_run(shown, library)
            return
        listed, pauses = opened.runs.list(limit=limit), opened.runs.pauses()
    if as_json:
        write_json({"runs": [_row_keys(*row) for row in listed], "pauses": [_pause_keys(one) for one in pauses]})
    else:
        _write_list(listed)
        _write_pauses(pauses)


def _pause_keys(pause: ThrottleReason) -> dict[str, Any]:
    from dataclasses import asdict

    return {**asdict(pause), "message": str(pause)}


def _write_pauses(pauses: Sequence[ThrottleReason]) -> None:
    from octavo_cli.toolkit.output import clean, write_line

    for pause in pauses:
        write_line(f"Paused for {pause.seconds:.0f} s: {clean(str(pause))}")
        if pause.advice:
            write_line(f"  {clean(pause.advice)}")


def _row_keys(record: RunRecord, condition: str, counts: RunCounts) -> dict[str, Any]:
    from octavo_cli.toolkit.output import clean

    return {
        "id": record.run_id,
        "started_at": record.started_at,
        "ended_at": record.ended_at,
        "condition": condition,
        "surface": record.surface,
        "sources": [clean(source) for source in record.sources],
        "total": record.total,
        "not_attempted": record.not_attempted,
        "counts": {
            "complete": counts.complete,
            "degraded": counts.degraded,
            "failed": counts.failed,
            "reused": counts.reused,
            "failures": counts.failures,
        },
    }


def _run_keys(run: RunSummary) -> dict[str, Any]:
    from dataclasses import asdict

    record = run.record
    return {
        **_row_keys(record, run.condition, run.counts),
        "corpus": run.corpus,
        "retry_of": record.retry_of,
        "workers": record.workers or None,
        "options": record.options,
        "seconds": run.seconds,
        "status": asdict(run.status),
        "checkpoints": run.checkpoints,
        "steps": [asdict(step) for step in run.steps],
        "wall_seconds": _band_keys(run.wall),
        "model_cost": _band_keys(run.cost),
        "bottleneck": record.bottleneck,
        "commit_policy": run.commit_policy,
        "pauses": [_pause_keys(one) for one in run.pauses],
        "open": [_case_keys(case) for case in run.open_cases],
        "failed_reconversions": [_case_keys(case) for case in run.failed_reconversions],
    }


def _case_keys(case: UnfinishedSource) -> dict[str, str | None]:
    return {"path": case.path, "document_id": case.document_id, "reason": case.reason}


def _band_keys(band: Estimate | None) -> dict[str, float] | None:
    return {"low": band.low, "high": band.high} if band is not None else None


def _write_list(listed: Sequence[tuple[RunRecord, str, RunCounts]]) -> None:
    from octavo_cli.toolkit.output import add_row, make_table, write_line, write_table

    from ..document_text import moment, short_ids

    if not listed:
        write_line("No runs yet; start one with `octavo ingest`")
        return
    ids = short_ids([record.run_id for record, _, _ in listed])
    table = make_table("Run", "Began (UTC)", "State", "#Complete", "#Degraded", "#Failed", "#Known before", "Of")
    for record, condition, counts in listed:
        numbers = (counts.complete, counts.degraded, counts.failed, counts.reused)
        of = ", ".join(record.sources) or (f"retry of {record.retry_of[:8]}" if record.retry_of else record.surface)
        style = {"interrupted": "yellow", "failed": "red"}.get(condition)
        add_row(table, (ids[record.run_id], moment(record.started_at), condition, *map(str, numbers), of), style=style)
    write_table(table)


def _write_run(run: RunSummary, library: str) -> None:
    from octavo_cli.toolkit.output import clean, write_line

    from ..document_text import moment

    record, counts = run.record, run.counts
    took = f", {run.seconds:.1f} s" if run.seconds is not None else ""
    write_line(f"Run {run.id}")
    write_line(f"{run.condition}; began {moment(record.started_at)} UTC{took}")
    if run.condition == "interrupted":
        write_line("Its process died. Stored results are kept; give the same paths to `octavo ingest` for the rest")
    _write_pauses(run.pauses)
    facts = {
        "Of": ", ".join(record.sources),
        "Corpus": run.corpus,
        "Retry of": record.retry_of,
        "Plugin": record.options.get("with_"),
        "Profile": record.options.get("profile"),
        "Waited most for": record.bottleneck,
        "Commits": run.commit_policy,
    }
    for name, value in facts.items():
        if value:
            write_line(f"{name}: {clean(str(value))}")
    write_line(f"\nIn the run, without attachments: {_counted(counts)}")
    standing = ", ".join(f"{count} {name.replace('_', ' ')}" for name, count in sorted(run.status.standing.items()))
    write_line(f"Today: {standing or 'nothing'}")
    phases = ", ".join(f"{phase} {count}" for phase, count in run.status.phases.items())
    write_line(f"Phases: {phases}")
    reached = ", ".join(f"{name} {seconds:.1f} s" for name, seconds in run.checkpoints.items())
    write_line(f"Checkpoints: {reached or 'none yet'}")
    write_line(f"Wall clock: {_band_text(run.wall, ' s')}. Model cost: {_band_text(run.cost, '')}")
    _write_cases(run, library)


def _counted(counts: RunCounts) -> str:
    parts = [f"{counts.complete} complete", f"{counts.degraded} degraded", f"{counts.failed} failed"]
    return f"{', '.join(parts)}; {counts.reused} known before"


def _band_text(band: Estimate | None, unit: str) -> str:
    if band is None:
        return "too early for an estimate"
    low, high = f"{band.low:.1f}", f"{band.high:.1f}"
    return f"{low}{unit}" if low == high else f"{low} to {high}{unit}"


def _write_cases(run: RunSummary, library: str) -> None:
    from octavo_cli.toolkit.next_command import next_command
    from octavo_cli.toolkit.output import write_line

    if _write_by_reason(run.open_cases, "not converted"):
        retry = next_command(["octavo", "retry", run.id[:8]], library=library)
        write_line(f"\nNext: {retry}, or with --reason for a single reason")
    if _write_by_reason(run.failed_reconversions, "not converted again"):
        write_line("\nTheir versions are untouched. Next: see the cause with octavo show DOC")


def _write_by_reason(open_cases: Sequence[UnfinishedSource], what: str) -> bool:
    """List cases, grouped by reason; return whether there were any."""
    from octavo_cli.toolkit.output import write_line

    from ..document_text import path_text

    shown = 0
    for reason in sorted({case.reason for case in open_cases}):
        cases = sorted((case for case in open_cases if case.reason == reason), key=lambda case: case.path)
        write_line(f"\n{len(cases)} {what} [{reason}]")
        for case in cases[: max(0, SHOWN_CASES - shown)]:
            write_line(f"  {path_text(case.path)}")
        shown += len(cases)
    if shown > SHOWN_CASES:
        write_line("  … --json lists all")
    return bool(open_cases)
