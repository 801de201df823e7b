"""Converts a workbook to pages: checks the request, examines the bytes, calls the engine, builds a page per sheet."""

from __future__ import annotations

import io
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from importlib.metadata import version
from typing import TYPE_CHECKING

from octavo_contracts import (
    ContentTooLarge,
    Conversion,
    ConversionWarning,
    ConvertRequest,
    DocumentMetadata,
    Page,
    SourceCorrupt,
    SourceEmpty,
    SourceEncrypted,
    SourceView,
    ToolUnavailable,
    UnsupportedFormat,
    UsageError,
)
from pydantic import JsonValue

from .cells import escape
from .drawings import Drawn, number_of
from .facts import ENCRYPTED_REMEDY, WorkbookFacts
from .preflight import examine
from .references import CellLookup
from .sheets import empty_page, sheet_page

if TYPE_CHECKING:
    from python_calamine import CalamineSheet, CalamineWorkbook, SheetMetadata

PLUGIN = "calamine"
_MOST_UNREAD_NAMES = 20
"""Names that a warning lists."""
MEDIA_TYPES = frozenset(
    {
        "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet",
        "application/vnd.ms-excel.sheet.macroenabled.12",
        "application/vnd.ms-excel.sheet.binary.macroenabled.12",
        "application/vnd.ms-excel",
        "application/vnd.oasis.opendocument.spreadsheet",
    }
)


def convert_workbook(source: SourceView, *, request: ConvertRequest) -> Conversion:
    """Convert a workbook: every sheet a page in workbook order, hidden ones too, every row in its table.

    Args:
        source: the workbook.
        request: type and limits; `max_pages` limits the sheets.

    Raises:
        UnsupportedFormat: the type is none of the manifest's.
        UsageError: single pages are asked for.
        SourceEmpty: no bytes.
        SourceCorrupt: the bytes are no whole workbook.
        SourceEncrypted: the workbook wants a password; this plugin takes none.
        ContentTooLarge: more sheets, cells or unpacked bytes than the limits.
        ToolUnavailable: calamine is not installed.
    """
    _check(source, request)
    data = source.read_bytes()
    facts = examine(data)
    with _engine_errors(), _open(data) as workbook:
        sheets = workbook.sheets_metadata
        if len(sheets) > request.max_pages:
            raise ContentTooLarge(f"the workbook has {len(sheets)} sheets, more than {request.max_pages}")
        if not sheets:
            raise SourceCorrupt("the workbook has no sheet")
        pages, places = _read_sheets(workbook, facts)
    return Conversion(
        pages=pages,
        paginated=True,
        metadata=_metadata(facts, places),
        warnings=(*_sheet_warnings(sheets, pages), *_workbook_warnings(facts)),
        engine_version=f"python-calamine {version('python-calamine')}",
    )


def _check(source: SourceView, request: ConvertRequest) -> None:
    if request.media_type.lower() not in MEDIA_TYPES:
        raise UnsupportedFormat(f"{request.media_type} is no workbook type that calamine reads", plugin=PLUGIN)
    if request.pages is not None:
        raise UsageError(
            "calamine reads whole workbooks: it does not have the capability `page_ranges`",
            plugin=PLUGIN,
            remedy="Ask for the document without a page range",
        )
    if source.size == 0:
        raise SourceEmpty("the workbook has no bytes", plugin=PLUGIN)


@contextmanager
def _engine_errors() -> Iterator[None]:
    """Turn the engine's errors into typed ones."""
    try:
        import python_calamine as engine
    except ImportError as error:
        raise ToolUnavailable(
            f"calamine cannot be imported: {error}", plugin=PLUGIN, remedy="Run `pip install python-calamine`"
        ) from error
    try:
        yield
    except engine.PasswordError as error:
        raise SourceEncrypted(
            "the workbook is protected by a password", plugin=PLUGIN, remedy=ENCRYPTED_REMEDY
        ) from error
    except (engine.CalamineError, OSError, ValueError) as error:
        raise SourceCorrupt(f"calamine cannot read the workbook: {error}", plugin=PLUGIN) from error
    except BaseException as error:
        # A panic of the Rust code arrives as pyo3's PanicException, which no module exports and which is no Exception.
        if type(error).__name__ != "PanicException":
            raise
        raise SourceCorrupt(f"calamine stopped at a contradiction in the workbook: {error}", plugin=PLUGIN) from error


def _open(data: bytes) -> CalamineWorkbook:
    from python_calamine import load_workbook

    return load_workbook(io.BytesIO(data))


