"""Converts the documents again for which that is suggested: `octavo reconvert --outdated` (ENG-18)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from octavo_cli.toolkit.output import clean, write_json, write_line
from octavo_contracts import ExitCode, OctavoError, StorageError, strongest

from ..document_text import version_keys

if TYPE_CHECKING:
    from ...facade.library import Library


def reconvert_outdated(
    library: Library, document: str | None, *, corpus: str | None, as_json: bool, **options: Any
) -> ExitCode:
    """Convert outdated documents again, and print what came of each; one failure does not stop the others.

    Args:
        library: the library.
        document: only this document, as for `Library.document`; None: all.
        corpus: only documents of this corpus.
        as_json: whether to print JSON.
        options: further options of `Catalogue.follow`.

    Raises:
        UsageError: no such document or corpus.
        StorageError: the library cannot be written.
    """
    hints = library.catalogue.suggestions(corpus=corpus)
    if document is not None:
        chosen = library.document(document, corpus=corpus).id
        hints = {chosen: hints[chosen]} if chosen in hints else {}
    rows, codes = [], []
    for document_id, hint in hints.items():
        found = library.catalogue.find(document_id)
        row: dict[str, Any] = {"document_id": document_id, "version": None, "suggested": hint.message, "error": None}
        try:
            made = library.catalogue.follow(hint, **options)
        except StorageError:
            raise
        except OctavoError as error:
            row["error"] = str(error)
            codes.append(error.exit_code)
            outcome = f"not converted: {error}"
        else:
            row["version"] = version_keys(made)
            held = made.held_back
            codes.append(ExitCode.OK if held is None else ExitCode.DEGRADED)
            outcome = f"version {made.version} by {made.tool} {made.tool_version or ''}".rstrip()
            outcome += f", not made active: {held.message}" if held is not None else ""
        rows.append(row)
        if not as_json:
            write_line(clean(f"{library.catalogue.name_of(found)} ({document_id[:8]}): {outcome}"))
    if as_json:
        write_json({"documents": rows})
    elif not rows:
        write_line("No document is outdated")
    return strongest(codes)
