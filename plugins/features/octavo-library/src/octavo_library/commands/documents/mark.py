"""`octavo mark`: mark pages of a document as needing recognition, or as visually important.

JSON:
    `--json` prints one object:

    - `document_id`: id of the document.
    - `marks`: a list of `page`, `kind` (needs_ocr or visually_important), `marked_by`, `at`.
    - `visual_importance`: high, medium or low, with the marks.
    - `recognised`: pages that were recognised now.
    - `version`: the new version with their text, or null.
    - `unread`: page → why it could not be recognised.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click
from octavo_cli.toolkit.options import json_option, library_option
from octavo_cli.toolkit.running import octavo_command

if TYPE_CHECKING:
    from octavo_contracts import ExitCode

    from ...facade.document import Document
    from ...facade.recognition.recognised import RecognitionResult

MOST_PAGES = 10_000


@octavo_command(name="mark")
@click.argument("document", metavar="DOC")
@click.option("--pages", metavar="LIST", help="Pages, such as 3-5,8. Without it, the marks are shown.")
@click.option("--needs-ocr", is_flag=True, help="The text of these pages must be recognised.")
@click.option("--visually-important", is_flag=True, help="The look of these pages matters for understanding.")
@click.option("--clear", is_flag=True, help="Remove the marks instead.")
@click.option("--later", is_flag=True, help="Leave the recognition to the next conversion.")
@click.option("--by", metavar="NAME", help="Who marks; by default the user of this process.")
@click.option("--corpus", metavar="NAME", help="Act as this corpus: only documents visible under its policy.")
@library_option
@json_option
def command(
    document: str,
    pages: str | None,
    needs_ocr: bool,
    visually_important: bool,
    clear: bool,
    later: bool,
    by: str | None,
    corpus: str | None,
    library: str,
    as_json: bool,
) -> ExitCode:
    """Mark pages of a document as needing recognition, or as visually important.

    A page that needs recognition is recognised now, as a new version, and again by every later conversion, whatever its
    text layer says. A visually important page makes the visual importance of the document high. DOC is as for `octavo show`.
    """
    from octavo_contracts import ExitCode, UsageError

    from ...text.page_list import page_list
    from ..opening import open_library
    from .metadata import user_name

    numbers = page_list(pages, most=MOST_PAGES) if pages is not None else ()
    if numbers is None:
        raise UsageError(f"--pages must be a list such as 3-5,8, got {pages!r}")
    if bool(numbers) != (needs_ocr or visually_important):
        raise UsageError(
            "a mark needs pages and a kind", remedy="Give --pages with --needs-ocr or --visually-important"
        )
    done: RecognitionResult | None = None
    with open_library(library, create=False) as opened:
        found = opened.document(document, corpus=corpus)
        for kind, is_wanted in (("needs_ocr", needs_ocr), ("visually_important", visually_important)):
            if is_wanted and clear:
                found.page_marks.remove(numbers, kind)  # type: ignore[arg-type]  # one of the two kinds
            elif is_wanted:
                found.page_marks.add(numbers, kind, by=by or user_name())  # type: ignore[arg-type]  # as above
        if needs_ocr and not (clear or later):
            from octavo.settings.ocr import OcrOptions

            from ...facade.recognition.on_request import recognise_document

            # The user rejects the text of these pages: it may be longer than the recognised one.
            done = recognise_document(found, OcrOptions(pages=tuple(numbers)), activate=True)
        _write(opened.document(found.id, corpus=corpus), done, as_json=as_json)
    return ExitCode.DEGRADED if done is not None and done.is_incomplete else ExitCode.OK


def _write(document: Document, done: RecognitionResult | None, *, as_json: bool) -> None:
    from dataclasses import asdict

    from octavo_cli.toolkit.output import clean, write_json, write_line

    classification = document.result.classification
    importance = classification.visual_importance if classification is not None else None
    read = sorted(done.recognition.readings) if done is not None else []
    unread = done.recognition.unread if done is not None else {}
    version = done.version.version if done is not None and done.version is not None else None
    if as_json:
        keys: dict[str, Any] = {"document_id": document.id, "marks": [asdict(one) for one in document.page_marks]}
        keys |= {"visual_importance": importance, "recognised": read, "version": version, "unread": unread}
        write_json(keys)
        return
    for mark in document.page_marks:
        write_line(f"page {mark.page}: {mark.kind.replace('_', ' ')}, marked by {clean(mark.marked_by)}")
    write_line(f"Visual importance: {importance or 'unknown'}")
    if read:
        write_line(f"Recognised: {', '.join(map(str, read))}" + (f", as version {version}" if version else ""))
    for page, why in sorted(unread.items()):
        write_line(f"Not recognised: page {page}: {clean(why)}")
