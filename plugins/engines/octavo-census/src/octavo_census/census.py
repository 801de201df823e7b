"""Calls the reader of a document's format and answers the hook `classify`: the structure, and no verdict."""

from __future__ import annotations

from collections.abc import Callable

from octavo_contracts import Category, DocumentClassification, SourceStructure, SourceView
from octavo_contracts.authoring.containers import DAMAGED

from . import books, open_text, slides, web_pages, word_documents, workbooks
from .package import Package, PackageError
from .parts import PartList

MAX_BYTES = 128 << 20
"""Largest document that is read; preflight of the host refuses larger ones of most formats."""

_READERS: dict[str, tuple[Category, Callable[[Package, PartList], None]]] = {
    "wordprocessingml.document": (Category.WORD, word_documents.count),
    "ms-word.document": (Category.WORD, word_documents.count),
    "presentationml.presentation": (Category.PRESENTATION, slides.count),
    "ms-powerpoint.presentation": (Category.PRESENTATION, slides.count),
    "spreadsheetml.sheet": (Category.SPREADSHEET, workbooks.count),
    "ms-excel.sheet": (Category.SPREADSHEET, workbooks.count),
    "opendocument.text": (Category.WORD, open_text.count),
    "epub": (Category.PLAINTEXT, books.count),
}


def count_parts(source: SourceView) -> DocumentClassification | None:
    """Count the parts of a document.

    Args:
        source: the document, of a media type of the manifest.

    Returns:
        A classification of confidence 0 that has only the structure; None for a damaged document, which the converters
        report, and for one that is too large.
    """
    if source.size > MAX_BYTES:
        return None
    parts = PartList()
    if source.media_type in ("text/html", "application/xhtml+xml"):
        category = Category.PLAINTEXT
        web_pages.count(source.read_bytes(), parts)
    else:
        readers = [row for mark, row in _READERS.items() if mark in source.media_type]
        if not readers:
            return None
        category, reader = readers[0]
        try:
            with source.open() as stream, Package(stream) as package:
                reader(package, parts)
        except (PackageError, *DAMAGED):
            return None
    structure = SourceStructure(parts=tuple(parts.parts), is_complete=not parts.is_full)
    return DocumentClassification(category=category, classification_confidence=0.0, structure=structure)
