"""From bytes to a `Conversion`."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from octavo_contracts import (
    Box,
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
from octavo_contracts.authoring import escape, require_media_type, source_pages, wanted_pages
from octavo_contracts.authoring.control_signs import without_control_signs
from octavo_contracts.authoring.pdf_evidence import PdfEvidence, PdfPageEvidence, read_pdf_evidence
from octavo_contracts.authoring.pdf_visibility import MAX_OBJECTS

from .block_columns import in_columns
from .broken_words import BrokenWords
from .cell_borders import divide_cells
from .drawn_places import in_own_columns
from .emphasis import set_emphasis
from .engine import INSTALL, PLUGIN, engine_version, parse
from .fractions import Fractions
from .head_lines import with_whole_heads
from .marked_items import with_marked_items
from .numbered_labels import divide_numbered_labels
from .paragraphs import apart
from .render import boxes_of, corners, markdown_of, tables_of
from .row_roles import RowRoles
from .running_tables import RunningTables
from .side_blocks import side_by_side
from .typography import Typography
from .vertical_blocks import vertical_blocks

if TYPE_CHECKING:
    from liteparse.types import LayoutBlock, ParsedPage

    from .render import Restore

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
        UsageError: a page was asked for that the document has not, or an option.
        ContentTooLarge: the document has more pages than `request.max_pages`, or more text than `engine.MAX_CHARS`.
        ToolUnavailable: liteparse or pypdfium2 cannot be imported.
    """
    require_media_type(request, {MEDIA_TYPE})
    data = source.read_bytes()
    if not data:
        raise SourceEmpty("the file has no bytes", source=source.name, plugin=PLUGIN)
    try:
        if request.options:
            raise UsageError(f"liteparse has no option {min(request.options)!r}", remedy="Leave the option out")
        return _convert(data, request)
    except OctavoError as error:
        error.located(source=source.name, plugin=PLUGIN)
        raise


def _convert(data: bytes, request: ConvertRequest) -> Conversion:
    at_most = max(request.max_pages, *(request.pages or (0,)))
    evidence = read_pdf_evidence(data, password=request.password, at_most=at_most, remedy=INSTALL)
    numbers = wanted_pages(request, len(evidence.pages))
    result = parse(evidence.data, count=len(evidence.pages))
    read = {page.page_num: page for page in result.pages}
    for page in result.pages:
        page.blocks = in_own_columns(page)
    divide_cells(result.pages, evidence.data)
    divide_numbered_labels(result.pages, evidence.data)
    set_emphasis(result.pages, evidence.data)
    running = RunningTables(result.pages)
    for page in result.pages:
        page.blocks = running.apart(page)
        page.blocks = with_whole_heads(page)
    roles = RowRoles(result.pages)
    words = BrokenWords(seen.text for seen in evidence.pages if seen)
    pages = tuple(
        _page(place, read.get(number), evidence.pages[number - 1] or PdfPageEvidence(), roles, words)
        for place, number in enumerate(numbers, start=1)
    )
    return Conversion(
        pages=pages,
        paginated=True,
        metadata=evidence.metadata,
        warnings=tuple(_warnings(numbers, read, evidence)),
        engine_version=engine_version(),
        source_pages=source_pages(request, numbers),
    )


def _page(place: int, page: ParsedPage | None, seen: PdfPageEvidence, roles: RowRoles, words: BrokenWords) -> Page:
    blocks = _blocks(page, seen, roles) if page else []
    signs, hyphens, fractions = Typography(seen.text).restore, words.restorer(seen.text), Fractions(seen.text).restore

    def restore(text: str) -> str:
        return without_control_signs(fractions(hyphens(signs(text))))

    return Page(
        number=place,
        label=seen.label,
        markdown=markdown_of(blocks, restore) or _lines_of(seen, words),
        tables=tables_of(blocks, restore),
        boxes=tuple(_boxes(page, blocks, restore)) if page else (),
        hidden_text=seen.hidden,
        width=seen.width,
        height=seen.height,
        has_images=seen.has_images or any(block.kind == "figure" for block in blocks),
    )


def _lines_of(seen: PdfPageEvidence, words: BrokenWords) -> str:
    """Return the lines of a page as PDFium reads them: of text that runs upwards liteparse gives none."""
    lines = () if seen.hidden else (words.joined(line).strip() for line in seen.text.split("\r\n"))
    return "\n".join(escape(without_control_signs(line)) for line in lines if line)


def _blocks(page: ParsedPage, seen: PdfPageEvidence, roles: RowRoles) -> list[LayoutBlock]:
    """Return the blocks of a page in reading order, each of them one paragraph, listing or table."""
    if seen.vertical_lines:
        pictures = [block for block in page.blocks or [] if block.kind == "figure"]
        return [*vertical_blocks(seen.vertical_lines), *pictures]
    in_order = replace(page, blocks=side_by_side(replace(page, blocks=in_columns(page, seen.text))))
    with_items = replace(page, blocks=with_marked_items(replace(page, blocks=roles.apart(in_order)), seen.dots))
    return apart(with_items)


def _boxes(page: ParsedPage, blocks: Sequence[LayoutBlock], restore: Restore) -> Iterator[Box]:
    """Blocks and form fields with their places; what lies off the page has none."""
    found = boxes_of(blocks, restore)
    for form_field in page.form_fields or ():
        box = corners(form_field.rect)
        if box is not None:
            found.append(Box(kind="form_field", box=box, text=form_field.value or ""))
    for one in found:
        if one.box.left < page.width and one.box.top < page.height and one.box.right > 0 and one.box.bottom > 0:
            yield one


def _warnings(
    numbers: Sequence[int], read: dict[int, ParsedPage], evidence: PdfEvidence
) -> Iterator[ConversionWarning]:
    code = DegradedFlag.PARTIAL_CONVERSION.value
    for place, number in enumerate(numbers, start=1):
        seen = evidence.pages[number - 1]
        if number not in read:
            message = f"liteparse cannot read page {number}; it is left empty"
            yield ConversionWarning(code=code, message=message, page=place)
        elif seen is not None and not seen.complete:
            message = f"Page {number}: only {MAX_OBJECTS:,} objects were searched for hidden text"
            yield ConversionWarning(code=code, message=message, page=place)
