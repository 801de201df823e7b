"""What liteparse does not tell of a document, read through PDFium: metadata, hidden text, exact signs, the count of pages."""

from __future__ import annotations

import io
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from octavo_contracts import DocumentMetadata, HiddenText, SourceCorrupt, SourceEncrypted, ToolUnavailable
from octavo_contracts.authoring import iso_date

from .engine import INSTALL
from .visibility import Scanner

if TYPE_CHECKING:
    from types import ModuleType

MAX_PAGE_CHARS = 2_000_000
"""Characters of a page that are compared with what liteparse read of it."""
_FIELDS = {"Subject": "subject", "Keywords": "keywords", "Creator": "creator", "Producer": "producer"}


@dataclass(frozen=True, slots=True)
class PageEvidence:
    """One page as PDFium reads it."""

    text: str = ""
    hidden: tuple[HiddenText, ...] = ()
    width: float | None = None
    """In points, as shown."""
    height: float | None = None
    label: str | None = None
    has_images: bool = False
    complete: bool = True
    """Whether every object of the page was searched for hidden text."""


@dataclass(frozen=True, slots=True)
class Evidence:
    """A document as PDFium reads it."""

    pages: tuple[PageEvidence | None, ...]
    """Every page in order; None for a page that PDFium cannot load."""
    metadata: DocumentMetadata
    data: bytes
    """The document without its hidden text: what liteparse is to read."""
    password: str | None
    """What opens `data`, or None."""


def read_evidence(data: bytes, *, password: str | None, at_most: int) -> Evidence:
    """Read a document through PDFium, and take hidden text off its pages.

    Args:
        data: the document.
        password: what opens it, or None.
        at_most: a document with more pages is counted and not read.

    Raises:
        SourceCorrupt: PDFium finds no document in the bytes.
        SourceEncrypted: a password is missing or wrong.
        ToolUnavailable: pypdfium2 cannot be imported.
    """
    try:
        import pypdfium2 as pdfium
        import pypdfium2.raw as raw
    except ImportError as error:
        raise ToolUnavailable(f"pypdfium2 cannot be imported: {error}", remedy=INSTALL) from error
    try:
        document = pdfium.PdfDocument(data, password=password)
    except pdfium.PdfiumError as error:
        if error.err_code == raw.FPDF_ERR_PASSWORD:
            said = "the document is encrypted" if password is None else "the password does not fit"
            raise SourceEncrypted(said) from error
        if error.err_code == raw.FPDF_ERR_SECURITY:
            raise SourceEncrypted("the document is encrypted in a way that PDFium cannot read") from error
        raise SourceCorrupt(f"PDFium cannot read it: {error}") from error
    try:
        return _read(document, data, password, at_most, (pdfium, raw))
    finally:
        document.close()


def _read(
    document: Any, data: bytes, password: str | None, at_most: int, modules: tuple[ModuleType, ModuleType]
) -> Evidence:
    pdfium, raw = modules
    count, scanner = len(document), Scanner(raw)
    if count > at_most:
        return Evidence((None,) * count, DocumentMetadata(), data, password)
    pages: list[PageEvidence | None] = []
    for index in range(count):
        try:
            page = document[index]
        except pdfium.PdfiumError:
            pages.append(None)
            continue
        pages.append(_page(page, document.get_page_label(index), scanner))
        page.close()
    metadata = _metadata(document, raw)
    if any(page is not None and page.hidden for page in pages):
        out = io.BytesIO()
        document.save(out, flags=raw.FPDF_REMOVE_SECURITY)
        return Evidence(tuple(pages), metadata, out.getvalue(), None)
    return Evidence(tuple(pages), metadata, data, password)


def _page(page: Any, label: str, scanner: Scanner) -> PageEvidence:
    width, height = page.get_size()
    found = scanner.scan(page.raw, page.get_bbox())
    texts = page.get_textpage()
    text = texts.get_text_range(0, min(texts.count_chars(), MAX_PAGE_CHARS))
    hidden = scanner.take_off(page.raw, texts.raw, found) if found.hidden else ()
    texts.close()
    return PageEvidence(
        text=text,
        hidden=hidden,
        width=width or None,
        height=height or None,
        label=label or None,
        has_images=found.has_images,
        complete=found.complete,
    )


def _metadata(document: Any, raw: Any) -> DocumentMetadata:
    said = {name: text for name, value in document.get_metadata_dict().items() if (text := value.strip())}
    encrypted = {"encrypted": True} if raw.FPDF_GetSecurityHandlerRevision(document) >= 0 else {}
    return DocumentMetadata(
        title=said.get("Title"),
        author=said.get("Author"),
        date=iso_date(said.get("CreationDate")) or iso_date(said.get("ModDate")),
        fields={**{ours: said[theirs] for theirs, ours in _FIELDS.items() if theirs in said}, **encrypted},
    )
