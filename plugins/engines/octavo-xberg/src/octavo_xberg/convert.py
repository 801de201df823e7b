"""Converts a PDF to pages."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from octavo_contracts import (
    ContentTooLarge,
    Conversion,
    ConversionWarning,
    ConvertRequest,
    DocumentMetadata,
    Page,
    SourceCorrupt,
    SourceEmpty,
    SourceView,
    Table,
    UsageError,
)
from octavo_contracts.authoring import require_media_type
from octavo_contracts.authoring.control_signs import with_bullets, without_control_signs

from .engine import PLUGIN, engine_version, extract

if TYPE_CHECKING:
    from xberg import ExtractedDocument
    from xberg._xberg import PageContent

MEDIA_TYPES = ("application/pdf",)
END_MARK = b"%%EOF"
END_WITHIN = 4096
"""Bytes at the end of a file in which the mark of its end stands; readers agree on 1,024, writers do not."""


def convert_document(source: SourceView, *, request: ConvertRequest) -> Conversion:
    """Convert a PDF, every page of it, blank ones too.

    Args:
        source: the document.
        request: type and `max_pages`; pages, passwords and options are not taken.

    Raises:
        UnsupportedFormat: the type is none of the manifest's.
        UsageError: single pages or options are asked for.
        SourceEmpty: no bytes.
        SourceCorrupt, SourceEncrypted, ContentTooLarge, ToolUnavailable: see `engine.extract`.
    """
    require_media_type(request, MEDIA_TYPES)
    if request.pages is not None:
        raise UsageError(
            "xberg reads whole documents: it does not have the capability `page_ranges`",
            plugin=PLUGIN,
            remedy="Ask for the document without a page range",
        )
    if request.options:
        raise UsageError(f"xberg has no option {min(request.options)!r}", plugin=PLUGIN, remedy="It has none")
    if source.size == 0:
        raise SourceEmpty("the document has no bytes", plugin=PLUGIN)
    engine = engine_version()
    data = source.read_bytes()
    document = extract(data, media_type=request.media_type, max_pages=request.max_pages)
    pages = _pages(document, request.max_pages)
    warnings = [
        ConversionWarning(code="engine_warning", message=" ".join(warning.message.split()) or "xberg did not say what.")
        for warning in document.processing_warnings
    ]
    if END_MARK not in data[-END_WITHIN:]:
        message = "The end of the file is missing; xberg rebuilt what it could."
        warnings.append(ConversionWarning(code="partial_conversion", message=message))
    return Conversion(
        pages=pages, paginated=True, metadata=_metadata(document), warnings=tuple(warnings), engine_version=engine
    )


def _pages(document: ExtractedDocument, max_pages: int) -> tuple[Page, ...]:
    found = {page.page_number: page for page in document.pages or ()}
    structure = document.metadata.pages
    count = max(structure.total_count if structure else 0, max(found, default=0))
    if count < 1:
        raise SourceCorrupt("the document has no page", plugin=PLUGIN)
    if count > max_pages:
        raise ContentTooLarge(f"{count} pages are above the limit of {max_pages}", plugin=PLUGIN)
    labels = _additional(document, "page_labels")
    sizes = {frame["page_number"]: frame for frame in _additional(document, "pdf_page_coordinate_frames")}
    return tuple(
        _page(found.get(number), number, labels[number - 1] if len(labels) == count else None, sizes.get(number, {}))
        for number in range(1, count + 1)
    )


def _page(content: PageContent | None, number: int, label: str | None, frame: dict[str, Any]) -> Page:
    markdown = without_control_signs(with_bullets(content.content)).strip() if content else ""
    width, height = frame.get("width") or None, frame.get("height") or None
    if frame.get("clockwise_rotation", 0) % 180:
        width, height = height, width
    return Page(
        number=number,
        label=label or None,
        markdown=f"{markdown}\n" if markdown else "",
        tables=tuple(
            Table(rows=tuple(tuple(without_control_signs(cell) for cell in row) for row in table.cells))
            for table in (content.tables if content else ())
            if table.cells
        ),
        width=width,
        height=height,
        has_images=bool(content and content.image_indices),
    )


def _additional(document: ExtractedDocument, key: str) -> list[Any]:
    """A list that xberg gives as JSON among its further metadata; empty where it does not."""
    said = document.metadata.additional.get(key)
    return list(json.loads(said)) if said else []


def _local_time(said: str | None) -> str:
    """Return a time without its zone: xberg calls the time of any zone UTC."""
    return (said or "").removesuffix("Z").removesuffix("+00:00")


def _metadata(document: ExtractedDocument) -> DocumentMetadata:
    said = document.metadata
    return DocumentMetadata(
        title=said.title or None,
        author=", ".join(said.authors or ()) or None,
        date=_local_time(said.modified_at or said.created_at) or None,
        language=said.language or None,
    )
