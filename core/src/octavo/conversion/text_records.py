"""Texts of a document with flat metadata, as indexes and frameworks for retrieval take them."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING

from octavo_contracts import UsageError

from .text_chunks import text_chunks

if TYPE_CHECKING:
    from octavo_contracts import IngestionResult

    from .results import ConvertedDocument

Scalar = str | int | float
"""A value of metadata: what every vector store can keep and filter by."""


class TextUnit(StrEnum):
    """What one text is."""

    DOCUMENT = "document"
    """The markdown of the whole document."""
    PAGE = "page"
    """The markdown of a page; of a document without pages, the whole of it."""
    CHUNK = "chunk"
    """A chunk of the canonical text, so that `start` and `end` are exact."""


@dataclass(frozen=True, kw_only=True)
class TextRecord:
    """One text of a document.

    Attributes:
        record_id: stable: the same bytes and unit give the same id.
        text: markdown for a document and a page, canonical text for a chunk.
        metadata: see `document_metadata`; of a page also `page` and `page_label`, of a chunk also `chunk_id`, `page`,
            `start` and `end`. Keys without a value are left out.
    """

    record_id: str
    text: str
    metadata: dict[str, Scalar]


def text_unit(name: str) -> TextUnit:
    """The unit of a name.

    Raises:
        UsageError: no unit has that name.
    """
    try:
        return TextUnit(name)
    except ValueError:
        raise UsageError(f"no text unit is named {name!r}; there are {', '.join(TextUnit)}") from None


def document_metadata(result: IngestionResult, source: str | None) -> dict[str, Scalar]:
    """Flat metadata of a document: `source`, `document_id`, `title`, `author`, `date`, `language`, `document_type`, `quality`, `flags` and `engine`.

    Args:
        result: of the document.
        source: the document as the caller named it.
    """
    metadata, report = result.metadata, result.quality_report
    return _given(
        source=source,
        document_id=result.document_id,
        title=metadata.title,
        author=metadata.author,
        date=metadata.date,
        language=metadata.language,
        document_type=None if result.document_type == "unknown" else result.document_type,
        quality=report.quality_score,
        flags=", ".join(report.degraded_flags) or None,
        engine=report.selected_tool,
    )


def text_records(converted: ConvertedDocument, *, source: str | None, unit: TextUnit) -> Iterator[TextRecord]:
    """The texts of a converted document, in order; a page or chunk without text is left out.

    Args:
        converted: the document.
        source: as the caller named it.
        unit: what one text is.
    """
    result = converted.result
    document = document_metadata(result, source)
    identity = result.document_id or ""
    anchors = list(result.page_anchor_map.anchors())
    if unit is TextUnit.CHUNK:
        for chunk in text_chunks(result, converted.text, source=source):
            where = f"{identity}:{chunk.start}-{chunk.end}"
            yield TextRecord(record_id=where, text=chunk.text, metadata={**document, **chunk.metadata})
    elif unit is TextUnit.PAGE and anchors:
        for anchor in anchors:
            text = converted.markdown[anchor.markdown_start : anchor.markdown_end]
            if text.strip():
                place = _given(page=anchor.page, page_label=anchor.label)
                yield TextRecord(record_id=f"{identity}:page:{anchor.page}", text=text, metadata={**document, **place})
    elif converted.markdown.strip():
        pages = {"pages": len(anchors)} if anchors else {}
        yield TextRecord(record_id=identity, text=converted.markdown, metadata={**document, **pages})


def _given(**values: Scalar | None) -> dict[str, Scalar]:
    return {key: value for key, value in values.items() if value is not None}
