"""`octavo retry`: retry the documents that a run did not convert.

JSON:
    `--json` prints the same object as `octavo ingest --json`, and `--jsonl` the same lines.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import click
from octavo_cli.toolkit.options import json_option, library_option, password_option, timeout_option
from octavo_cli.toolkit.running import octavo_command

if TYPE_CHECKING:
    from octavo_contracts import ExitCode

    from .run import Style


@octavo_command(name="retry")
@click.argument("run", metavar="[RUN]", required=False)
@click.option(
    "--reason",
    metavar="REASON",
    help="Only documents that failed or wait for this reason, for example conversion_timeout or interrupted.",
)
@click.option(
    "--workers",
    metavar="N",
    type=click.IntRange(min=1),
    help="Documents converted in parallel; by default one per core.",
)
@password_option
@timeout_option
@library_option
@json_option
@click.option("--jsonl", "as_jsonl", is_flag=True, help="Print one JSON object per document as it finishes.")
def command(
    run: str | None,
    reason: str | None,
    workers: int | None,
    password: str | None,
    timeout: float | None,
    library: str,
    as_json: bool,
    as_jsonl: bool,
) -> ExitCode:
    """Retry the documents that a run did not convert.

    RUN is a run's id, four or more of its first digits, or `last`; without it, the newest run with such documents.
    `octavo runs RUN` lists them. They are retried as a new run with the plugin, profile and corpus of the old one, except
    those that were converted since. Documents that the run did not attempt are not retried.
    """
    from .outcome import Request
    from .run import retry

    if as_json and as_jsonl:
        raise click.UsageError("give --json or --jsonl, not both")
    style: Style = "json" if as_json else "jsonl" if as_jsonl else "text"
    request = Request(paths=(), library=library, password=password, timeout=timeout, workers=workers)
    return retry(request, run, reason=reason, style=style)
