"""`octavo list`: list the documents of a library.

JSON:
    `--json` prints one object:

    - `documents`: a list, by time of first ingestion or by `--sort`, of `id`, `title`, `status`, `reason` (why it failed, or
      null), `media_type`, `raw_hash`, `active_version`, `ingested_at`, `paths` (references, oldest first), `superseded_by` (the id
      of the document that is now at its path, if its file has other content now, or null),
      `accepted` (null, or who accepted its version with its flags, as for `octavo show`); with `--hash` also `hash_of`, a list of what of
      the document has the hash (raw, binary, text, page, chunk or instance); with `--outdated` also `suggested`, why it may
      better be converted again.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

import click
from octavo_cli.toolkit import immediate_exit
from octavo_cli.toolkit.options import json_option, library_option
from octavo_cli.toolkit.running import octavo_command

if TYPE_CHECKING:
    from ...facade.document import Document
    from ...storage import HashKind


@octavo_command(name="list")
@library_option
@click.option("--corpus", metavar="NAME", help="Only the documents of this corpus.")
@click.option(
    "--status",
    "statuses",
    multiple=True,
    type=click.Choice(["complete", "degraded", "failed"]),
    help="Only documents of this status. May be repeated.",
)
@click.option(
    "--type",
    "kinds",
    metavar="FORMAT",
    multiple=True,
    help="Only this format: pdf, docx or a media type. May be repeated.",
)
@click.option(
    "--since",
    metavar="WHEN",
    help="Only what first came in since: 2026-11-22, '2026-11-22 09:30' (UTC), 7d, 12h or 2w.",
)
@click.option(
    "--hash",
    "digest",
    metavar="SHA256",
    help="Only what has this hash, of its bytes, its text, a page or a chunk; or this source instance.",
)
@click.option(
    "--outdated",
    is_flag=True,
    help="Only what may better be converted again: its plugin has a newer version, or its type was changed since.",
)
@click.option("--limit", metavar="N", type=click.IntRange(min=1), help="At most so many.")
@click.option(
    "--sort",
    "order",
    metavar="KEY",
    help="ingested (as without it), title, name, status or type; with - before it from the last to the first.",
)
@json_option
def command(
    library: str,
    corpus: str | None,
    statuses: tuple[str, ...],
    kinds: tuple[str, ...],
    since: str | None,
    digest: str | None,
    outdated: bool,
    limit: int | None,
    order: str | None,
    as_json: bool,
) -> None:
    """List the documents of a library.

    Version is that of the active conversion. One ingest may make several: see `octavo show`.
    """
    from octavo_cli.toolkit.next_command import next_command
    from octavo_cli.toolkit.output import add_row, clean, make_table, write_json, write_line, write_table

    from ...facade.document_names import file_name
    from ..document_text import EARLIER_CONTENT, STATUS_TEXTS, document_keys, moment, near_path, path_text, short_ids
    from ..opening import open_library
    from .selection import select_documents

    immediate_exit.skip_teardown()
    with open_library(library, create=False) as opened:
        holders = opened.documents_with_hash(digest, corpus=corpus) if digest is not None else {}
        hash_of = _kinds_of(holders)
        everything = opened.documents(corpus=corpus)
        if digest is not None:
            everything = [document for document in everything if document.id in hash_of]
        hints = opened.catalogue.suggestions(corpus=corpus) if outdated else {}
        if outdated:
            everything = [document for document in everything if document.id in hints]
        documents = select_documents(everything, statuses=statuses, kinds=kinds, since=since, order=order, limit=limit)
        later = opened.catalogue.successors([document.id for document in documents], corpus=corpus)
        if as_json:
            rows = [document_keys(document) | {"superseded_by": later.get(document.id)} for document in documents]
            if digest is not None:
                rows = [row | {"hash_of": hash_of[str(row["id"])]} for row in rows]
            if outdated:
                rows = [row | {"suggested": hints[str(row["id"])].message} for row in rows]
            write_json({"documents": rows})
            return
        if not documents:
            fitting = " that fit" if everything or digest is not None or outdated else ""
            write_line(f"No documents{fitting} in {clean(corpus or library)}")
            return
        accepted = opened.catalogue.accepted(corpus=corpus)
        ids = short_ids([document.id for document in everything])
        more = [*(["Hash of"] if digest is not None else []), *(["Suggested because"] if outdated else [])]
        table = make_table("Id", "Title", "Status", "Type", "#Version", "Ingested (UTC)", "Path", *more)
        for document in documents:
            status = STATUS_TEXTS[document.status] + (f": {document.reason}" if document.reason else "")
            status += ", accepted" if document.id in accepted else ""
            status += f", {EARLIER_CONTENT}" if document.id in later else ""
            cells = (
                ids[document.id],
                document.title or file_name(document),
                status,
                _type_text(document.media_type),
                str(document.active_version or ""),
                moment(document.ingested_at),
                near_path(path_text(document.paths[0])) if document.paths else "",
            )
            told = [", ".join(hash_of[document.id])] if digest is not None else []
            add_row(table, (*cells, *told, *([hints[document.id].message] if outdated else [])))
        write_table(table)
        if outdated:
            words = [
                "octavo",
                "reconvert",
                "--outdated",
                *(["--corpus", corpus] if corpus else []),
            ]
            write_line(f"\nTo convert them again: {next_command(words, library=library)}")


def _kinds_of(holders: Mapping[HashKind, Sequence[Document]]) -> dict[str, list[str]]:
    """What of each document has the hash, by the id of the document."""
    found: dict[str, list[str]] = {}
    for kind, documents in holders.items():
        for document in documents:
            found.setdefault(document.id, []).append(kind)
    return found


def _type_text(media_type: str | None) -> str:
    """The name of the format; for a format that only a plugin knows, the media type."""
    from octavo.formats import UNKNOWN, format_of

    row = format_of(media_type or UNKNOWN.media_type)
    return (media_type or "") if row is UNKNOWN else row.label
