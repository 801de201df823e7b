"""Converts the bytes of a PDF to a `Conversion`."""

from __future__ import annotations

import re
from collections.abc import Sequence

from octavo_contracts import (
    BoundingBox,
    ContentTooLarge,
    Conversion,
    ConversionWarning,
    ConvertRequest,
    DegradedFlag,
    OctavoError,
    Page,
    SourceCorrupt,
    SourceEmpty,
    SourceView,
    Table,
    UnsupportedFormat,
    UsageError,
)
from octavo_contracts.authoring.hyphens import SOFT_HYPHEN, HyphenJoiner

from .document import open_document, page_label, read_metadata
from .found_tables import FoundTable
from .layout import DocumentLayout
from .markdown import render_page
from .native import Native, native
from .page import MAX_PAGE_CHARS, PageReader, PageReading
from .visibility import MAX_OBJECTS

MEDIA_TYPE = "application/pdf"
MAX_CHARS = 50_000_000
"""Characters of a whole document; above it `ContentTooLarge`."""
CAPS = f"the first {MAX_PAGE_CHARS:,} characters are kept, and {MAX_OBJECTS:,} objects were searched for hidden text"
"""Warning text: the part of an oversized page that is in the result."""
_LEADERS = re.compile(r"[ ]*(?:\.[ ]*){5,}(?=(?:\d{1,4}|[ivxlc]{1,7})$)", re.MULTILINE)
"""Dots between a title and its page number, as a table of contents has them: they are no text."""


def convert_pdf(source: SourceView, request: ConvertRequest, *, find_tables: bool = False) -> Conversion:
    """Convert a PDF file.

    With `request.pages` the result holds only those pages, numbered from 1 as the contract requires; `source_pages` has
    their numbers in the document.

    Args:
        source: the file.
        request: media type, pages, password and limits.
        find_tables: whether to look for tables of figures, which takes time on pages with many figures.

    Raises:
        UnsupportedFormat: the request's media type is not PDF.
        SourceEmpty: the file is empty.
        SourceCorrupt: the bytes are not a PDF document, or it has no pages.
        SourceEncrypted: a password is missing or wrong.
        UsageError: a requested page does not exist.
        ContentTooLarge: the document has more pages than `request.max_pages`, or more text than `MAX_CHARS`.
        ToolUnavailable: PDFium cannot be loaded.
    """
    if request.media_type != MEDIA_TYPE:
        raise UnsupportedFormat(f"{request.media_type} is not {MEDIA_TYPE}", source=source.name, plugin="pdfium")
    lib = native()
    data = source.read_bytes()
    if not data:
        raise SourceEmpty("the file has no bytes", source=source.name, plugin="pdfium")
    try:
        with open_document(lib, data, password=request.password) as document:
            return _convert(lib, document, request, find_tables=find_tables)
    except OctavoError as error:
        error.located(source=source.name, plugin="pdfium")
        raise


def _convert(lib: Native, document: int, request: ConvertRequest, *, find_tables: bool) -> Conversion:
    numbers = _wanted(lib.page_count(document), request)
    reader = PageReader(lib, document, find_tables=find_tables)
    readings, warnings = _read(reader, numbers)
    pages = _pages(readings, [page_label(lib, document, number - 1) for number in numbers])
    return Conversion(
        pages=pages,
        paginated=True,
        metadata=read_metadata(lib, document),
        warnings=tuple(warnings),
        engine_version=lib.version,
        source_pages=tuple(numbers) if request.pages is not None else None,
    )


def _wanted(count: int, request: ConvertRequest) -> Sequence[int]:
    """Page numbers to read, from 1."""
    if count < 1:
        raise SourceCorrupt("the document has no page")
    wanted: Sequence[int] = range(1, count + 1) if request.pages is None else request.pages
    if not wanted or wanted[0] < 1 or wanted[-1] > count or list(wanted) != sorted(set(wanted)):
        asked = ", ".join(map(str, wanted[:10])) or "none"
        raise UsageError(
            f"pages {asked} were asked for and the document has {count}",
            remedy=f"Ask for pages from 1 to {count}, ascending, each once",
        )
    if len(wanted) > request.max_pages:
        raise ContentTooLarge(f"{len(wanted)} pages are above the limit of {request.max_pages}")
    return wanted


def _read(reader: PageReader, numbers: Sequence[int]) -> tuple[list[PageReading], list[ConversionWarning]]:
    readings: list[PageReading] = []
    warnings: list[ConversionWarning] = []
    total = 0
    for place, number in enumerate(numbers, start=1):
        reading = reader.read(number - 1)
        if reading is None:
            warnings.append(_partial(f"PDFium cannot load page {number}; it is left empty", place))
            reading = PageReading()
        elif reading.cut:
            warnings.append(_partial(f"Page {number} exceeds the limits of a page; {CAPS}", place))
        total += reading.chars
        if total > MAX_CHARS:
            raise ContentTooLarge(f"the text is longer than {MAX_CHARS:,} characters at page {number}", page=number)
        readings.append(reading)
    return readings, warnings


def _partial(message: str, page: int) -> ConversionWarning:
    return ConversionWarning(code=DegradedFlag.PARTIAL_CONVERSION.value, message=message, page=page)


def _pages(readings: list[PageReading], labels: list[str | None]) -> tuple[Page, ...]:
    joiner = HyphenJoiner(lambda: "\n".join(line.text for reading in readings for line in reading.lines))
    layout = DocumentLayout([reading.lines for reading in readings])
    pages = []
    for number, (reading, label) in enumerate(zip(readings, labels, strict=True), start=1):
        lines = [
            line._replace(text=joiner.join(line.text)) if SOFT_HYPHEN in line.text else line for line in reading.lines
        ]
        pages.append(
            Page(
                number=number,
                label=label,
                markdown=_without_leaders(render_page(lines, layout, reading.tables)),
                tables=tuple(map(_table, reading.tables)),
                text=_without_leaders("\n".join([line.text for line in lines])),
                hidden_text=reading.hidden,
                width=reading.width,
                height=reading.height,
                has_images=reading.has_images,
            )
        )
    return tuple(pages)


def _without_leaders(text: str) -> str:
    return _LEADERS.sub(" ", text) if "..." in text or ". . " in text else text


def _table(found: FoundTable) -> Table:
    box = BoundingBox(left=found.left, top=found.top, right=found.right, bottom=found.bottom)
    return Table(rows=found.rows, columns_seen=len(found.columns) if found.is_ruled else None, box=box)
