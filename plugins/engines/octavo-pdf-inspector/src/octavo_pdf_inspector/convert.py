"""From bytes to a `Conversion`."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from octavo_contracts import (
    Conversion,
    ConversionWarning,
    ConvertRequest,
    DegradedFlag,
    OctavoError,
    Page,
    SourceEmpty,
    SourceView,
    UsageError,
)
from octavo_contracts.authoring import require_media_type, source_pages, wanted_pages

from .engine import PLUGIN, Reading, engine_version, read
from .tables import tables_of

MEDIA_TYPE = "application/pdf"
END_MARK = b"%%EOF"
END_WITHIN = 4096
"""Bytes at the end of a file in which the mark of its end stands; readers agree on 1,024, writers do not."""
UNKNOWN = "\ufffd"
"""Stands for a character whose font does not say what it is."""
_NO_TEXT = frozenset({"", "scanned"})
"""pdf-inspector's words for pages that have no text to be left out."""


def convert_pdf(source: SourceView, request: ConvertRequest) -> Conversion:
    """Convert a PDF file.

    With `request.pages` the result holds those pages alone, numbered from 1 as the contract wants; which pages of the
    document they are stands in `source_pages`.

    Raises:
        UnsupportedFormat: the request's media type is not PDF.
        SourceEmpty: no bytes.
        SourceCorrupt: no document in the bytes, or one without pages.
        SourceEncrypted: a password is missing or wrong.
        UsageError: a page was asked for that the document has not, or an option.
        ContentTooLarge: more pages than `request.max_pages`, or more text than `engine.MAX_CHARS`.
        ToolUnavailable: pdf-inspector cannot be imported.
    """
    require_media_type(request, {MEDIA_TYPE})
    data = source.read_bytes()
    if not data:
        raise SourceEmpty("the file has no bytes", source=source.name, plugin=PLUGIN)
    try:
        if request.options:
            raise UsageError(f"pdf-inspector has no option {min(request.options)!r}", remedy="Leave the option out")
        return _convert(data, request)
    except OctavoError as error:
        error.located(source=source.name, plugin=PLUGIN)
        raise


def _convert(data: bytes, request: ConvertRequest) -> Conversion:
    reading = read(data, password=request.password)
    numbers = wanted_pages(request, len(reading.pages))
    return Conversion(
        pages=tuple(_page(place, reading.pages[number - 1]) for place, number in enumerate(numbers, start=1)),
        paginated=True,
        metadata=reading.metadata,
        warnings=tuple(_warnings(data, numbers, reading)),
        engine_version=engine_version(),
        source_pages=source_pages(request, numbers),
    )


def _page(place: int, markdown: str) -> Page:
    body = markdown.strip()
    return Page(number=place, markdown=f"{body}\n" if body else "", tables=tables_of(body))


def _warnings(data: bytes, numbers: Sequence[int], reading: Reading) -> Iterator[ConversionWarning]:
    code = DegradedFlag.PARTIAL_CONVERSION.value
    if END_MARK not in data[-END_WITHIN:]:
        message = "The end of the file is missing; pdf-inspector rebuilt what it could"
        yield ConversionWarning(code=code, message=message)
    for place, number in enumerate(numbers, start=1):
        why, markdown = reading.distrusted.get(number, ""), reading.pages[number - 1]
        if why not in _NO_TEXT and not markdown:
            message = f"pdf-inspector does not trust the text of page {number} and left it out: {why}"
            yield ConversionWarning(code=code, message=message, page=place)
        elif unknown := markdown.count(UNKNOWN):
            message = f"The fonts of page {number} do not say what {unknown} characters are"
            yield ConversionWarning(code=code, message=message, page=place)
