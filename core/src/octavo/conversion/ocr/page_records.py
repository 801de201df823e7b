"""Completes the page records of a PDF's classification: the inspection reads few pages, the conversion all (CLS-2)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from octavo_contracts import Conversion, DocumentClassification, Page, PageMetadata

from .needs_ocr import area_of, could_need_it, text_layer


def without_record(classification: DocumentClassification) -> list[int]:
    """Return the pages whose text the inspection did not read."""
    seen = {record.page_number for record in classification.page_metadata}
    return [number for number in range(1, (classification.page_count or 0) + 1) if number not in seen]


def plain_pages(
    conversion: Conversion, numbers: Sequence[int], *, density: float, reads_scans: bool
) -> Mapping[int, Page]:
    """Return the pages whose text, as the converter found it, is plausible as a whole: they need no examination.

    Args:
        conversion: the converter's pages, before OCR.
        numbers: pages to choose from.
        density: threshold of `page_needs_ocr`, characters per square point.
        reads_scans: whether the converter does its own OCR: its text says nothing of the text layer.
    """
    if reads_scans or not conversion.paginated or conversion.source_pages is not None:
        return {}
    pages = {page.number: page for page in conversion.pages}
    return {
        number: pages[number] for number in numbers if number in pages and not could_need_it(pages[number], density)
    }


def with_all_pages(
    classification: DocumentClassification, plain: Mapping[int, Page], examined: Mapping[int, PageMetadata]
) -> DocumentClassification:
    """Return the classification with the records of further pages; one scanned page sets the flag (CLS-5).

    Args:
        classification: with the records of the pages that the inspection read.
        plain: pages that their text describes.
        examined: page → its record, from a worker.
    """
    added = [
        _from_text(plain[page]) if page in plain else examined.get(page) for page in without_record(classification)
    ]
    found = [record for record in added if record is not None]
    records = sorted([*classification.page_metadata, *found], key=lambda record: record.page_number)
    is_scanned = classification.has_scanned_pages or any(record.is_scanned for record in found)
    return classification.model_copy(update={"page_metadata": tuple(records), "has_scanned_pages": is_scanned})


def _from_text(page: Page) -> PageMetadata:
    chars = sum(map(len, text_layer(page).split()))
    return PageMetadata(
        page_number=page.number,
        is_scanned=False,
        text_density=round(chars / area_of(page), 6),
        has_text_layer=chars > 0,
    )
