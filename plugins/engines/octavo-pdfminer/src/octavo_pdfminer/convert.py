"""Converts the bytes of a PDF to a `Conversion`."""

from __future__ import annotations

import logging
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING

from octavo_contracts import (
    BoundingBox,
    Box,
    Conversion,
    ConversionWarning,
    ConvertRequest,
    DegradedFlag,
    OctavoError,
    Page,
    SourceEmpty,
    SourceView,
    ToolUnavailable,
)
from octavo_contracts.authoring import require_media_type, skipped_pages, source_pages, wanted_pages

from .marks import escape

if TYPE_CHECKING:
    from .headings import Headings
    from .reading import Line, PageReading

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
        ContentTooLarge: the document has more pages than `request.max_pages`.
        ToolUnavailable: pdfminer.six is not installed.
    """
    require_media_type(request, {MEDIA_TYPE})
    data = source.read_bytes()
    if not data:
        raise SourceEmpty("the file has no bytes", source=source.name, plugin="pdfminer")
    try:
        with _quiet():
            return _convert(data, request)
    except OctavoError as error:
        error.located(source=source.name, plugin="pdfminer")
        raise


@contextmanager
def _quiet() -> Iterator[None]:
    """Keep pdfminer's log from other handlers: its relevant messages are in the warnings."""
    logger = logging.getLogger("pdfminer")
    handler, propagate = logging.NullHandler(), logger.propagate
    logger.addHandler(handler)
    logger.propagate = False
    try:
        yield
    finally:
        logger.propagate = propagate
        logger.removeHandler(handler)


def _convert(data: bytes, request: ConvertRequest) -> Conversion:
    try:
        from .reading import ENGINE_VERSION, PageReader, claimed_count, list_pages, open_document, read_metadata
    except ImportError as error:
        raise ToolUnavailable(
            f"pdfminer.six cannot be imported: {error}", remedy="Run `pip install 'pdfminer.six>=20251230'`"
        ) from error
    from .headings import Headings

    document = open_document(data, password=request.password)
    found = list_pages(document, at_most=request.max_pages if request.pages is None else None)
    numbers = wanted_pages(request, len(found))
    reader = PageReader()
    readings = [reader.read(found[number - 1]) for number in numbers]
    headings = Headings(readings)
    warnings = [*skipped_pages(claimed_count(document), len(found), engine="pdfminer"), *_warnings(numbers, readings)]
    return Conversion(
        pages=tuple(_page(place, reading, headings) for place, reading in enumerate(readings, start=1)),
        paginated=True,
        metadata=read_metadata(document),
        warnings=tuple(warnings),
        engine_version=ENGINE_VERSION,
        source_pages=source_pages(request, numbers),
    )


def _page(place: int, reading: PageReading, headings: Headings) -> Page:
    return Page(
        number=place,
        label=reading.label,
        markdown="\n\n".join(_markdown(block, headings.level(block)) for block in reading.blocks),
        text="\n\n".join("\n".join(line.text for line in block) for block in reading.blocks),
        boxes=tuple(_box(line, headings.level(block)) for block in reading.blocks for line in block),
        width=reading.width,
        height=reading.height,
        has_images=reading.has_images,
    )


def _markdown(block: tuple[Line, ...], level: int) -> str:
    if level:
        return f"{'#' * level} {escape(' '.join(line.text for line in block))}"
    return escape("\n".join(line.text for line in block))


def _box(line: Line, level: int) -> Box:
    corners = BoundingBox(left=line.left, top=line.top, right=line.right, bottom=line.bottom)
    return Box(kind="heading" if level else "line", box=corners, text=line.text)


def _warnings(numbers: Sequence[int], readings: Sequence[PageReading]) -> Iterator[ConversionWarning]:
    code = DegradedFlag.PARTIAL_CONVERSION.value
    for place, (number, reading) in enumerate(zip(numbers, readings, strict=True), start=1):
        if reading.problem is not None:
            message = f"pdfminer cannot read page {number}; it is left empty: {reading.problem}"
            yield ConversionWarning(code=code, message=message, page=place)
        if reading.unknown:
            message = f"The fonts of page {number} do not say what {reading.unknown} characters are"
            yield ConversionWarning(code=code, message=message, page=place)
