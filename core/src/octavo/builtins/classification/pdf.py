"""Classifies a PDF by a sample of its pages (CLS-3 … CLS-5, CLS-7, CLS-9)."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any, Literal, NamedTuple

from octavo_contracts import Category, DocumentClassification, PageSight, RoutingType, SourceCorrupt
from octavo_sandbox.preflight import PdfFile
from octavo_text.spread_indices import spread_indices

from ...formats import Detected
from .document_types import TABLE_HEAVY_TYPES, TypeEvidence, document_type, has_exhibits, is_dense
from .pdf_page import PageSignals, is_scanned, page_metadata, read_page
from .registered_types import RegisteredType, table_heavy_types
from .text_sample import Look, sight_of_text
from .thresholds import DEFAULT_THRESHOLDS, ClassificationThresholds
from .tokens import estimate_tokens

MAX_PAGES = 20
"""Maximum number of pages that are inspected."""
FIRST_LOOK = 5
"""Number of pages inspected first; the only ones if none is scanned and no image in the file could be a page."""

_VARIED = 1.0
"""Variation of the characters of pages, as a share of their average, above which a document is no running text."""
_PAGE_PIXELS, _PAGE_SIDE = 400_000, 400
_IMAGE_HEAVY = 0.3
_CHART_CURVES = 20
_ILLUSTRATED = 0.15
"""Share of a page with text that a picture covers to count as an image with text: logos and icons are smaller."""
_LAYOUT_SCORE = 0.6
_LAYOUT_LINES = 8
_VISUAL_ROWS = 5


class _Tables(NamedTuple):
    """Tables found on the sampled pages.

    Attributes:
        rows: number of rows of each table.
        is_heavy: more tables, with more rows in total, than the thresholds (CLS-9): found, or extrapolated to the
            whole document if at least every third sampled page has one.
    """

    rows: tuple[int, ...]
    is_heavy: bool


def classify_pdf(
    pdf: PdfFile,
    detected: Detected,
    *,
    thresholds: ClassificationThresholds = DEFAULT_THRESHOLDS,
    types: Sequence[RegisteredType] = (),
    by_hand: str | None = None,
) -> Look:
    """Classify an open PDF.

    Inspects five pages spread over the document. If one of those is scanned, or the file contains images as large as a
    page, up to fifteen others are inspected for scans alone: their text is read only where a picture could be a scan.
    `page_metadata` has the pages whose text was read; the conversion adds the others. Equal bytes give equal results.

    Args:
        pdf: the file, open.
        detected: its type.
        thresholds: when a page counts as scanned, and the document as full of tables.
        types: types that the profile registers in addition to the shipped ones.
        by_hand: the type that a user set, by which the document is routed; None: the detected type.

    Raises:
        SourceCorrupt: pdfium could not open the file, or can load none of the sampled pages.
    """
    if pdf.document is None:
        raise SourceCorrupt(f"pdfium cannot open the PDF ({pdf.error})")
    pages, more = _sample(pdf, has_form=pdf.form_type > 0, density=thresholds.scanned_density)
    if not pages:
        raise SourceCorrupt("pdfium can load none of the PDF's pages")
    inspected = sorted([*pages, *more], key=lambda page: page.number)
    scanned = {page.number: is_scanned(page, thresholds.scanned_density) for page in inspected}
    texts = [page.text for page in pages]
    kind = document_type(
        TypeEvidence(
            pages=texts,
            media_type=detected.media_type,
            page_count=pdf.page_count,
            titles=_titles(pdf.document),
        ),
        types,
    )
    tables = _tables(pages, thresholds, page_count=pdf.page_count)
    is_heavy = tables.is_heavy or (by_hand or kind.document_type) in table_heavy_types(TABLE_HEAVY_TYPES, types)
    category, routing = _route(pages, inspected, scanned, is_table_heavy=is_heavy)
    has_charts = any(page.curves >= _CHART_CURVES for page in pages)
    classification = DocumentClassification(
        category=category,
        document_type=kind.document_type,
        routing_type=routing,
        visual_importance=_visual_importance(inspected, category, tables, has_charts=has_charts),
        classification_confidence=kind.confidence,
        estimated_tokens=estimate_tokens(_chars(pages, page_count=pdf.page_count), page_count=pdf.page_count),
        page_count=pdf.page_count,
        page_metadata=tuple(
            page_metadata(page, is_scanned=scanned[page.number]) for page in inspected if page.is_text_read
        ),
        pages_sampled=len(inspected),
        has_exhibits=has_exhibits(texts),
        has_charts=has_charts,
        has_tables=bool(tables.rows),
        has_signatures=_signatures(pdf.document) > 0,
        has_form_fields=pdf.form_type > 0 and (any(page.has_widget for page in inspected) or b"/Widget" in pdf.data),
        has_scanned_pages=any(scanned.values()),
        media_type=detected.media_type,
        mismatch=detected.mismatch,
    )
    sights = tuple(_sight(page) for page in pages)
    return Look(classification=classification, sights=sights, kind=kind)


def _chars(pages: Sequence[PageSignals], *, page_count: int) -> int:
    """Estimate the characters of the document: covers and last pages are short and stand for themselves alone."""
    ends = [len(page.text) for page in pages if page.number in (1, page_count)]
    inner = [len(page.text) for page in pages if page.number not in (1, page_count)]
    if not inner:
        return sum(ends) * page_count // len(ends)
    return sum(ends) + sum(inner) * (page_count - len(ends)) // len(inner)


def _sight(page: PageSignals) -> PageSight:
    return sight_of_text(
        page.text,
        page=page.number,
        table_rows=max(page.layout.table_rows, page.ruled_rows, sum(page.text_tables)),
        heading_lines=page.layout.larger_lines,
        columns=page.layout.columns,
        picture_share=page.picture_share,
    )


def _sample(pdf: PdfFile, *, has_form: bool, density: float) -> tuple[list[PageSignals], list[PageSignals]]:
    """Return the pages of the first look, and those that were inspected for scans alone; each in order."""
    count = pdf.page_count
    few = sampled_pages(count, FIRST_LOOK)
    pages = _read(pdf, few, has_form=has_form)
    scanned = [page for page in pages if is_scanned(page, density)]
    has_junk = any(page.chars for page in scanned)
    # A cover page that is an image explains one image, and no more.
    explained = len(pages) == len(few) and not has_junk
    if len(few) == count or (explained and _possible_scans(pdf) <= len(scanned)):
        return pages, []
    if sum(page.chars > 0 for page in scanned) * 2 > len(few):
        # Most pages have junk for text: the document is to be recognised, and the conversion examines every page.
        return pages, []
    rest = [number for number in sampled_pages(count, MAX_PAGES) if number not in few][: MAX_PAGES - len(few)]
    # Junk needs no picture: where a page has some, the text of the others is read.
    return pages, _read(pdf, rest, has_form=has_form, for_scans=True, read_text=has_junk)


def sampled_pages(count: int, wanted: int) -> list[int]:
    """Return page numbers spread over a document: all if they fit, else the first two, the last and evenly spaced ones.

    Args:
        count: number of pages.
        wanted: maximum number of pages, at least three.
    """
    return [1, *(2 + place for place in spread_indices(count - 1, wanted - 1))] if count else []


def _possible_scans(pdf: PdfFile) -> float:
    """Count the images in the file that could be a scanned page; infinite if image strips could form pages.

    A4 at 72 dots per inch has 595 by 842 pixels; logos, author photos and banners are smaller.
    """
    found = strips = 0
    for width, height in pdf.rasters:
        pixels = width * height
        # A size that is stored elsewhere in the file appears here as 0.
        if not pixels or (pixels >= _PAGE_PIXELS and min(width, height) >= _PAGE_SIDE):
            found += 1
        else:
            strips += pixels
    return math.inf if strips >= 4 * _PAGE_PIXELS else found


def _read(
    pdf: PdfFile, numbers: Sequence[int], *, has_form: bool, for_scans: bool = False, read_text: bool = True
) -> list[PageSignals]:
    import pypdfium2

    pages = []
    for number in numbers:
        try:
            pages.append(
                read_page(
                    pdf.document,
                    number,
                    has_rasters=bool(pdf.rasters),
                    has_form=has_form,
                    for_scans=for_scans,
                    read_text=read_text,
                    see_layout=not for_scans,  # pages inspected for scans only are not used for scoring
                )
            )
        except pypdfium2.PdfiumError:
            # A page that does not load says nothing about the document; the converter reports it.
            continue
    return pages


def _tables(pages: Sequence[PageSignals], thresholds: ClassificationThresholds, *, page_count: int) -> _Tables:
    by_page = [page.text_tables or ((page.ruled_rows,) if page.ruled_rows > 1 else ()) for page in pages]
    rows = tuple(count for found in by_page for count in found)
    often = sum(bool(found) for found in by_page) * 3 >= len(pages)
    scale = page_count / len(pages) if often else 1.0
    is_heavy = thresholds.are_heavy(len(rows) * scale, sum(rows) * scale)
    return _Tables(rows=rows, is_heavy=is_heavy)


def _route(
    pages: Sequence[PageSignals],
    inspected: Sequence[PageSignals],
    scanned: dict[int, bool],
    *,
    is_table_heavy: bool,
) -> tuple[Category, RoutingType]:
    """Choose category and route: by the text of the first look, and by the pictures of all inspected pages."""
    if sum(scanned.values()) * 2 > len(inspected):
        return Category.PDF_SCANNED, RoutingType.SCANNED_PDF
    if is_table_heavy:
        return Category.PDF_TEXT, RoutingType.TABLE_HEAVY_FILING
    pictured = sum(page.picture_share >= _IMAGE_HEAVY for page in inspected)
    if pictured * 2 > len(inspected):
        return Category.PDF_VISUAL, RoutingType.IMAGE_HEAVY_PDF
    thin = not is_dense([page.chars for page in pages], variation=_VARIED)
    visual = thin and any(page.picture_share >= _IMAGE_HEAVY or page.curves >= _CHART_CURVES for page in inspected)
    return (Category.PDF_VISUAL if visual else Category.PDF_TEXT), RoutingType.TEXT_NATIVE_PDF


def _visual_importance(
    pages: Sequence[PageSignals], category: Category, tables: _Tables, *, has_charts: bool
) -> Literal["high", "medium", "low"]:
    if category is not Category.PDF_TEXT:
        return "high"
    is_medium = has_charts or max(tables.rows, default=0) > _VISUAL_ROWS or any(map(_is_visual, pages))
    return "medium" if is_medium else "low"


def _is_visual(page: PageSignals) -> bool:
    """Return whether a page is visually important by its columns, its pictures or its layout (CNV-3).

    A page with very few lines, such as a divider, has no layout to speak of.
    """
    if page.layout.columns > 1 or page.picture_share >= _IMAGE_HEAVY:
        return True
    if page.picture_share >= _ILLUSTRATED and page.chars > 0:
        return True
    is_divider = page.layout.lines < _LAYOUT_LINES
    return not is_divider and page.layout.score(picture_share=page.picture_share) > _LAYOUT_SCORE


def _titles(document: Any) -> tuple[str, ...]:
    import pypdfium2

    try:
        return tuple(found for key in ("Title", "Subject") if (found := document.get_metadata_value(key)))
    except (pypdfium2.PdfiumError, UnicodeError):
        return ()  # damaged metadata says nothing of the type


def _signatures(document: Any) -> int:
    import pypdfium2.raw as raw

    return int(raw.FPDF_GetSignatureCount(document))
