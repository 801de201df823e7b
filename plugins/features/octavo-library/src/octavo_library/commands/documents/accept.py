"""`octavo accept`: accept a document with its flags, or remove that mark.

JSON:
    `--json` prints one object:

    - `document_id`: id of the document.
    - `title`: its title, or null.
    - `active_version`: its active version.
    - `accepted`: null, or the mark of the active version: `version`, `note`, `accepted_by`, `at`.
    - `history`: the marks of all versions, a list of the same objects, oldest version first.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import click
from octavo_cli.toolkit.options import json_option, library_option
from octavo_cli.toolkit.running import octavo_command

if TYPE_CHECKING:
    from ...facade.document import Document


@octavo_command(name="accept")
@click.argument("document", metavar="DOC")
@click.option("--note", metavar="TEXT", default="", help="Why it is good enough.")
@click.option("--by", metavar="NAME", help="Who accepts it; by default the user of this process.")
@click.option("--clear", is_flag=True, help="Remove the mark.")
@click.option("--corpus", metavar="NAME", help="Act as this corpus: only documents visible under its policy.")
@library_option
@json_option
def command(
    document: str, note: str, by: str | None, clear: bool, corpus: str | None, library: str, as_json: bool
) -> None:
    """Accept a document with its flags, or remove that mark.

    Lists and screens then show the document as accepted. The flags stay in its quality report, and nothing is converted
    again. The mark ends when another version becomes the active one. DOC is as for `octavo show`.
    """
    from octavo_contracts import UsageError

    from ..opening import open_library

    if clear and (note or by is not None):
        raise UsageError("--clear was given with --note or --by", remedy="Give only --clear")
    with open_library(library, create=False) as opened:
        found = opened.document(document, corpus=corpus)
        if clear:
            found.versions.acceptance.clear()
        else:
            found.versions.acceptance.set(note=note, by=by or _user())
        _write(found, as_json=as_json)


def _user() -> str:
    import getpass

    try:
        return getpass.getuser()
    except (OSError, KeyError, ImportError):  # a container without user names
        return "user"


def _write(document: Document, *, as_json: bool) -> None:
    from dataclasses import asdict

    from octavo_cli.toolkit.output import clean, write_json, write_line

    from ...facade.document_names import document_name
    from ..document_text import acceptance_text

    mark = document.versions.acceptance.current
    if as_json:
        keys = {"document_id": document.id, "title": document.title, "active_version": document.active_version}
        history = [asdict(one) for one in document.versions.acceptance.history]
        write_json(keys | {"accepted": asdict(mark) if mark is not None else None, "history": history})
        return
    name = clean(document_name(document))
    write_line(f"{name}: {'not accepted' if mark is None else f'accepted {clean(acceptance_text(mark))}'}")
