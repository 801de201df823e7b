"""`octavo repair`: repair what `octavo verify-store` finds, without losing data.

JSON:
    `--json` prints one object:

    - `findings`: as `octavo verify-store --json`.
    - `rebuilt`: null; or, if the index was rebuilt, an object with `documents`, `versions` (numbers), `aside` (path of
      the old index, or null), `lost` (its damages), `from_records` and `from_versions` (ids of documents), `chosen` and
      `damaged` (pairs of document id and version).
    - `repaired`: null without `--yes`, else an object with `removed`, `kept`, `adopted`, `being_written`, `chunk_sets`,
      `logs`, `stale_paths`, `stored_again` and `remaining` (references), `completed_purges` (a number), `damaged` and `activated`
      (pairs of document id and version), `unreadable` (ids of documents without an intact version), `finished` (ids of
      documents whose job was completed), and `reconverted` (pairs of document id and version).
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, NamedTuple

import click
from octavo_cli.toolkit.options import json_option, library_option
from octavo_cli.toolkit.running import octavo_command

if TYPE_CHECKING:
    from ...facade.maintenance.repair import RepairReport
    from ...facade.maintenance.verify import StoreReport
    from ...storage.index.rebuild import RebuildReport


@octavo_command(name="repair")
@library_option
@click.option("--yes", is_flag=True, help="Repair; without this option the findings are only listed.")
@click.option(
    "--rebuild-index",
    is_flag=True,
    help="Rebuild the index from the stored documents, and move the old one aside; then as with --yes.",
)
@json_option
def command(library: str, yes: bool, rebuild_index: bool, as_json: bool) -> int:
    """Repair what `octavo verify-store` finds, without losing data.

    A damaged or lost index is rebuilt from its intact rows, from the records beside the documents, and from the
    documents themselves; the old one is moved aside. Intact versions and originals that are missing from the index are
    adopted, except what an ingestion is writing now. Leftovers of interrupted writes and purges are removed. Chunk sets
    and logs are rebuilt from their sources.
    A missing or altered stored original is stored again if the file is still at its path on this machine.
    A version with missing or altered files is marked as damaged, and an intact one becomes the active one; if there is
    none, the document is converted again from its original. The exit code is 3 if findings remain; the
    command that clears each is named.
    """
    from dataclasses import asdict

    from octavo_cli.toolkit.output import write_json, write_line
    from octavo_contracts import ExitCode, LibraryDamaged

    from ...storage.objects.object_client import is_object_url
    from .verify_store import write_findings, write_remedies

    yes = yes or rebuild_index
    rebuilt = _rebuild(library) if rebuild_index else None
    try:
        result = _repair(library, yes=yes)
    except LibraryDamaged:
        if not yes or rebuild_index or is_object_url(library):
            raise
        rebuilt = _rebuild(library)
        result = _repair(library, yes=yes)
    report, done = result.report, result.done
    if as_json:
        findings = {"clean": report.is_clean, **asdict(report)}
        repaired = asdict(done) if done else None
        write_json({"findings": findings, "repaired": repaired, "rebuilt": asdict(rebuilt) if rebuilt else None})
    else:
        if rebuilt is not None:
            _write_rebuilt(rebuilt)
        write_line("Nothing to repair" if report.is_clean else "Found:")
        write_findings(report, result.shown)
        if done is not None:
            _write_done(done, result.shown)
            write_remedies(result.remedies)
        elif not report.is_clean:
            write_line("\nNothing was changed; repair with `octavo repair --yes`")
    remains = bool(done.remaining or done.unreadable) if done else not report.is_clean
    return ExitCode.HARD_FAILURES if remains else ExitCode.OK


class _Result(NamedTuple):
    """What was found, and what was done about it.

    Attributes:
        report: the findings.
        done: the repair, or None.
        remedies: the commands that clear what the repair left.
        shown: gives a reference as the store names it.
    """

    report: StoreReport
    done: RepairReport | None
    remedies: list[str]
    shown: Callable[[str], str]


def _repair(library: str, *, yes: bool) -> _Result:
    from ..opening import open_library

    with open_library(library, create=False) as opened:
        report, shown = opened.maintenance.verify(), opened.context.artifacts.shown
        if not yes or report.is_clean:
            return _Result(report, None, [], shown)
        done = opened.maintenance.repair(report)
        return _Result(report, done, opened.maintenance.remedies(done.remaining, is_repaired=True), shown)


def _rebuild(library: str) -> RebuildReport:
    from ...storage.index.rebuild import rebuild_index

    return rebuild_index(library)


def _write_rebuilt(done: RebuildReport) -> None:
    from octavo_cli.toolkit.output import clean, write_line

    write_line(f"The index was rebuilt: {done.documents} documents, {done.versions} versions")
    for what in done.lost:
        write_line(f"  lost              {clean(what)}")
    if done.aside is not None:
        write_line(f"  old index         moved to {clean(done.aside)} in the library's folder")
    if done.from_records:
        write_line(f"  from records      {len(done.from_records)} documents")
    for document_id in done.from_versions:
        write_line(f"  from its text     {document_id}: corpora, policy and notes are lost; only you see it")
    for document_id, version in done.chosen:
        write_line(f"  active now        version {version} of {document_id}")
    for document_id, version in done.damaged:
        write_line(f"  damaged           version {version} of {document_id}")
    if done.from_records or done.from_versions:
        write_line("Their run history and entities are lost; `octavo entities tag` extracts entities again")
    write_line("")


def _write_done(done: RepairReport, shown: Callable[[str], str]) -> None:
    from octavo_cli.toolkit.output import clean, write_line

    write_line("\nDone:")
    for word, refs in {
        "removed": done.removed,
        "adopted": done.adopted,
        "being written now": done.being_written,
        "kept": done.kept,
        "rebuilt": (*done.chunk_sets, *done.logs),
        "stored again": done.stored_again,
        "marked as stale": done.stale_paths,
        "remaining": done.remaining,
    }.items():
        for ref in refs:
            write_line(f"  {word:<16}  {clean(shown(ref))}")
    for document_id in done.finished:
        write_line(f"  job completed     {document_id}")
    for document_id, version in done.damaged:
        write_line(f"  damaged           version {version} of {document_id}")
    for document_id, version in done.activated:
        write_line(f"  active now        version {version} of {document_id}")
    for document_id, version in done.reconverted:
        write_line(f"  converted again   version {version} of {document_id}")
    for document_id in done.unreadable:
        write_line(f"  unreadable        {document_id}: ingest its original again")
