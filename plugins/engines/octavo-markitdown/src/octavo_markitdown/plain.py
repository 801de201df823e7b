"""Formats passed to the engine unchanged: PDF and feeds."""

from __future__ import annotations

import io
import struct
from itertools import islice

from octavo_contracts import ContentTooLarge, ConversionWarning, SourceCorrupt, SourceEncrypted, ToolUnavailable
from octavo_contracts.authoring import skipped_pages
from octavo_contracts.authoring.control_signs import with_bullets, without_control_signs

from .engine import ENCRYPTED_REMEDY, INSTALL, PLUGIN, run_engine
from .formats import Format
from .pages import Reading

_BROKEN = (KeyError, ValueError, TypeError, IndexError, AttributeError, AssertionError, RecursionError, struct.error)
"""What pdfminer raises on contradictory bytes, beside its own errors."""


def read_plain(data: bytes, *, form: Format, media_type: str, max_pages: int) -> Reading:
    """Convert a PDF or a feed.

    The engine gives a PDF as one text without page marks. It is passed on as such, with the warning
    `missing_page_anchors`: the core completes the pages (CNV-12). Pages that the engine skips are told with
    `partial_conversion` (QLT-2).

    Raises:
        SourceEncrypted: a PDF that wants a password.
        SourceCorrupt: the bytes are none of the format.
        ContentTooLarge: a PDF of more than `max_pages` pages.
    """
    warnings: list[ConversionWarning] = []
    is_pdf = form.converter == "PdfConverter"
    if is_pdf:
        found, claimed = _count_pages(data, max_pages)
        message = "The engine gives a PDF as one text: the page breaks are missing."
        warnings.append(ConversionWarning(code="missing_page_anchors", message=message))
        warnings += skipped_pages(claimed, found, engine="pdfminer")
    result = run_engine(data, form=form, media_type=media_type)
    markdown = without_control_signs(with_bullets(result.markdown)) if is_pdf else result.markdown
    return Reading(markdown=markdown, title=result.title, warnings=(*warnings, *result.warnings))


def _count_pages(data: bytes, most: int) -> tuple[int, int | None]:
    """Return the number of pages that pdfminer finds, and the number that the document states, if it states one.

    They differ where pages are broken: pdfminer skips those in silence.
    """
    try:
        from pdfminer.pdfdocument import PDFDocument, PDFEncryptionError, PDFPasswordIncorrect
        from pdfminer.pdfpage import PDFPage
        from pdfminer.pdfparser import PDFParser
        from pdfminer.pdftypes import resolve1
        from pdfminer.psexceptions import PSException
    except ImportError as error:
        raise ToolUnavailable(f"pdfminer cannot be imported: {error}", plugin=PLUGIN, remedy=INSTALL) from error
    try:
        document = PDFDocument(PDFParser(io.BytesIO(data)))
        count = sum(1 for _ in islice(PDFPage.create_pages(document), most + 1))
    except (PDFPasswordIncorrect, PDFEncryptionError) as error:
        raise SourceEncrypted(
            "the document is protected by a password", plugin=PLUGIN, remedy=ENCRYPTED_REMEDY
        ) from error
    except (PSException, *_BROKEN) as error:
        raise SourceCorrupt(f"pdfminer failed with {type(error).__name__}: {error}", plugin=PLUGIN) from error
    if count > most:
        raise ContentTooLarge(f"the document has more than {most} pages", plugin=PLUGIN)
    try:
        claimed = resolve1(resolve1(document.catalog["Pages"])["Count"])
    except (PSException, *_BROKEN):
        return count, None
    return count, claimed if isinstance(claimed, int) else None
