"""Reports on stderr the paths whose content changed since an earlier ingestion: the earlier documents stay in the library."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from octavo_cli.toolkit.next_command import next_command
from octavo_cli.toolkit.output import clean, note

from ..document_text import near_path, path_text

if TYPE_CHECKING:
    from ...facade.library import Library
    from .outcome import Request

MOST = 5
"""Paths that are named; the others are counted."""


def note_replacements(library: Library, document_ids: Sequence[str], request: Request) -> None:
    """Name the paths of a run that had other content before, with the command that takes the earlier document away.

    Args:
        library: the open library.
        document_ids: the documents of the run.
        request: the arguments of the command.
    """
    found = library.catalogue.replacements(document_ids, corpus=request.corpus)
    for one in found[:MOST]:
        earlier = one.earlier_id[:8]
        words = (
            ["octavo", "remove", earlier, "--corpus", request.corpus]
            if request.corpus
            else ["octavo", "purge", earlier]
        )
        note(
            f"octavo: {clean(near_path(path_text(one.path)))} had other content before, document {earlier}, which stays in the "
            f"library. To remove it: {next_command(words, library=request.library)}"
        )
    if (more := len(found) - MOST) > 0:
        note(f"octavo: {more} more paths had other content before; `octavo list` marks the earlier documents")
