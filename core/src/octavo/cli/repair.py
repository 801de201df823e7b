"""`octavo repair`: put right what `octavo verify-store` finds, as far as nothing is lost by it.

JSON:
    `--json` prints one object:

    - `findings`: as `octavo verify-store --json`.
    - `repaired`: null without `--yes`, else an object with `removed`, `chunk_sets`, `logs`, `stale_paths` and `remaining`
      (references), `completed_purges` (a number), `damaged` and `activated` (pairs of document id and version) and
      `unreadable` (ids of documents without an intact version), and `reconverted` (pairs of document id and version).
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from .options import json_option, library_option
from .running import octavo_command

if TYPE_CHECKING:
    from ..keeping import RepairReport


@octavo_command(name="repair")
@library_option
@click.option("--yes", is_flag=True, help="Do it; without this option it is only said what was found.")
@json_option
def command(library: str, yes: bool, as_json: bool) -> int:
    """Put right what `octavo verify-store` finds, as far as nothing is lost by it.

    Removed are files that nothing names. Chunk sets and logs are made again from what they follow from. A version with
    missing or altered files is marked as damaged, and the newest intact one takes its place; where there is none, the
    document is converted again from its original. Ends with 3 where something remains.
    """
    from dataclasses import asdict

    from octavo_contracts import ExitCode

    from .configured import open_library
    from .output import write_json, write_line
    from .verify_store import write_findings

    with open_library(library, create=False) as opened:
        report = opened.verify_store()
        done = opened.repair(report) if yes and not report.is_clean else None
    if as_json:
        findings = {"clean": report.is_clean, **asdict(report)}
        write_json({"findings": findings, "repaired": asdict(done) if done else None})
    else:
        write_line("Nothing to repair" if report.is_clean else "Found:")
        write_findings(report)
        if done is not None:
            _write_done(done)
        elif not report.is_clean:
            write_line("\nNothing was changed; `octavo repair --yes` does it")
    remains = bool(done.remaining or done.unreadable) if done else not report.is_clean
    return ExitCode.HARD_FAILURES if remains else ExitCode.OK


def _write_done(done: RepairReport) -> None:
    from .output import clean, write_line

    write_line("\nDone:")
    for word, refs in {
        "removed": done.removed,
        "made again": (*done.chunk_sets, *done.logs),
        "noted as stale": done.stale_paths,
        "remains": done.remaining,
    }.items():
        for ref in refs:
            write_line(f"  {word:<16}  {clean(ref)}")
    for document_id, version in done.damaged:
        write_line(f"  damaged           version {version} of {document_id}")
    for document_id, version in done.activated:
        write_line(f"  active now        version {version} of {document_id}")
    for document_id, version in done.reconverted:
        write_line(f"  converted again   version {version} of {document_id}")
    for document_id in done.unreadable:
        write_line(f"  unreadable        {document_id}: ingest its original again")
