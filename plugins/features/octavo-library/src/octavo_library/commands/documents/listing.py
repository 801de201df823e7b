"""`octavo list`: list the documents of a library.

JSON:
    `--json` prints one object:

    - `documents`: a list, by time of first ingestion, of `id`, `title`, `status`, `reason` (why it failed, or
      null), `media_type`, `raw_hash`, `active_version`, `ingested_at`, `paths` (references, oldest first).
"""

from __future__ import annotations

import click
from octavo.cli.toolkit.options import json_option, library_option
from octavo.cli.toolkit.running import octavo_command


@octavo_command(name="list")
@library_option
@click.option("--corpus", metavar="NAME", help="Only the documents of this corpus.")
@json_option
def command(library: str, corpus: str | None, as_json: bool) -> None:
    """List the documents of a library."""
    from octavo.cli.toolkit.output import add_row, clean, make_table, write_json, write_line, write_table

    from ..document_text import STATUS_TEXTS, document_keys, moment, path_text, short_ids
    from ..opening import open_library

    with open_library(library, create=False) as opened:
        documents = opened.documents(corpus=corpus)
        if as_json:
            write_json({"documents": [document_keys(document) for document in documents]})
            return
        if not documents:
            write_line(f"No documents in {clean(corpus or library)}")
            return
        ids = short_ids([document.id for document in documents])
        table = make_table("Id", "Title", "Status", "Type", "#Version", "Ingested (UTC)", "Path")
        for document in documents:
            status = STATUS_TEXTS[document.status] + (f": {document.reason}" if document.reason else "")
            cells = (
                ids[document.id],
                document.title or "",
                status,
                _type_text(document.media_type),
                str(document.active_version or ""),
                moment(document.ingested_at),
                path_text(document.paths[0]) if document.paths else "",
            )
            add_row(table, cells)
        write_table(table)


def _type_text(media_type: str | None) -> str:
    """The name of the format; for a format that only a plugin knows, the media type."""
    from octavo.formats import UNKNOWN, format_of

    row = format_of(media_type or UNKNOWN.media_type)
    return (media_type or "") if row is UNKNOWN else row.label
