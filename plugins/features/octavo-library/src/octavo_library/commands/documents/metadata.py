"""`octavo metadata`: show or set what callers declared of a document, and decide about paused ingestions.

JSON:
    `--json` prints one object:

    - `document_id`: id of the document.
    - `title`: the title that readers see: the declared one, else its own, or null.
    - `declared`: null, or what is declared: `title`, `date`, `source`, `further` (name → value), `declared_by`, `at`.
    - `disputes`: paused ingestions, a list of `id`, the same fields, `path` (a reference, or null), `surface`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click
from octavo_cli.toolkit.options import json_option, library_option
from octavo_cli.toolkit.running import octavo_command

from ..ingest.ingest import metadata_pairs

if TYPE_CHECKING:
    from ...facade.document import Document


@octavo_command(name="metadata")
@click.argument("document", metavar="DOC")
@click.option("--title", metavar="TEXT", help="Declare this title.")
@click.option("--date", metavar="DATE", help="Declare this date: 2026-11-26, 2026-11 or 2026.")
@click.option("--source", metavar="TEXT", help="Declare where it is from: a docket, a sender, a publisher.")
@click.option(
    "--set",
    "further",
    metavar="NAME=VALUE",
    multiple=True,
    callback=metadata_pairs,
    help="Declare further metadata. May be repeated.",
)
@click.option("--clear", is_flag=True, help="Remove what is declared.")
@click.option("--keep", is_flag=True, help="End the paused ingestions: the declared metadata stays.")
@click.option("--replace", is_flag=True, help="End the paused ingestions: the metadata of the last one is taken.")
@click.option("--by", metavar="NAME", help="Who declares or decides; by default the user of this process.")
@click.option("--corpus", metavar="NAME", help="Act as this corpus: only documents visible under its policy.")
@library_option
@json_option
def command(
    document: str,
    clear: bool,
    keep: bool,
    replace: bool,
    by: str | None,
    corpus: str | None,
    library: str,
    as_json: bool,
    **values: Any,
) -> None:
    """Show or set the metadata that was declared of a document.

    Declared values replace those of the same name, and the others stay. `list`, `search`, `show` and `export` use a declared
    title in the place of the document's own one. An ingestion of known bytes that declares another
    title, date or source is paused: --keep or --replace ends it, and nothing is converted again. DOC is as for `octavo
    show`.
    """
    from octavo_contracts import UsageError

    from ..opening import open_library

    given = any(values.values())
    if given + clear + keep + replace > 1:
        raise UsageError(
            "values, --clear, --keep and --replace exclude each other", remedy="Give one of them in each command"
        )
    with open_library(library, create=False) as opened:
        found = opened.document(document, corpus=corpus)
        if given:
            _declare(found, values, by=by or user_name())
        elif clear:
            found.metadata.set(None, by=by or user_name())
        elif keep or replace:
            _decide(found, take_new=replace, by=by or user_name())
        # Once more, because a document object keeps the title that it was read with.
        _write(opened.document(found.id, corpus=corpus), as_json=as_json)


def user_name() -> str:
    """The user of this process."""
    import getpass

    try:
        return getpass.getuser()
    except (OSError, KeyError, ImportError):  # a container without user names
        return "user"


def _declare(document: Document, values: dict[str, Any], *, by: str) -> None:
    from ...storage import DeclaredMetadata

    current = document.metadata.current
    old = current.metadata if current is not None else None
    new = DeclaredMetadata(**{name: values[name] for name in ("title", "date", "source")}, further=values["further"])
    document.metadata.set(new.over(old) if old is not None else new, by=by)


def _decide(document: Document, *, take_new: bool, by: str) -> None:
    from octavo_contracts import UsageError

    from ...facade.document_names import document_name

    disputes = document.metadata.disputes
    if not disputes:
        raise UsageError("no ingestion of the document is paused", source=document_name(document))
    for dispute in disputes:
        document.metadata.resolve(dispute.id, take_new=take_new, by=by)


def _write(document: Document, *, as_json: bool) -> None:
    from octavo_cli.toolkit.output import clean, write_json, write_line

    from ...facade.document_names import document_name
    from ..document_text import metadata_keys, metadata_lines, path_text

    current, disputes = document.metadata.current, document.metadata.disputes
    if as_json:
        write_json({"document_id": document.id, "title": document.title, **metadata_keys(document)})
        return
    name = clean(document_name(document))
    write_line(f"{name}: no metadata was declared" if current is None else name)
    for name, value in metadata_lines(current.metadata) if current is not None else ():
        write_line(f"  {name:<12}{clean(value)}")
    for dispute in disputes:
        place = path_text(dispute.path) if dispute.path is not None else dispute.surface
        write_line(f"Paused: {clean(place)}")
        for name, value in metadata_lines(dispute.metadata):
            write_line(f"  {name:<12}{clean(value)}")
