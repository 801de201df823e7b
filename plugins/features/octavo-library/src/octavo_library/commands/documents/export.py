"""`octavo export`: write a document as a zip with its texts, metadata, quality report and annotations."""

from __future__ import annotations

import click
from octavo.cli.toolkit.options import library_option
from octavo.cli.toolkit.running import octavo_command


@octavo_command(name="export")
@click.argument("document", metavar="DOC")
@click.option(
    "--output", "-o", metavar="FILE", required=True, type=click.Path(dir_okay=False), help="The zip to write."
)
@click.option("--corpus", metavar="NAME", help="Read as this corpus: only documents visible under its policy.")
@library_option
def command(document: str, output: str, corpus: str | None, library: str) -> None:
    """Write a document as a zip with its texts, metadata, quality report and annotations.

    Its `manifest.json` has the SHA-256 of every other file. The same state of a document gives the same bytes. DOC is
    as for `octavo show`.
    """
    from octavo.cli.toolkit.output import clean, note_empty, write_line

    from ..opening import open_library

    with open_library(library, create=False) as opened:
        found = opened.document(document, corpus=corpus)
        digest = found.export(output)
        note_empty(document, found.why_empty)
    write_line(f"{clean(output)} written, SHA-256 {digest}")
