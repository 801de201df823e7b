"""Converts the bytes of a PDF to a `Conversion`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from octavo_contracts import (
    Conversion,
    ConversionWarning,
    ConvertRequest,
    DegradedFlag,
    OctavoError,
    Page,
    SourceEmpty,
    SourceView,
)
from octavo_contracts.authoring import require_media_type, skipped_pages, source_pages, wanted_pages
from octavo_contracts.authoring.control_signs import with_bullets, without_control_signs

from .document import claimed_pages, engine_errors, open_reader, page_labels, read_metadata
from .markdown import paragraphs
from .notes import Notes, listening

if TYPE_CHECKING:
    from pypdf import PageObject, PdfReader

MEDIA_TYPE = "application/pdf"


def convert_pdf(source: SourceView, request: ConvertRequest) -> Conversion:
    """Convert a PDF file.

    With `request.pages` the result holds only those pages, numbered from 1 as the contract requires; `source_pages` has
    their numbers in the document.

    Raises:
        UnsupportedFormat: the request's media type is not PDF.
        SourceEmpty: the file is empty.
        SourceCorrupt: the bytes are not a PDF document, or it has no pages.
        SourceEncrypted: a password is missing or wrong.
        UsageError: a requested page does not exist.
        ContentTooLarge: the document has more pages than `request.max_pages`, or one of pypdf's own limits.
        ToolUnavailable: pypdf, or what it decrypts with, is not installed.
    """
    require_media_type(request, {MEDIA_TYPE})
    data = source.read_bytes()
    if not data:
        raise SourceEmpty("the file has no bytes", source=source.name, plugin="pypdf")
    try:
        with listening() as notes:
            return _convert(open_reader(data, password=request.password), request, notes)
    except OctavoError as error:
        error.located(source=source.name, plugin="pypdf")
        raise


def _convert(reader: PdfReader, request: ConvertRequest, notes: Notes) -> Conversion:
    import pypdf

    count = reader.get_num_pages()
    numbers = wanted_pages(request, count)
    labels = page_labels(reader, count)
    pages: list[Page] = []
    warnings = list(skipped_pages(claimed_pages(reader), count, engine="pypdf"))
    for place, number in enumerate(numbers, start=1):
        page, lost = _page(reader, number, place, labels[number - 1], notes)
        pages.append(page)
        warnings += (
            ConversionWarning(code=DegradedFlag.PARTIAL_CONVERSION.value, message=message, page=place)
            for message in lost
        )
    return Conversion(
        pages=tuple(pages),
        paginated=True,
        metadata=read_metadata(reader),
        warnings=tuple(warnings),
        engine_version=f"pypdf {pypdf.__version__}",
        source_pages=source_pages(request, numbers),
    )


def _page(reader: PdfReader, number: int, place: int, label: str | None, notes: Notes) -> tuple[Page, list[str]]:
    """Convert one page; also returns one sentence for each loss."""
    notes.take()
    try:
        page = reader.pages[number - 1]
        text = _clean(page.extract_text())
        width, height = _size(page)
    except engine_errors() as error:
        reason = str(error) or type(error).__name__
        return Page(number=place, label=label, markdown="", text=""), [
            f"pypdf cannot read page {number}; it is left empty: {reason}"
        ]
    lost = [f"pypdf skipped a part of page {number}: {message}" for message in notes.take()]
    built = Page(number=place, label=label, markdown=paragraphs(text), text=text, width=width, height=height)
    return built, lost


def _size(page: PageObject) -> tuple[float | None, float | None]:
    """Width and height in points as the page is shown."""
    width, height = float(page.cropbox.width), float(page.cropbox.height)
    if page.rotation % 180:
        width, height = height, width
    return (width, height) if width > 0 and height > 0 else (None, None)


def _clean(text: str) -> str:
    """Remove characters that are not text: control characters, half surrogates of broken fonts, spaces at line ends."""
    whole = without_control_signs(with_bullets(text)).encode("utf-8", "replace").decode("utf-8")
    return "\n".join(line.rstrip() for line in whole.splitlines()).strip()
