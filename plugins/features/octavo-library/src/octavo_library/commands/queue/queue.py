"""`octavo queue`: show the queue of a library, or withdraw documents from it.

JSON:
    - `queued`, `not_begun`, `taken`: documents that wait, those among them that a worker could not begin, and documents
      that a process converts.
    - `ended`: how documents of the queue ended in the last 24 hours: `complete`, `degraded`, `failed`.
    - `documents`: a list, at most `--limit` long, of `document_id`, `raw_hash`, `job_id`, `path` (or null), `condition`
      (`held`, `stopped`, `not_begun` or `waiting`), `reason` (or null), `host`, `pid`, `is_alive` (of the process that holds
      it; null without a lease in the index), `since` (when its state last changed), `submitted_at`, `run_id` (or null).
    - `hosts`: the processes of a library in an object store: a list of `owner`, `host`, `pid`, `kind` (`worker` or
      `library`), `labels`, `started_at`, `seen_at`, `is_alive`, `jobs`.

    With `--withdraw`, one object with `withdrawn`: a list as `documents`.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import click
from octavo_cli.toolkit.options import json_option, library_option
from octavo_cli.toolkit.running import octavo_command

if TYPE_CHECKING:
    from ...facade.queued_documents import QueuedDocument
    from ...storage.index.hosts import HostRecord

_CONDITIONS = {"held": "in work", "stopped": "stopped", "not_begun": "not begun", "waiting": "waiting"}
_STYLES = {"stopped": "red", "not_begun": "yellow"}


@octavo_command(name="queue")
@click.option(
    "--withdraw",
    metavar="DOC|FILE",
    multiple=True,
    help="Take a document out of the queue; of a folder all below it. May be repeated. Nothing else is removed.",
)
@click.option(
    "--limit",
    metavar="N",
    type=click.IntRange(min=1),
    default=20,
    show_default=True,
    help="Maximum number of documents listed.",
)
@library_option
@json_option
def command(withdraw: tuple[str, ...], limit: int, library: str, as_json: bool) -> None:
    """Show the queue of a library: its documents, and the processes that have the library open.

    Documents in work are listed first, with the machine that has them, then those that are stopped, then those that a
    worker could not begin, with the reason, then those that wait. A line says how documents of the queue ended in the last 24
    hours; `octavo list --status failed` names those that failed. DOC is an id or hash, or six or more of its first digits.
    A document whose file is gone from every machine can be withdrawn; `octavo submit` queues it again.
    """
    from dataclasses import asdict

    from octavo_cli.toolkit.next_command import next_command
    from octavo_cli.toolkit.output import clean, write_json, write_line

    from ..opening import open_library

    with open_library(library, create=False) as opened:
        queue = opened.queue
        if withdraw:
            gone = queue.withdraw(withdraw)
            if as_json:
                write_json({"withdrawn": [asdict(one) for one in gone]})
            for one in () if as_json else gone:
                write_line(f"withdrawn: {clean(one.path or one.document_id)}")
            return
        counts, not_begun, ended = queue.counts(), queue.not_begun(), queue.ended()
        documents, hosts = queue.documents(limit=limit), queue.hosts()
    if as_json:
        shown = {"documents": [asdict(one) for one in documents], "hosts": [asdict(one) for one in hosts]}
        write_json({**asdict(counts), "not_begun": not_begun, "ended": asdict(ended), **shown})
        return
    unable = f", {not_begun} of them not begun by a worker" if not_begun else ""
    write_line(f"{counts.queued} queued{unable}; {counts.taken} in work")
    write_line(
        f"Of submitted documents, ended in the last 24 hours: {ended.complete} complete, {ended.degraded} degraded, {ended.failed} failed"
    )
    if ended.failed:
        write_line(f"Next: {next_command(['octavo', 'list', '--status', 'failed'], library=library)}")
    if documents:
        _write_documents(documents)
        if len(documents) == limit:
            write_line("  … --limit N lists more")
    _write_hosts(hosts)


def _write_documents(documents: Sequence[QueuedDocument]) -> None:
    from octavo_cli.toolkit.output import add_row, clean, make_table, write_line, write_table

    from ..document_text import moment

    table = make_table("Document", "State", "Since (UTC)", "Where")
    for one in documents:
        row = (one.path or one.document_id, _CONDITIONS[one.condition], moment(one.since), _holder(one))
        add_row(table, row, style=_STYLES.get(one.condition))
    write_table(table)
    reasons = {one.reason for one in documents if one.reason is not None}
    for reason in sorted(reasons):
        named = [one.path or one.document_id for one in documents if one.reason == reason]
        write_line(f"{clean(reason)}")
        for name in named:
            write_line(f"  {clean(name)}")
    if reasons:
        write_line("Next: start a worker that can read them, submit them again, or octavo queue --withdraw FILE")


def _holder(one: QueuedDocument) -> str:
    """The process that has a document."""
    if one.host is None:
        return "a process" if one.condition == "held" else ""
    return f"{one.host}, process {one.pid}" + ("" if one.is_alive else " (its lease has ended)")


def _write_hosts(hosts: Sequence[HostRecord]) -> None:
    from octavo_cli.toolkit.output import add_row, make_table, write_table

    from ..document_text import moment

    if not hosts:
        return
    table = make_table("Host", "Process", "Kind", "Began (UTC)", "Last sign (UTC)", "State", "#In work")
    for one in hosts:
        state = "alive" if one.is_alive else "lease ended"
        row = (one.host, str(one.pid), one.kind, moment(one.started_at), moment(one.seen_at), state, str(one.jobs))
        add_row(table, row, style=None if one.is_alive else "yellow")
    write_table(table)