def _read_sheets(workbook: CalamineWorkbook, facts: WorkbookFacts) -> tuple[tuple[Page, ...], list[JsonValue]]:
    pages: list[Page] = []
    places: list[JsonValue] = []
    drawings: list[Drawn] = []
    for index, sheet in enumerate(workbook.sheets_metadata):
        extent, drawn = facts.of_sheet(index, sheet.name, of=len(workbook.sheet_names))
        cells = _cells(workbook, index, sheet)
        page, place = sheet_page(cells, number=index + 1, extent=extent) if cells else empty_page(sheet.name, index + 1)
        pages.append(page)
        places.append(place)
        drawings.append(drawn)
    has_charts = any(drawn.charts for drawn in drawings)
    numbers = _numbers(pages) if has_charts else frozenset()
    lookup = CellLookup(workbook)
    pages = [
        _with_drawn(page, drawn.blocks(lookup, numbers), drawn) for page, drawn in zip(pages, drawings, strict=True)
    ]
    if any(page.markdown for page in pages):  # a workbook without any cell stays without text
        pages = [
            page if page.markdown else page.model_copy(update={"markdown": f"## {escape(page.label or '')}\n"})
            for page in pages
        ]
    return tuple(pages), places


def _cells(workbook: CalamineWorkbook, index: int, sheet: SheetMetadata) -> CalamineSheet | None:
    """The cells of a sheet, or None of a chart sheet or dialogue whose part the engine does not understand."""
    from python_calamine import CalamineError, SheetTypeEnum

    try:
        return workbook.get_sheet_by_index(index)
    except (CalamineError, OSError, ValueError):
        if sheet.typ == SheetTypeEnum.WorkSheet:
            raise
        return None


def _numbers(pages: Iterable[Page]) -> frozenset[str]:
    """What stands in the cells of the sheets."""
    return frozenset(
        number_of(cell) for page in pages for table in page.tables for row in table.rows for cell in row if cell
    )


def _with_drawn(page: Page, blocks: Sequence[str], drawn: Drawn) -> Page:
    """The page with what is drawn over its cells below them."""
    update: dict[str, object] = {}
    if blocks:
        cells = page.markdown.strip() or f"## {escape(page.label or '')}"
        update["markdown"] = "\n\n".join((cells, *blocks)) + "\n"
    if drawn.hidden:
        update["hidden_text"] = (*page.hidden_text, *drawn.hidden)
    return page.model_copy(update=update) if update else page


def _metadata(facts: WorkbookFacts, places: list[JsonValue]) -> DocumentMetadata:
    fields: dict[str, JsonValue] = {"sheets": places}
    if facts.named_ranges:
        fields["named_ranges"] = dict(facts.named_ranges)
    return DocumentMetadata(fields=fields)


def _sheet_warnings(sheets: list[SheetMetadata], pages: tuple[Page, ...]) -> Iterator[ConversionWarning]:
    """What a reader would not expect of a sheet: that it is hidden, or holds no cells."""
    from python_calamine import SheetTypeEnum, SheetVisibleEnum

    for page, sheet in enumerate(sheets, start=1):
        if sheet.visible != SheetVisibleEnum.Visible:
            yield ConversionWarning(
                code="hidden_sheet",
                message="The sheet is hidden in the workbook; it was converted.",
                page=page,
            )
        if sheet.typ != SheetTypeEnum.WorkSheet and "**Chart" not in pages[page - 1].markdown:
            yield ConversionWarning(
                code="partial_conversion",
                message=f"Sheet {sheet.name!r} is no worksheet ({sheet.typ}): what it draws is not read.",
                page=page,
            )


def _workbook_warnings(facts: WorkbookFacts) -> Iterator[ConversionWarning]:
    for page, (name, extent) in enumerate(facts.extents, start=1):
        if count := extent.unread_charts:
            message = f"{count} charts of the sheet {name!r} are not read in this format."
            yield ConversionWarning(code="partial_conversion", message=message, page=page)
        if count := extent.formulas_without_value:
            yield ConversionWarning(
                code="partial_conversion",
                message=f"{count} formulas of the sheet {name!r} have no stored value: their cells are empty. "
                "Open and save the workbook in a spreadsheet program to have them computed.",
                page=page,
            )
    if facts.has_comments:
        yield ConversionWarning(code="partial_conversion", message="Comments of cells are not read.")
    if facts.unread_names:
        names = ", ".join(facts.unread_names[:_MOST_UNREAD_NAMES])
        more = len(facts.unread_names) - _MOST_UNREAD_NAMES
        yield ConversionWarning(
            code="unread_names",
            message=f"What these names of the workbook stand for is not read in this format: {names}"
            + (f" and {more} more." if more > 0 else "."),
        )
    if facts.has_macros:
        yield ConversionWarning(code="active_content", message="The workbook carries macros; they were not run.")
