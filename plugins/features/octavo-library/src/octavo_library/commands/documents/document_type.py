"""`octavo type`: show the type of a document, or set it by hand.

JSON:
    `--json` prints one object:

    - `document_id`: id of the document.
    - `title`: its title, or null.
    - `document_type`: the effective type; `unknown` if there is none.
    - `document_type_by`: who set it by hand, or null.
    - `classified_as`: the classifier's verdict on the active version, or null without a verdict.
    - `confidence`: its confidence, 0..1, or null; below 0.5 `classified_as` is `unknown`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click
from octavo_cli.toolkit.options import json_option, library_option
from octavo_cli.toolkit.running import octavo_command

if TYPE_CHECKING:
    from ...facade.document import Document


@octavo_command(name="type")
@click.argument("document", metavar="DOC")
@click.argument("document_type", metavar="[TYPE]", required=False)
@click.option("--clear", is_flag=True, help="Remove the type set by hand: the classifier's type applies again.")
@library_option
@json_option
def command(document: str, document_type: str | None, clear: bool, library: str, as_json: bool) -> None:
    """Show the type of a document, or set it by hand.

    TYPE is a shipped type, one that a profile registers, or `unknown` for none of them; no conversion overwrites it.
    DOC is as for `octavo show`.
    """
    from octavo_contracts import UsageError

    from ..opening import open_library

    if clear and document_type is not None:
        raise UsageError("TYPE and --clear were given", remedy="Give only one of them")
    with open_library(library, create=False) as opened:
        found = opened.document(document)
        if document_type is not None:
            found.set_type(document_type)
        elif clear:
            found.set_type(None)
        _write(found, as_json=as_json)


def _write(document: Document, *, as_json: bool) -> None:
    from octavo_cli.toolkit.output import clean, write_json, write_line

    from ..document_text import kind_text

    classified = document.result.classification
    keys: dict[str, Any] = {
        "document_id": document.id,
        "title": document.title,
        "document_type": document.document_type,
        "document_type_by": document.document_type_by,
        "classified_as": classified.document_type if classified else None,
        "confidence": classified.classification_confidence if classified else None,
    }
    if as_json:
        write_json(keys)
        return
    by = document.document_type_by
    facts = {
        "Title": document.title,
        "Id": document.id,
        "Kind": kind_text(document.document_type, by=by),
        "Set by": by,
        "Classifier": f"{kind_text(classified.document_type)}, confidence {classified.classification_confidence:.2f}"
        if classified
        else "no verdict",
    }
    for name, value in facts.items():
        if value:
            write_line(f"{name:<13}{clean(value)}")
