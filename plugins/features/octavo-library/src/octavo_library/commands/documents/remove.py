"""`octavo remove`: remove a document from a corpus."""

from __future__ import annotations

import click
from octavo_cli.toolkit.options import library_option
from octavo_cli.toolkit.running import octavo_command


@octavo_command(name="remove")
@click.argument("document", metavar="DOC")
@click.option("--corpus", metavar="NAME", required=True, help="The corpus.")
@library_option
def command(document: str, corpus: str, library: str) -> None:
    """Remove a document from a corpus.

    It stays in the library with all its versions; `octavo purge` removes it permanently. DOC is as for `octavo show`.
    """
    from octavo_cli.toolkit.output import clean, write_line
    from octavo_contracts import UsageError

    from ...facade.document_names import document_name
    from ..opening import open_library

    with open_library(library, create=False) as opened:
        # a document that the corpus may not see is reported like one that does not exist
        found = opened.document(document, corpus=corpus)
        name = clean(document_name(found))
        if not opened.corpora.remove_document(found, corpus):
            raise UsageError(f"the document is not in corpus {corpus}", source=name)
        write_line(f"{name} is no longer in {clean(corpus)}")
        members = {one.id for one in opened.documents(corpus=corpus)} if found.attachments else set()
        for attached in found.attachments:
            if attached.id in members:
                write_line(f"  stays there: {attached.id}, an attachment of it")
