"""Reads the outline of a PDF, its bookmarks, with pdfium. Runs in the worker only."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from octavo_contracts import SourceView

MAX_ENTRIES: Final = 5_000
"""Further entries of an outline are not read."""
MAX_TITLE: Final = 300
"""Longer titles, in characters, are no titles."""
_FEWEST_NUMBERED: Final = 3
"""Fewest entries of an outline that is a list of the pages."""
_NUMBERED_SHARE: Final = 0.8
"""Least share of its entries that carry the number of their page."""
_FILE_NAME: Final = re.compile(
    r"\S(?:.*\S)?\.(?:pdf|docx?|odt|rtf|html?|xlsx?|pptx?|txt|tex|dvi|ps|eps|indd|qx[dp]|p65|jpe?g|png|tiff?)",
    re.IGNORECASE,
)
_NUMBERED: Final = re.compile(r"(\D*?)(\d{1,5})")


@dataclass(frozen=True, kw_only=True)
class OutlineEntry:
    """One entry of an outline.

    Attributes:
        level: from 1.
        title: its words, with single spaces.
        page: number of the page that it points to, from 1.
    """

    level: int
    title: str
    page: int


def read_outline(source: SourceView, *, password: str | None = None) -> list[OutlineEntry]:
    """Return the entries that have a title and a page, in order; none of a document that pdfium cannot open.

    File names are left out, as are the entries of an outline that only lists the pages.
    """
    import pypdfium2 as pdfium

    try:
        document = pdfium.PdfDocument(source.read_bytes(), password=password)
    except pdfium.PdfiumError:
        return []
    try:
        entries = list(_entries(document))
    finally:
        document.close()
    return [] if _lists_pages(entries) else entries


def _entries(document: object) -> Iterator[OutlineEntry]:
    import pypdfium2 as pdfium

    assert isinstance(document, pdfium.PdfDocument)
    for mark in islice(document.get_toc(), MAX_ENTRIES):
        title = " ".join(mark.get_title().split())
        target = mark.get_dest()
        index = target.get_index() if target is not None else None
        has_words = sum(map(str.isalpha, title)) > 1 and len(title) <= MAX_TITLE
        if index is not None and index >= 0 and has_words and not _FILE_NAME.fullmatch(title):
            yield OutlineEntry(level=mark.level + 1, title=title, page=index + 1)


def _lists_pages(entries: Sequence[OutlineEntry]) -> bool:
    """Return whether most titles are one text with a number that runs with the pages, such as "Page 3"."""
    if len(entries) < _FEWEST_NUMBERED:
        return False
    found = Counter(
        (match[1], int(match[2]) - entry.page) for entry in entries if (match := _NUMBERED.fullmatch(entry.title))
    )
    return bool(found) and found.most_common(1)[0][1] >= _NUMBERED_SHARE * len(entries)
