"""Worker entry points that examine and render pages. Called by name in the sandbox."""

from __future__ import annotations

from io import BytesIO

from octavo_contracts import HookContext, Model, PageImage, PageMetadata, SourceView
from octavo_sandbox.preflight import PdfFile
from octavo_text.markdown import plain_text
from pydantic import Field

from ...builtins.classification.pdf_page import is_scanned, page_metadata, read_page
from .embedded import open_part
from .needs_ocr import IMAGES
from .rectification import Rectification
from .rendering import render_image, render_pdf_page


class LookRequest(Model):
    """The pages of a PDF to examine."""

    pages: tuple[int, ...] = Field(description="Pages, from 1.")
    password: str | None = Field(default=None, repr=False, description="Password of an encrypted document.")
    scanned_density: float = Field(description="Threshold of `page_needs_ocr`, characters per square point.")


class LookAnswer(Model):
    """Result of examining pages."""

    pages: tuple[PageMetadata, ...] = Field(description="Facts about the pages that could be loaded.")


class RenderRequest(Model):
    """The page to render, and its rendering options."""

    page: int = Field(description="Page, from 1.")
    dpi: float = Field(description="Requested resolution.")
    max_pixels: int = Field(description="A larger page is rendered at a lower resolution.")
    password: str | None = Field(default=None, repr=False, description="Password of an encrypted document.")
    part: str | None = Field(default=None, description="Render the picture in this part of the container instead.")
    rectify: bool = Field(default=False, description="Whether to rectify a page that is askew, curled or in a shadow.")


class RenderAnswer(Model):
    """A rendered page."""

    image: PageImage = Field(description="The page.")
    blank: bool = Field(description="Whether it shows nothing but paper and specks.")
    undecodable: int = Field(default=0, description="Pictures that could not be decoded, on a blank page.")
    rectification: Rectification | None = Field(
        default=None, description="How the page was rectified; None: it is as displayed."
    )


class Markdowns(Model):
    """Pages as markdown."""

    pages: dict[int, str] = Field(description="Page → its markdown.")


class PlainTexts(Model):
    """The same pages as plain text."""

    pages: dict[int, str] = Field(description="Page → its text.")


def plain_texts(payload: bytes, source: SourceView, context: HookContext) -> bytes:
    """Derive the plain text of pages from their markdown, as for a converter that returns no text.

    Args:
        payload: `Markdowns`.
        source: unused.
        context: unused.

    Returns:
        `PlainTexts`.
    """
    pages = Markdowns.read(payload).pages
    return PlainTexts(pages={number: plain_text(page) for number, page in pages.items()}).to_json().encode()


def look(payload: bytes, source: SourceView, context: HookContext) -> bytes:
    """Examine pages of a PDF: their text layer, and whether they need OCR.

    Args:
        payload: a `LookRequest`.
        source: the document.
        context: unused.

    Returns:
        A `LookAnswer`. A page that does not load is not in it: the converter reports it.

    Raises:
        SourceEncrypted: the document needs a password.
    """
    import pypdfium2

    request = LookRequest.read(payload)
    found = []
    with PdfFile(source.read_bytes(), password=request.password) as pdf:
        for number in request.pages if pdf.document is not None else ():
            try:
                page = read_page(pdf.document, number, has_rasters=bool(pdf.rasters), has_form=False)
            except (pypdfium2.PdfiumError, IndexError):
                continue
            found.append(page_metadata(page, is_scanned=is_scanned(page, request.scanned_density)))
    return LookAnswer(pages=tuple(found)).to_json().encode()


def render(payload: bytes, source: SourceView, context: HookContext) -> bytes:
    """Render one page of a PDF or of an image, or a picture inside an office document.

    Args:
        payload: a `RenderRequest`.
        source: the document.
        context: unused.

    Returns:
        A `RenderAnswer`.

    Raises:
        UsageError: the page does not exist.
        OcrFailed, ContentTooLarge, ToolUnavailable: see `rendering`.
    """
    request = RenderRequest.read(payload)
    if request.part is not None:
        with source.open() as stream:
            picture = BytesIO(open_part(stream, request.part))
        drawn = render_image(picture, 1, max_pixels=request.max_pixels)
    elif source.media_type in IMAGES:
        with source.open() as stream:
            drawn = render_image(stream, request.page, max_pixels=request.max_pixels)
    else:
        with PdfFile(source.read_bytes(), password=request.password) as pdf:
            drawn = render_pdf_page(pdf, request.page, dpi=request.dpi, max_pixels=request.max_pixels)
    blank = drawn.is_blank
    shown, done = drawn.rectified() if request.rectify and not blank else (drawn, None)
    image = shown.page_image(request.page, fingerprint=drawn.fingerprint())
    return RenderAnswer(image=image, blank=blank, undecodable=drawn.undecodable, rectification=done).to_json().encode()
