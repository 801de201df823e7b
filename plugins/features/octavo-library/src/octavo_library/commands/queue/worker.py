"""`octavo worker`: convert queued documents.

JSON:
    - `ended`: documents that this worker brought to an end.
    - `returned`: documents that it put back.
    - `left`: documents that it could not begin.
    - `taken_over`: documents of dead processes that it completed or returned to the queue.
"""

from __future__ import annotations

import click
from octavo_cli.toolkit.options import json_option, library_option
from octavo_cli.toolkit.running import octavo_command


@octavo_command(name="worker")
@library_option
@click.option(
    "--workers",
    metavar="N",
    type=click.IntRange(min=1),
    help="Documents converted in parallel; by default one per core.",
)
@click.option(
    "--until-empty", is_flag=True, help="End when the queue is empty and no live worker has a document of it."
)
@json_option
def command(library: str, workers: int | None, until_empty: bool, as_json: bool) -> int:
    """Convert queued documents of a library, with any number of workers on any number of machines.

    The documents of a worker that died return to the queue when its lease expires (`objects.lease_seconds`). Ctrl-C
    returns the documents in work to the queue and ends with exit code 130.
    """
    from dataclasses import asdict

    from octavo_cli.toolkit.output import write_json, write_line
    from octavo_cli.toolkit.running import cancelled_by_interrupt
    from octavo_contracts import ExitCode

    from ..opening import open_library

    with cancelled_by_interrupt() as cancel, open_library(library) as opened:
        done = opened.queue.work(stop=cancel, slots=workers, until_empty=until_empty)
        is_stopped = cancel.is_set()
    if as_json:
        write_json(asdict(done))
    else:
        write_line(f"{done.ended} ended, {done.returned} returned, {done.left} left, {done.taken_over} taken over")
    return ExitCode.INTERRUPTED if is_stopped else ExitCode.OK
