"""Classify a PDF by a few of its pages (CLS-3 … CLS-5, CLS-7, CLS-9)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Literal, NamedTuple

from octavo_contracts import Category, DocumentClassification, PageMetadata, RoutingType, SourceCorrupt

from octavo.detect import Detected
from octavo.preflight import PdfFile

from .document_types import TABLE_HEAVY_TYPES, TypeEvidence, document_type, has_exhibits
from .pdf_page import PageSignals, read_page
from .scanned import SCANNED_DENSITY, page_needs_ocr
from .text_tables import table_rows
from .tokens import estimate_tokens

MAX_PAGES = 20
"""No more pages than this are looked at."""
FIRST_LOOK = 5
"""Pages looked at first; where all of them are plain text and the file holds no large picture, the only ones."""

_DENSE = 500
_SMALL_RASTER = 500_000
_IMAGE_HEAVY = 0.3
_CHART_CURVES = 20
_VISUAL_ROWS = 5
_TABLES, _TABLE_ROWS = 3, 30


class _Tables(NamedTuple):
    """Tables of the document, by what the sampled pages show and spread over all of them."""

    count: float
    rows: float
    largest: int


def classify_pdf(
    pdf: PdfFile, detected: Detected, *, name: str, scanned_density: float = SCANNED_DENSITY
) -> DocumentClassification:
    """Classify an open PDF.

    Looks at five pages spread over the document; at up to twenty where those, or pictures in the file, leave
    room for doubt. Equal bytes give equal answers.

    Args:
        pdf: the file, open.
        detected: its type.
        name: the document's name.
        scanned_density: threshold of `page_needs_ocr`.

    Raises:
        SourceCorrupt: pdfium could not open it, or can load none of the pages looked at.
    """
    if pdf.document is None:
        raise SourceCorrupt(f"pdfium can not open the PDF ({pdf.error})")
    form_type = _form_type(pdf.document)
    pages = _sample(pdf, has_form=form_type > 0)
    if not pages:
        raise SourceCorrupt("pdfium can load none of the PDF's pages")
    scanned = {page.number: _is_scanned(page, scanned_density) for page in pages}
    texts = [page.text for page in pages]
    kind = document_type(
        TypeEvidence(pages=texts, name=name, media_type=detected.media_type, page_count=pdf.page_count)
    )
    tables = _tables(pages, page_count=pdf.page_count)
    category, routing = _route(pages, scanned, tables, document_type=kind.document_type)
    has_charts = any(page.curves >= _CHART_CURVES for page in pages)
    return DocumentClassification(
        category=category,
        document_type=kind.document_type,
        routing_type=routing,
        visual_importance=_visual_importance(pages, category, tables, has_charts=has_charts),
        classification_confidence=kind.confidence,
        estimated_tokens=estimate_tokens(
            sum(len(text) for text in texts) * pdf.page_count // len(pages), page_count=pdf.page_count
        ),
        page_count=pdf.page_count,
        page_metadata=tuple(_metadata(page, is_scanned=scanned[page.number]) for page in pages),
        pages_sampled=len(pages),
        has_exhibits=has_exhibits(texts),
        has_charts=has_charts,
        has_tables=tables.count > 0,
        has_signatures=_signatures(pdf.document) > 0,
        has_form_fields=form_type > 0 and (any(page.has_widget for page in pages) or b"/Widget" in pdf.data),
        has_scanned_pages=any(scanned.values()),
        media_type=detected.media_type,
        mismatch=detected.mismatch,
    )


def _sample(pdf: PdfFile, *, has_form: bool) -> list[PageSignals]:
    """The pages looked at, in order of their numbers."""
    count = pdf.page_count
    few = spread(count, FIRST_LOOK)
    pages = _read(pdf, few, has_form=has_form)
    if len(pages) == count or (len(pages) == len(few) and _is_plain(pdf, pages)):
        return pages
    rest = [number for number in spread(count, MAX_PAGES) if number not in few][: MAX_PAGES - len(few)]
    return sorted(pages + _read(pdf, rest, has_form=has_form), key=lambda page: page.number)


def spread(count: int, wanted: int) -> list[int]:
    """Page numbers spread over a document: all where they fit, else the first two, the last, and evenly between.

    Args:
        count: pages in all.
        wanted: how many numbers to give.
    """
    if count <= wanted:
        return list(range(1, count + 1))
    steps = wanted - 2
    return [1, *(2 + (count - 2) * step // steps for step in range(steps + 1))]


def _is_plain(pdf: PdfFile, pages: Sequence[PageSignals]) -> bool:
    """Whether more pages could hardly change the answer: nothing but text here, no large picture anywhere.

    Covers and contents may be thin, so one page in five may be.
    """
    pixels = sum(width * height or _SMALL_RASTER for width, height in pdf.rasters)
    dense = sum(page.chars >= _DENSE for page in pages)
    return pixels < _SMALL_RASTER and dense >= len(pages) - 2 and not any(page.unmapped > 0.1 for page in pages)


def _read(pdf: PdfFile, numbers: Sequence[int], *, has_form: bool) -> list[PageSignals]:
    import pypdfium2

    pages = []
    for number in numbers:
        try:
            pages.append(read_page(pdf.document, number, has_rasters=bool(pdf.rasters), has_form=has_form))
        except pypdfium2.PdfiumError:
            # A page that does not load says nothing of the document; the converter reports it.
            continue
    return pages


def _is_scanned(page: PageSignals, density: float) -> bool:
    return page_needs_ocr(
        page.chars,
        area=page.area,
        picture_share=page.picture_share,
        drawn_paths=page.paths,
        garbled=page.garbled,
        unmapped=page.unmapped,
        density_threshold=density,
    )


def _metadata(page: PageSignals, *, is_scanned: bool) -> PageMetadata:
    return PageMetadata(
        page_number=page.number,
        is_scanned=is_scanned,
        text_density=round(page.density, 6),
        has_text_layer=page.chars > 0,
        needs_ocr=is_scanned,
    )


def _tables(pages: Sequence[PageSignals], *, page_count: int) -> _Tables:
    found = [
        rows
        for page in pages
        for rows in (table_rows(page.text) or ((page.ruled_rows,) if page.ruled_rows > 1 else ()))
    ]
    scale = page_count / len(pages)
    return _Tables(count=len(found) * scale, rows=sum(found) * scale, largest=max(found, default=0))


def _route(
    pages: Sequence[PageSignals], scanned: dict[int, bool], tables: _Tables, *, document_type: str
) -> tuple[Category, RoutingType]:
    if sum(scanned.values()) * 2 > len(pages):
        return Category.PDF_SCANNED, RoutingType.SCANNED_PDF
    if document_type in TABLE_HEAVY_TYPES or (tables.count > _TABLES and tables.rows > _TABLE_ROWS):
        return Category.PDF_TEXT, RoutingType.TABLE_HEAVY_FILING
    pictured = sum(page.picture_share >= _IMAGE_HEAVY for page in pages)
    if pictured * 2 > len(pages):
        return Category.PDF_VISUAL, RoutingType.IMAGE_HEAVY_PDF
    thin = sum(page.chars for page in pages) < _DENSE * len(pages)
    visual = thin and any(page.picture_share >= _IMAGE_HEAVY or page.curves >= _CHART_CURVES for page in pages)
    return (Category.PDF_VISUAL if visual else Category.PDF_TEXT), RoutingType.TEXT_NATIVE_PDF


def _visual_importance(
    pages: Sequence[PageSignals], category: Category, tables: _Tables, *, has_charts: bool
) -> Literal["high", "medium", "low"]:
    if category is not Category.PDF_TEXT:
        return "high"
    pictures = any(page.picture_share >= _IMAGE_HEAVY for page in pages)
    return "medium" if tables.largest > _VISUAL_ROWS or has_charts or pictures else "low"


def _form_type(document: Any) -> int:
    import pypdfium2.raw as raw

    return int(raw.FPDF_GetFormType(document))


def _signatures(document: Any) -> int:
    import pypdfium2.raw as raw

    return int(raw.FPDF_GetSignatureCount(document))
