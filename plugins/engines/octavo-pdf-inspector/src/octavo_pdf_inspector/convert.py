"""From bytes to a `Conversion`."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence

from octavo_contracts import (
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
    UsageError,
)
from octavo_contracts.authoring import require_media_type, source_pages, wanted_pages
from octavo_contracts.authoring.pdf_evidence import PdfEvidence, PdfPageEvidence, read_pdf_evidence, rewrite_pdf
from octavo_contracts.authoring.pdf_visibility import MAX_OBJECTS
from octavo_contracts.authoring.symbol_signs import with_symbol_signs

from .engine import INSTALL, PLUGIN, Reading, engine_version, read
from .table_heads import heads_over_columns
from .tables import tables_of, with_heads

MEDIA_TYPE = "application/pdf"
UNKNOWN = "\ufffd"
"""Stands for a character whose font does not say what it is."""
_NUMERATOR = re.compile(r"(\w?)<sup>(\d+)</sup> ?(?=\u2044\d)")
"""The number above the bar of a fraction, which is no mark on the word before it."""
_NO_TEXT = frozenset({"", "scanned"})
"""pdf-inspector's words for pages that have no text to be left out."""


def convert_pdf(source: SourceView, request: ConvertRequest) -> Conversion:
    """Convert a PDF file.

    With `request.pages` the result holds only those pages, numbered from 1 as the contract requires; `source_pages` has
    their numbers in the document.

    Raises:
        UnsupportedFormat: the request's media type is not PDF.
        SourceEmpty: the file is empty.
        SourceCorrupt: the bytes are not a PDF document, or it has no pages.
        SourceEncrypted: a password is missing or wrong.
        UsageError: a page was asked for that the document has not, or an option.
        ContentTooLarge: the document has more pages than `request.max_pages`, or more text than `engine.MAX_CHARS`.
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
    at_most = max(request.max_pages, *(request.pages or (0,)))
    evidence = read_pdf_evidence(data, password=request.password, at_most=at_most, remedy=INSTALL)
    count = len(evidence.pages)
    numbers = wanted_pages(request, count)
    reading = read(evidence.data)
    if len(reading.pages) != count:
        # Of a broken page tree pdf-inspector finds some pages, and does not say which.
        reading = read(rewrite_pdf(evidence.data, remedy=INSTALL))
    if len(reading.pages) != count:
        raise SourceCorrupt(f"the document has {count} pages, and pdf-inspector finds {len(reading.pages)}")
    texts = {number: _with_signs(reading.pages[number - 1].strip()) for number in numbers}
    read_pages = _with_heads(texts, evidence.data)
    return Conversion(
        pages=tuple(
            _page(place, *read_pages[number], evidence.pages[number - 1] or PdfPageEvidence())
            for place, number in enumerate(numbers, start=1)
        ),
        paginated=True,
        metadata=evidence.metadata,
        warnings=tuple(_warnings(numbers, reading, evidence)),
        engine_version=engine_version(),
        source_pages=source_pages(request, numbers),
    )


def _with_signs(text: str) -> str:
    """Return a text with the signs of symbol fonts, and with the numbers above the bars of fractions as their parts."""
    made = with_symbol_signs(text)
    return _NUMERATOR.sub(lambda found: f"{found[1]} {found[2]}" if found[1] else found[2], made)


def _with_heads(texts: Mapping[int, str], data: bytes) -> dict[int, tuple[str, tuple[Table, ...]]]:
    """Return the markdown of pages, with the heads of tables over their columns, and their tables.

    Args:
        texts: page number → markdown.
        data: the document that was read.
    """
    made = {number: (text, tables_of(text)) for number, text in texts.items()}
    heads = heads_over_columns({number: [one.rows for one in tables] for number, (_, tables) in made.items()}, data)
    for page in {page for page, _ in heads}:
        text = with_heads(texts[page], {at: head for (number, at), head in heads.items() if number == page})
        made[page] = text, tables_of(text)
    return made


def _page(place: int, body: str, tables: tuple[Table, ...], seen: PdfPageEvidence) -> Page:
    return Page(
        number=place,
        label=seen.label,
        markdown=f"{body}\n" if body else "",
        tables=tables,
        hidden_text=seen.hidden,
        width=seen.width,
        height=seen.height,
        has_images=seen.has_images,
    )


def _warnings(numbers: Sequence[int], reading: Reading, evidence: PdfEvidence) -> Iterator[ConversionWarning]:
    code = DegradedFlag.PARTIAL_CONVERSION.value
    for place, number in enumerate(numbers, start=1):
        why, markdown, seen = reading.distrusted.get(number, ""), reading.pages[number - 1], evidence.pages[number - 1]
        message = None
        if why not in _NO_TEXT and not markdown:
            message = f"pdf-inspector does not trust the text of page {number} and left it out: {why}"
        elif unknown := markdown.count(UNKNOWN):
            message = f"The fonts of page {number} do not say what {unknown} characters are"
        elif seen is not None and not seen.complete:
            message = f"Page {number}: only {MAX_OBJECTS:,} objects were searched for hidden text"
        if message:
            yield ConversionWarning(code=code, message=message, page=place)
