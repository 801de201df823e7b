"""`octavo submit`: queue documents for workers.

JSON:
    - `queued`: documents that this command put into the queue.
    - `known`: documents that were in the library or in the queue already.
    - `failed`: source → why its document failed before. It would fail again, and is not queued.
    - `again`: source → why its document failed before. It is queued again, and counted in `queued`.
    - `unreadable`: source → why it could not be opened.
"""

from __future__ import annotations

import click
from octavo_cli.toolkit.options import json_option, library_option, plugin_option, profile_option
from octavo_cli.toolkit.running import octavo_command


@octavo_command(name="submit")
@click.argument("paths", metavar="PATH...", nargs=-1, required=True, type=click.Path(readable=False))
@library_option
@plugin_option
@profile_option
@json_option
def command(paths: tuple[str, ...], library: str, plugin: str | None, profile: str | None, as_json: bool) -> int:
    """Queue documents for workers, without converting them.

    `octavo worker` converts them, on this machine or others, with the plugin and profile given here. The workers need
    that plugin, and a profile of the path given here if it is a file. A document that no worker could bring to an end, and
    that is no longer in the queue, is queued again; one whose bytes are damaged, or whose format no plugin reads, is named
    and not queued again. The exit code is 3 if a source could not be read.
    """
    from dataclasses import asdict

    from octavo_cli.toolkit.output import clean, note, write_json, write_line
    from octavo_contracts import ExitCode

    from ...facade.ingest_options import IngestOptions
    from ..opening import open_library

    options = IngestOptions(plugin=plugin, profile=profile)
    with open_library(library) as opened:
        done = opened.queue.submit(paths, options=options)
        needs_paths = opened.queue.needs_paths
    if done.queued and needs_paths:
        note(
            "octavo: only workers that can read these paths convert the documents\n"
            "  Set OCTAVO_OBJECTS__ORIGINALS=stored and submit them again to store their bytes"
        )
    if as_json:
        write_json(asdict(done))
    else:
        write_line(f"{done.queued} queued, {done.known} known")
        if done.again:
            write_line(f"{len(done.again)} of them queued again after a failure:")
        for source, why in done.again.items():
            write_line(f"  {clean(source)}: {clean(why)}")
        if done.failed:
            write_line(f"{len(done.failed)} not queued again: they would fail as before")
        for source, why in (done.failed | done.unreadable).items():
            write_line(f"  {clean(source)}: {clean(why)}")
    return ExitCode.HARD_FAILURES if done.unreadable else ExitCode.OK
