"""Reads the text layer of each page of a PDF with pdfium: a cheap second reading. Runs in the worker only."""

from __future__ import annotations

from typing import TYPE_CHECKING

from octavo_contracts import SourceCorrupt, SourceEncrypted

if TYPE_CHECKING:
    from octavo_contracts import SourceView


def read_page_texts(source: SourceView, *, password: str | None = None) -> list[str]:
    """Return the text layer of every page, in pdfium's order; an unreadable page gives an empty text.

    Raises:
        SourceEncrypted: the document needs a password.
        SourceCorrupt: pdfium cannot open the document.
    """
    import pypdfium2 as pdfium

    try:
        document = pdfium.PdfDocument(source.read_bytes(), password=password)
    except pdfium.PdfiumError as error:
        if "password" in str(error).lower():
            raise SourceEncrypted("the document needs a password", source=source.name) from error
        raise SourceCorrupt(f"pdfium cannot open the document: {error}", source=source.name) from error
    try:
        return [_page_text(document, index) for index in range(len(document))]
    finally:
        document.close()


def _page_text(document: object, index: int) -> str:
    import pypdfium2 as pdfium

    assert isinstance(document, pdfium.PdfDocument)
    try:
        page = document[index]
    except pdfium.PdfiumError:
        return ""
    try:
        textpage = page.get_textpage()
        try:
            return str(textpage.get_text_range())
        finally:
            textpage.close()
    finally:
        page.close()
