"""`octavo watch`: ingest new and changed files of a folder as they appear.

JSON:
    `--jsonl` prints the lines of `octavo ingest --jsonl`, one per document as it finishes.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click
from octavo_cli.toolkit.options import conversion_options, library_option
from octavo_cli.toolkit.running import octavo_command

from ..ingest.ingest import glob_options

if TYPE_CHECKING:
    from octavo_contracts import ExitCode


@octavo_command(name="watch")
@click.argument("folder", metavar="DIR", type=click.Path(readable=False))
@click.option("--corpus", metavar="NAME", help="Corpus of the documents; created if it is missing.")
@library_option
@conversion_options
@click.option(
    "--workers",
    metavar="N",
    type=click.IntRange(min=1),
    help="Documents converted in parallel; by default one per core.",
)
@glob_options
@click.option("--jsonl", "as_jsonl", is_flag=True, help="Print one JSON object per document instead of a line of text.")
def command(as_jsonl: bool, **options: Any) -> ExitCode:
    """Ingest new and changed files of a folder as they appear.

    Existing files are ingested first. A file is ingested once it has not changed for a while (the settings
    `watch.settle_seconds` and `watch.debounce_seconds`), and again whenever it changes; files with temporary names
    (.part, .crdownload, .tmp, ~) are ignored until they are renamed. The whole folder is also scanned every
    `watch.rescan_seconds`, because change notifications may get lost, and when it was replaced or has returned. Files
    that `octavo ingest` leaves out of a folder are left out here. Prints one line per document; Ctrl-C stops with exit
    code 130.
    """
    from ..ingest.outcome import Request
    from .run import watch

    folder = options.pop("folder")
    return watch(Request(paths=(folder,), surface="watched_folder", **options), folder, as_jsonl=as_jsonl)
