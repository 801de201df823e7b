"""`octavo worker`: convert queued documents.

JSON:
    - `ended`: documents that this worker brought to an end, those that failed included.
    - `failed`: documents among them that failed.
    - `returned`: documents that it put back.
    - `left`: documents that it could not begin, and that no other worker has ended since.
    - `taken_over`: documents of dead processes that it completed or returned to the queue.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import click
from octavo_cli.toolkit.options import json_option, library_option
from octavo_cli.toolkit.running import octavo_command

if TYPE_CHECKING:
    from ...facade.library import Library


@octavo_command(name="worker")
@library_option
@click.option(
    "--workers",
    metavar="N",
    type=click.IntRange(min=1),
    help="Documents converted in parallel; by default one per core.",
)
@click.option(
    "--until-empty",
    is_flag=True,
    help="End when no document is queued that this worker can begin, and no live worker has one.",
)
@json_option
def command(library: str, workers: int | None, until_empty: bool, as_json: bool) -> int:
    """Convert queued documents of a library, with any number of workers on any number of machines.

    The documents of a worker that died return to the queue when its lease expires (`objects.lease_seconds`). Ctrl-C
    and SIGTERM return the documents in work to the queue; the exit code is 130.

    A document whose file, plugin or profile is not on this machine is named on stderr and stays in the queue for other
    workers; this one tries it again later. Failed documents and those of dead workers are named too, with -v all. The exit
    code is 3 if documents failed, or could not be begun.
    """
    from dataclasses import asdict

    from octavo_cli.toolkit.output import write_json, write_line
    from octavo_cli.toolkit.running import cancelled_by_interrupt
    from octavo_contracts import ExitCode
    from octavo_sandbox.pool import usable_cores

    with cancelled_by_interrupt(by_termination=True) as cancel, _opened(library) as opened:
        slots = workers or opened.context.runtime.settings.workers or usable_cores()
        _announce(opened, slots)
        done = opened.queue.work(stop=cancel, slots=slots, until_empty=until_empty)
        is_stopped = cancel.is_set()
    if as_json:
        write_json(asdict(done))
    else:
        ended = f"{done.ended} ended, {done.failed} of them failed"
        write_line(f"{ended}; {done.returned} returned, {done.left} left, {done.taken_over} taken over")
    if is_stopped:
        return ExitCode.INTERRUPTED
    return ExitCode.HARD_FAILURES if done.failed or done.left else ExitCode.OK


def _opened(library: str) -> Library:
    """Open the library. One that is created now may be a mistake in its name: stderr says so."""
    from octavo_cli.toolkit.output import clean, note
    from octavo_contracts import UsageError

    from ..opening import open_library

    try:
        return open_library(library, create=False)
    except UsageError:
        opened = open_library(library)  # raises again, unless only the library was missing
    note(f"octavo: there was no library at {clean(opened.context.place)}; it was created now")
    return opened


def _announce(opened: Library, slots: int) -> None:
    """Print on stderr for which library the worker works."""
    from octavo_cli.toolkit.output import clean, note

    from ...storage.index.server import shown

    url = opened.context.index.url
    index = "in the library" if url.get_backend_name() == "sqlite" else shown(url)
    queued = opened.queue.counts().queued
    note(f"octavo: worker of {clean(opened.context.place)}, index {clean(index)}")
    note(f"  {queued} documents queued, {slots} converted in parallel")
