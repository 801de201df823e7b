"""`octavo relink`: record the new path of a document's original."""

from __future__ import annotations

import click
from octavo_cli.toolkit.options import library_option
from octavo_cli.toolkit.running import octavo_command


@octavo_command(name="relink")
@click.argument("document", metavar="DOC")
@click.argument("path", metavar="PATH", type=click.Path(readable=False))
@library_option
def command(document: str, path: str, library: str) -> None:
    """Record the new path of a document's original.

    PATH must hold the same bytes; it is read and never written. DOC is as for `octavo show`.
    """
    from octavo_cli.toolkit.output import clean, write_line

    from ...facade.document_names import document_name
    from ..document_text import path_text
    from ..opening import open_library

    with open_library(library, create=False) as opened:
        found = opened.document(document)
        ref = found.original.relink(path)
        write_line(f"{clean(document_name(found))} is at {path_text(ref)}")
