"""What an engine does not tell of a PDF, read through PDFium: metadata, hidden text, labels and sizes, the count of pages.

The document that the engine is to read comes back with its hidden text taken off and without its encryption. pypdfium2 is
imported when a document is read: the contracts do not ask for it, the engines that call this do.
"""

from __future__ import annotations

import io
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from ..conversion import DocumentMetadata, HiddenText
from ..errors import SourceCorrupt, SourceEncrypted, ToolUnavailable
from .pdf_dates import iso_date
from .pdf_overflow import Bounds
from .pdf_visibility import Scanner
from .vertical_lines import CharEdges, VerticalLine, vertical_lines

if TYPE_CHECKING:
    from types import ModuleType

MAX_PAGE_CHARS = 2_000_000
"""Characters of a page's text that are given."""
DOT = (1.5, 8.0)
"""Smallest and largest side of a dot, in points."""
LONGEST_DOT = 1.5
"""Largest ratio of its sides."""
_FIELDS = {"Subject": "subject", "Keywords": "keywords", "Creator": "creator", "Producer": "producer"}


@dataclass(frozen=True, slots=True)
class PdfPageEvidence:
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
    is_changed: bool = False
    """Whether something was taken off the page."""
    vertical_lines: tuple[VerticalLine, ...] = ()
    """The lines of a page in vertical writing."""
    dots: tuple[Bounds, ...] = ()
    """Left, top, right and bottom of the small filled shapes of a page, from the top left corner: many are drawn bullets."""


@dataclass(frozen=True, slots=True)
class PdfEvidence:
    """A document as PDFium reads it."""

    pages: tuple[PdfPageEvidence | None, ...]
    """Every page in order; None for a page that PDFium cannot load."""
    metadata: DocumentMetadata
    data: bytes
    """What the engine is to read: the document without encryption, hidden text and annotations that hide text."""


def read_pdf_evidence(data: bytes, *, password: str | None, at_most: int, remedy: str) -> PdfEvidence:
    """Read a document through PDFium.

    Args:
        data: the document.
        password: what opens it, or None.
        at_most: the pages of a document with more are counted and not read.
        remedy: how pypdfium2 is installed, such as 'Run: pip install octavo-liteparse'.

    Raises:
        SourceCorrupt: PDFium finds no document in the bytes.
        SourceEncrypted: a password is missing or wrong.
        ToolUnavailable: pypdfium2 cannot be imported.
    """
    pdfium, raw = _pdfium(remedy)
    document = _opened(data, password, pdfium, raw)
    try:
        count, scanner = len(document), Scanner(raw)
        if count > at_most:
            return PdfEvidence((None,) * count, DocumentMetadata(), data)
        pages: list[PdfPageEvidence | None] = []
        for index in range(count):
            try:
                page = document[index]
            except pdfium.PdfiumError:
                pages.append(None)
                continue
            pages.append(_page(page, document.get_page_label(index), scanner))
            page.close()
        metadata = _metadata(document, raw)
        changed = "encrypted" in metadata.fields or any(page is not None and page.is_changed for page in pages)
        return PdfEvidence(tuple(pages), metadata, _written(document, raw) if changed else data)
    finally:
        document.close()


def rewrite_pdf(data: bytes, *, remedy: str) -> bytes:
    """The pages that PDFium finds as a new document, for an engine that finds fewer in a damaged one.

    Args:
        data: the document, without encryption.
        remedy: how pypdfium2 is installed.

    Raises:
        SourceCorrupt: PDFium finds no document in the bytes, or cannot copy its pages.
        ToolUnavailable: pypdfium2 cannot be imported.
    """
    pdfium, raw = _pdfium(remedy)
    document = _opened(data, None, pdfium, raw)
    copy = pdfium.PdfDocument.new()
    try:
        copy.import_pages(document)
        return _written(copy, raw)
    except pdfium.PdfiumError as error:
        raise SourceCorrupt(f"PDFium cannot copy its pages: {error}") from error
    finally:
        copy.close()
        document.close()


@contextmanager
def open_pdf(data: bytes, *, remedy: str) -> Iterator[tuple[Any, Any]]:
    """Context manager: open a document without encryption; it gives the document and the module `pypdfium2.raw`.

    Args:
        data: the document.
        remedy: how pypdfium2 is installed.

    Raises:
        SourceCorrupt: PDFium finds no document in the bytes.
        ToolUnavailable: pypdfium2 cannot be imported.
    """
    pdfium, raw = _pdfium(remedy)
    document = _opened(data, None, pdfium, raw)
    try:
        yield document, raw
    finally:
        document.close()


