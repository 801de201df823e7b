"""`octavo research replay`: execute a recorded run again."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click
from octavo_cli.toolkit.options import json_option
from octavo_cli.toolkit.running import octavo_command

if TYPE_CHECKING:
    from octavo_contracts import ExitCode


@octavo_command(name="replay")
@click.argument("recording", metavar="FILE", type=click.Path(exists=True, dir_okay=False))
@click.option(
    "-o", "--output", metavar="DIR", type=click.Path(file_okay=False), help="Export to a new or empty folder."
)
@json_option
def replay_command(recording: str, output: str | None, as_json: bool) -> ExitCode:
    """Replay a recorded run, without library, model and network, and compare its report byte for byte."""
    from pathlib import Path

    from octavo_cli.toolkit.output import clean, note, write_json, write_line
    from octavo_contracts import ExitCode

    from ..export_folder import write_export
    from ..replayed_run import replay

    done = replay(Path(recording))
    if output is not None:
        write_export(Path(output), done.report, done.texts)
    if as_json:
        told = {"research_id": done.report.research_id, "identical": done.is_identical, "usage": done.usage.to_json()}
        write_json(told)
    else:
        for line in done.report.to_markdown().splitlines():
            write_line(clean(line))
    if done.is_identical is None:
        note("octavo: the recorded run had not completed, so there is no report to compare with")
        return ExitCode.DEGRADED
    if not done.is_identical:
        note("octavo: the replayed report differs from the recorded one")
        return ExitCode.HARD_FAILURES
    return ExitCode.OK
