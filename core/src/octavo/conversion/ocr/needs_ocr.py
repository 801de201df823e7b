"""Which pages may need recognition, by what is known without opening the document again (OCR-2, CNV-3).

Classification looked at up to twenty pages, and its word stands. Where it found junk for text, a worker looks at every
other page too. Else each is judged by the text that the converter gave: where that could be a page's whole text, the
page is left alone; where it could not, a worker looks at it.
"""

from __future__ import annotations

from octavo_contracts import Conversion, DocumentClassification, Page

from ...builtins.classification.scanned import SCANNED_DENSITY, garbled_share, page_needs_ocr, unmapped_share

PDF = "application/pdf"
IMAGES = frozenset({"image/png", "image/jpeg", "image/tiff", "image/gif", "image/webp", "image/bmp"})
"""Images that are pages of pixels. Of an animation only the first picture is a page."""
A4_AREA = 595.0 * 842.0
"""Square points, for a page whose converter gives no size."""


def is_paged_picture(media_type: str, conversion: Conversion) -> bool:
    """Whether pages of the conversion can be rendered, and recognised text can be put in their places."""
    return conversion.source_pages is None and ((media_type == PDF and conversion.paginated) or media_type in IMAGES)


def known_to_need(
    conversion: Conversion, classification: DocumentClassification | None, *, reads_scans: bool = False
) -> set[int]:
    """The pages that classification looked at and found without trustworthy text.

    Args:
        conversion: the pages.
        classification: what was seen.
        reads_scans: whether the converter recognises by itself. A page that it gave a text is then not recognised
            again; the text of any other converter is the very layer that was found wanting.
    """
    seen = classification.page_metadata if classification else ()
    needed = {page.page_number for page in seen if page.needs_ocr}
    return {
        page.number
        for page in conversion.pages
        if page.number in needed and not (reads_scans and not _could_need_it(page))
    }


def worth_a_look(conversion: Conversion, classification: DocumentClassification | None) -> list[int]:
    """The pages that nobody looked at and whose text could be too little, or junk.

    All of them where one that was looked at has enough text, and it is junk: its neighbours may have such text, and
    a converter may have dropped the junk by which they would be known. Pages with too little text show in any
    converter's answer: a cover that is a picture costs no look at the rest of the book.
    """
    looked_at = classification.page_metadata if classification else ()
    has_junk = any(page.needs_ocr and page.text_density >= SCANNED_DENSITY for page in looked_at)
    seen = {page.page_number for page in looked_at}
    unseen = [page for page in conversion.pages if page.number not in seen]
    return [page.number for page in unseen if has_junk or _could_need_it(page)]


def _could_need_it(page: Page) -> bool:
    """As `page_needs_ocr`, with a picture taken for granted: it never says no where that would say yes."""
    text = (page.text if page.text is not None else page.markdown) + "".join(item.text for item in page.hidden_text)
    return page_needs_ocr(
        sum(map(len, text.split())),
        area=page.width * page.height if page.width and page.height else A4_AREA,
        garbled=garbled_share(text),
        unmapped=unmapped_share(text),
    )
