"""Complete a conversion in the worker: add plain text to markdown-only pages, restore lost page boundaries of a PDF.

This needs the document's bytes, so it runs in the worker; the host only joins the pages that it returns.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from octavo_contracts import Conversion, ConversionWarning, DegradedFlag, Page

from .markdown import plain_text, tables_in

if TYPE_CHECKING:
    from octavo_contracts import ConvertRequest, SourceView

PDF = "application/pdf"
MIN_BOUNDARIES_FOUND = 0.5
"""Below this share of located page boundaries a split would be a guess; missing page anchors are reported instead."""


def complete(conversion: Conversion, *, source: SourceView, request: ConvertRequest | None = None) -> Conversion:
    """Fill in what the converter left out.

    Args:
        conversion: what the converter returned.
        source: the document.
        request: the request that the converter received.

    Returns:
        The conversion with a text on every page. For a PDF that the converter returned without pages, the pages are
        restored from a second reading of the document (CNV-12), or the warning `missing_page_anchors` is added.
    """
    password = request.password if request else None
    if source.media_type == PDF and not conversion.paginated:
        conversion = _with_pages(conversion, source=source, password=password)
    if source.media_type == PDF and conversion.paginated:
        conversion = _with_print(conversion, source=source, password=password)
    pages = tuple(
        page if page.text is not None else page.model_copy(update={"text": plain_text(page.markdown)})
        for page in conversion.pages
    )
    return conversion.model_copy(update={"pages": pages})


def _with_print(conversion: Conversion, *, source: SourceView, password: str | None) -> Conversion:
    """Return a PDF's conversion with what engines do not tell of its print: outline and columns of an index.

    An engine that marks no headings gets those of the outline later, so that it has no vote on the headings of others.
    """
    from .heading_lines import headings_in
    from .outline_headings import OUTLINE, outline_record, with_outline
    from .pdf_outline import read_outline
    from .tables.index_columns import without_index_tables

    numbers = conversion.source_pages or tuple(range(1, len(conversion.pages) + 1))
    pages = tuple(map(without_index_tables, conversion.pages))
    conversion = conversion.model_copy(update={"pages": pages})
    entries = outline_record(read_outline(source, password=password), numbers)
    if not entries:
        return conversion
    extensions = {**conversion.extensions, OUTLINE: entries}
    conversion = conversion.model_copy(update={"extensions": extensions})
    return with_outline(conversion) if any(headings_in(page.markdown) for page in pages) else conversion


def _with_pages(conversion: Conversion, *, source: SourceView, password: str | None) -> Conversion:
    from .page_split import split_markdown
    from .pdf_pages import read_page_texts

    whole = conversion.pages[0]
    lost = DegradedFlag.MISSING_PAGE_ANCHORS.value
    others = tuple(warning for warning in conversion.warnings if warning.code != lost)
    texts = read_page_texts(source, password=password)
    if len(texts) == 1:
        parts, found = [whole.markdown], 1.0
    else:
        parts, found = split_markdown(whole.markdown, texts)
    if found < MIN_BOUNDARIES_FOUND:
        message = f"only {found:.0%} of the boundaries of {len(texts)} pages could be found in the converted text"
        warning = ConversionWarning(code=lost, message=message)
        return conversion.model_copy(update={"warnings": (*others, warning)})
    pages = tuple(
        Page(number=number, kind="page", markdown=part, tables=tables_in(part))
        for number, part in enumerate(parts, start=1)
    )
    extensions = {
        **conversion.extensions,
        "octavo.pages_completed": True,
        "octavo.page_boundaries_found": round(found, 4),
    }
    return conversion.model_copy(
        update={"pages": pages, "paginated": True, "warnings": others, "extensions": extensions}
    )
