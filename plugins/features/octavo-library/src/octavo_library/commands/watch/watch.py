"""`octavo watch`: take in what is put into a folder, as it comes.

JSON:
    `--jsonl` prints the lines of `octavo ingest --jsonl`, one a document as it finishes.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click
from octavo.cli.toolkit.options import conversion_options, library_option
from octavo.cli.toolkit.running import octavo_command

from ..ingest.ingest import glob_options

if TYPE_CHECKING:
    from octavo_contracts import ExitCode


@octavo_command(name="watch")
@click.argument("folder", metavar="DIR", type=click.Path())
@click.option("--corpus", metavar="NAME", help="Corpus the documents belong to; made where it does not exist.")
@library_option
@conversion_options
@click.option("--workers", metavar="N", type=click.IntRange(min=1), help="Documents converted at once; one a core.")
@glob_options
@click.option("--jsonl", "as_jsonl", is_flag=True, help="Print one JSON object a document instead of a line of text.")
def command(as_jsonl: bool, **options: Any) -> ExitCode:
    """Take in what is put into a folder, as it comes.

    What is in the folder already is taken in first. A file is taken once it has not changed for a while (the settings
    `watch.settle_seconds` and `watch.debounce_seconds`), and again whenever it changes; names that say that a file is not
    finished (.part, .crdownload, .tmp, ~) wait for another name. The folder is also read whole, every
    `watch.rescan_seconds`, as notices of changes may get lost, and when it was replaced or was away. What `octavo ingest`
    leaves out of a folder is left out here. One line a document; Ctrl-C ends it with code 130.
    """
    from ..ingest.outcome import Request
    from .run import watch

    folder = options.pop("folder")
    return watch(Request(paths=(folder,), surface="watched_folder", **options), folder, as_jsonl=as_jsonl)
