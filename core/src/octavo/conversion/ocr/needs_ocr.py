"""Selects the pages that may need OCR, without opening the document again (OCR-2, CNV-3).

The classifier's verdict on the pages whose text it read, twenty at most, is final. If it found junk text, a worker
examines every other page too. Otherwise each page is judged by the converter's text: a page whose text is plausible as
a whole is left alone, and a worker examines the others.
"""

from __future__ import annotations

import math
from collections.abc import Collection

from octavo_contracts import Conversion, DocumentClassification, Page

from ...builtins.classification.scanned import TEXT_ATTEMPT_CHARS, is_garbled, page_needs_ocr, unmapped_share

PDF = "application/pdf"
IMAGES = frozenset({"image/png", "image/jpeg", "image/tiff", "image/gif", "image/webp", "image/bmp"})
"""Image formats whose pages are pixels. Of an animation only the first frame is a page."""
RENDERED = IMAGES | {PDF}
"""Formats whose pages can be rendered."""
A4_AREA = 595.0 * 842.0
"""Assumed page area in square points if the converter gives no size."""


def is_paged_picture(media_type: str, conversion: Conversion) -> bool:
    """Return whether pages of the conversion can be rendered and replaced by recognised text."""
    return conversion.source_pages is None and ((media_type == PDF and conversion.paginated) or media_type in IMAGES)


def known_to_need(
    conversion: Conversion,
    classification: DocumentClassification | None,
    *,
    density: float,
    reads_scans: bool = False,
    marked: frozenset[int] = frozenset(),
) -> set[int]:
    """Return the pages that the classifier found to lack trustworthy text, or that a user marked.

    Args:
        conversion: the pages.
        classification: result of the classifier.
        density: threshold of `page_needs_ocr`, characters per square point.
        reads_scans: whether the converter does its own OCR. A page with its text is not recognised again; the text of
            any other converter is the text layer that was rejected.
        marked: pages that a user marked as needing recognition.
    """
    seen = classification.page_metadata if classification else ()
    needed = {page.page_number for page in seen if page.needs_ocr} | marked
    return {
        page.number
        for page in conversion.pages
        if page.number in needed
        and not (reads_scans and not could_need_it(page, density, marked=page.number in marked))
    }


def worth_a_look(
    conversion: Conversion,
    classification: DocumentClassification | None,
    *,
    density: float,
    plain: Collection[int] = frozenset(),
) -> list[int]:
    """Return the pages that the classifier did not inspect and whose text may be insufficient or junk.

    These are all uninspected pages if an inspected page has enough text but it is junk: other pages may have such text,
    and a converter may have dropped the junk that identifies them. Pages with too little text are evident from the
    conversion alone: a cover that is a picture does not require examining the rest of the book.

    Args:
        conversion: the pages.
        classification: result of the classifier.
        density: threshold of `page_needs_ocr`, characters per square point.
        plain: pages whose text is already known to be plausible as a whole (`page_records.plain_pages`).
    """
    looked_at = classification.page_metadata if classification else ()
    has_junk = any(page.needs_ocr and page.text_density >= density for page in looked_at)
    seen = {page.page_number for page in looked_at}
    unseen = [page for page in conversion.pages if page.number not in seen]
    return [page.number for page in unseen if has_junk or (page.number not in plain and could_need_it(page, density))]


def could_need_it(page: Page, density: float, *, marked: bool = False) -> bool:
    """Apply `page_needs_ocr` as if the page had a picture: this never misses a page that the real check finds."""
    text, area = text_layer(page), area_of(page)
    return page_needs_ocr(
        _characters(text, enough=max(TEXT_ATTEMPT_CHARS, math.ceil(density * area))),
        area=area,
        garbled=is_garbled(text),
        unmapped=unmapped_share(text),
        marked=marked,
        density_threshold=density,
    )


def _characters(text: str, *, enough: int) -> int:
    """Count the characters that are no white space; the beginning of a text will do if it has enough of them."""
    beginning = sum(map(len, text[: 2 * enough].split()))
    return beginning if beginning >= enough else sum(map(len, text.split()))


def text_layer(page: Page) -> str:
    """Return all text that the converter found on a page, with what it left out of the page's text."""
    shown = page.text if page.text is not None else page.markdown
    return "".join((shown, *page.furniture, *(item.text for item in page.hidden_text)))


def area_of(page: Page) -> float:
    """Return the area of a page in square points, or that of A4."""
    return page.width * page.height if page.width and page.height else A4_AREA