def _pdfium(remedy: str) -> tuple[ModuleType, ModuleType]:
    try:
        import pypdfium2 as pdfium
        import pypdfium2.raw as raw
    except ImportError as error:
        raise ToolUnavailable(f"pypdfium2 cannot be imported: {error}", remedy=remedy) from error
    return pdfium, raw


def _opened(data: bytes, password: str | None, pdfium: ModuleType, raw: ModuleType) -> Any:
    try:
        return pdfium.PdfDocument(data, password=password)
    except pdfium.PdfiumError as error:
        if error.err_code == raw.FPDF_ERR_PASSWORD:
            said = "the document is encrypted" if password is None else "the password does not fit"
            raise SourceEncrypted(said) from error
        if error.err_code == raw.FPDF_ERR_SECURITY:
            raise SourceEncrypted("the document is encrypted in a way that PDFium cannot read") from error
        raise SourceCorrupt(f"PDFium cannot read it: {error}") from error


def _written(document: Any, raw: ModuleType) -> bytes:
    out = io.BytesIO()
    document.save(out, flags=raw.FPDF_REMOVE_SECURITY)
    return out.getvalue()


def _page(page: Any, label: str, scanner: Scanner) -> PdfPageEvidence:
    width, height = page.get_size()
    box = page.get_bbox()
    found = scanner.scan(page.raw, box)
    texts = page.get_textpage()
    text = texts.get_text_range(0, min(texts.count_chars(), MAX_PAGE_CHARS))
    hidden = scanner.take_off(page.raw, texts.raw, found) if found.hidden else ()
    vertical = () if hidden else _vertical_lines(page, texts, text)
    texts.close()
    removed = scanner.remove_deceptive_annotations(page.raw)
    return PdfPageEvidence(
        text=text,
        hidden=hidden,
        is_changed=bool(hidden or removed),
        width=width or None,
        height=height or None,
        label=label or None,
        has_images=found.has_images,
        complete=found.complete,
        vertical_lines=vertical,
        dots=() if page.get_rotation() else tuple(_dots(found.grounds, left_edge=box[0], top_edge=box[3])),
    )


def _dots(grounds: Iterable[Bounds], *, left_edge: float, top_edge: float) -> Iterator[Bounds]:
    """Yield the places of the shapes that are as small as a bullet, and nearly as wide as they are high."""
    for left, bottom, right, top in grounds:
        width, height = right - left, top - bottom
        if DOT[0] <= min(width, height) and max(width, height) <= min(DOT[1], LONGEST_DOT * min(width, height)):
            yield left - left_edge, top_edge - top, right - left_edge, top_edge - bottom


def _vertical_lines(page: Any, texts: Any, text: str) -> tuple[VerticalLine, ...]:
    """Return the lines of a page in vertical writing, which PDFium gives as lines; none if a line is horizontal.

    A page that is turned, or whose characters PDFium counts otherwise than its text does, is not looked at.
    """
    if text.isascii() or page.get_rotation() or len(text) != texts.count_chars():
        return ()
    return vertical_lines(_line_ends(page, texts, text))


def _line_ends(page: Any, texts: Any, text: str) -> Iterator[tuple[str, CharEdges, CharEdges]]:
    """Yield text, first character and last character of the lines of a page."""
    corner_left, _, _, corner_top = page.get_bbox()

    def edges(char: int) -> CharEdges:
        left, bottom, right, top = texts.get_charbox(char, loose=True)
        return CharEdges(left - corner_left, corner_top - top, right - corner_left, corner_top - bottom)

    end = -2
    for line in text.split("\r\n"):
        start = end + 2
        end = start + len(line)
        if own := line.strip():
            first = start + len(line) - len(line.lstrip())
            yield own, edges(first), edges(first + len(own) - 1)


def _metadata(document: Any, raw: Any) -> DocumentMetadata:
    said = {name: text for name, value in document.get_metadata_dict().items() if (text := value.strip())}
    encrypted = {"encrypted": True} if raw.FPDF_GetSecurityHandlerRevision(document) >= 0 else {}
    return DocumentMetadata(
        title=said.get("Title"),
        author=said.get("Author"),
        date=iso_date(said.get("CreationDate")) or iso_date(said.get("ModDate")),
        fields={**{ours: said[theirs] for theirs, ours in _FIELDS.items() if theirs in said}, **encrypted},
    )
