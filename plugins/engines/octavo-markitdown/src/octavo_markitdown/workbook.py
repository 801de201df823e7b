"""Converts workbooks, one page per sheet, with the engine's own dependencies openpyxl and xlrd.

The engine's own path reads a sheet as a data frame: empty cells become 'NaN', a second column of the same name is
renamed, whole numbers get a decimal point, and one far cell makes it build millions of rows.
"""

from __future__ import annotations

import io
import re
import struct
import warnings as python_warnings
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from octavo_contracts import (
    ContentTooLarge,
    ConversionWarning,
    DocumentMetadata,
    Page,
    SourceCorrupt,
    SourceEncrypted,
    ToolUnavailable,
)
from octavo_contracts.authoring.containers import DAMAGED, MAX_UNPACKED_BYTES
from pydantic import JsonValue

from .cells import gather, sheet_page
from .engine import ENCRYPTED_REMEDY, INSTALL, PLUGIN
from .office_package import OfficePackage
from .pages import Reading

if TYPE_CHECKING:
    from xlrd.sheet import Sheet  # type: ignore[import-untyped]  # ships no types

_LAST_ROW = 1_048_576
_SHEET_PART = re.compile(r"xl/worksheets/[^/]+\.xml", re.IGNORECASE)
_FORMULA_ALONE = re.compile(
    rb"(?:</(?:\w+:)?f>|<(?:\w+:)?f\s[^<>]{0,300}/>)\s{0,9}(?:<(?:\w+:)?v\s?/>|<(?:\w+:)?v></(?:\w+:)?v>)?\s{0,9}</(?:\w+:)?c>"
)
_BROKEN = (
    OSError,
    KeyError,
    ValueError,
    TypeError,
    IndexError,
    AttributeError,
    SyntaxError,
    AssertionError,
    struct.error,
)
"""What the two libraries raise on contradictory bytes, beside their own errors; XML errors are SyntaxError."""


def read_workbook(data: bytes, *, max_pages: int) -> Reading:
    """Convert an xlsx or xlsm.

    Raises:
        SourceCorrupt, SourceEncrypted, ContentTooLarge: see `OfficePackage`; or more sheets than `max_pages`.
    """
    package = OfficePackage(data)
    # Sheets are read as a stream, so that a large one is no danger.
    package.refuse_doctypes(largest=MAX_UNPACKED_BYTES)
    try:
        import openpyxl
    except ImportError as error:
        raise ToolUnavailable(f"openpyxl cannot be imported: {error}", plugin=PLUGIN, remedy=INSTALL) from error
    pages: list[Page] = []
    warnings: list[ConversionWarning] = []
    with python_warnings.catch_warnings():
        # It warns of extensions that hold no values: data validation, conditional formats.
        python_warnings.simplefilter("ignore")
        try:
            book = openpyxl.load_workbook(io.BytesIO(data), read_only=True, data_only=True)
            _limit(len(book.sheetnames), max_pages)
            for number, name in enumerate(book.sheetnames, start=1):
                page, more = _sheet(book[name], name=name, number=number)
                pages.append(page)
                warnings += more
            ranges = _named_ranges(book)
        except (*DAMAGED, *_BROKEN) as error:
            raise SourceCorrupt(f"openpyxl failed with {type(error).__name__}: {error}", plugin=PLUGIN) from error
    if any(name.startswith(("xl/comments", "xl/threadedComments/")) for name in package.names()):
        warnings.append(ConversionWarning(code="partial_conversion", message="Comments of cells are not read."))
    if count := sum(_uncalculated(package.read(name)) for name in package.names() if _SHEET_PART.fullmatch(name)):
        message = (
            f"{count} formulas have no stored value: their cells are empty. Save the workbook in a spreadsheet program."
        )
        warnings.append(ConversionWarning(code="partial_conversion", message=message))
    if package.has_macros:
        message = "The workbook carries macros; they were not run."
        warnings.append(ConversionWarning(code="active_content", message=message))
    metadata = package.core_properties()
    if ranges:
        metadata = metadata.model_copy(update={"fields": {"named_ranges": ranges}})
    return Reading(pages=tuple(pages), metadata=metadata, warnings=tuple(warnings))


def _uncalculated(sheet: bytes) -> int:
    """Number of formulas at which a cell ends: a program that calculates nothing wrote them without a value."""
    return sum(1 for _ in _FORMULA_ALONE.finditer(sheet))


def _sheet(sheet: Any, *, name: str, number: int) -> tuple[Page, list[ConversionWarning]]:
    """One sheet of openpyxl, which has no types: a worksheet, or a chart sheet, which has no rows."""
    if not hasattr(sheet, "iter_rows"):
        message = f"Sheet {name!r} is no worksheet: what it draws is not read."
        warning = ConversionWarning(code="partial_conversion", message=message, page=number)
        return Page(number=number, label=name, kind="sheet", markdown=""), [warning]
    # The declared dimension lies at times; without it the library goes by the stored cells.
    sheet.reset_dimensions()
    page, warnings = sheet_page(gather(_rows(sheet, name), sheet=name), name=name, number=number)
    return page, [*_hidden(name, number, hidden=sheet.sheet_state != "visible"), *warnings]


def _rows(sheet: Any, name: str) -> Iterator[tuple[int, tuple[object, ...]]]:
    for index, values in enumerate(sheet.iter_rows(values_only=True)):
        if index >= _LAST_ROW:
            raise ContentTooLarge(
                f"sheet {name!r} has rows after {_LAST_ROW}, the last row that a sheet can have", plugin=PLUGIN
            )
        if values:
            yield index, values


def _named_ranges(book: Any) -> dict[str, JsonValue]:
    ranges: dict[str, JsonValue] = {
        name: str(defined.attr_text) for name, defined in book.defined_names.items() if not defined.hidden
    }
    for sheet in book.worksheets:
        for name, defined in getattr(sheet, "defined_names", {}).items():
            if not (defined.hidden or name.startswith("_xlnm.")):
                ranges[f"{sheet.title}!{name}"] = str(defined.attr_text)
    return ranges


def read_old_workbook(data: bytes, *, max_pages: int) -> Reading:
    """Convert an xls.

    Raises:
        SourceEncrypted: a password is wanted.
        SourceCorrupt: no workbook, or one that contradicts itself.
        ContentTooLarge: more sheets than `max_pages`.
    """
    try:
        import xlrd  # type: ignore[import-untyped]  # ships no types
        from xlrd.compdoc import CompDocError  # type: ignore[import-untyped]  # ships no types
    except ImportError as error:
        raise ToolUnavailable(f"xlrd cannot be imported: {error}", plugin=PLUGIN, remedy=INSTALL) from error
    pages: list[Page] = []
    warnings: list[ConversionWarning] = []
    try:
        # Ragged rows: one far cell does not pad all rows before it.
        book = xlrd.open_workbook(file_contents=data, ragged_rows=True, logfile=io.StringIO())
        _limit(book.nsheets, max_pages)
        for number, sheet in enumerate(book.sheets(), start=1):
            cells = gather(_old_rows(sheet, book.datemode), sheet=sheet.name)
            page, more = sheet_page(cells, name=sheet.name, number=number)
            pages.append(page)
            warnings += [*_hidden(sheet.name, number, hidden=sheet.visibility != 0), *more]
    except (xlrd.XLRDError, CompDocError, *_BROKEN) as error:
        if "encrypted" in str(error):
            raise SourceEncrypted(
                "the workbook is protected by a password", plugin=PLUGIN, remedy=ENCRYPTED_REMEDY
            ) from error
        raise SourceCorrupt(f"xlrd failed with {type(error).__name__}: {error}", plugin=PLUGIN) from error
    metadata = DocumentMetadata(author=book.user_name.strip() or None)
    return Reading(pages=tuple(pages), metadata=metadata, warnings=tuple(warnings))


def _old_rows(sheet: Sheet, datemode: int) -> Iterator[tuple[int, list[object]]]:
    for row in range(sheet.nrows):
        cells = zip(sheet.row_types(row), sheet.row_values(row), strict=True)
        yield row, [_old_value(kind, value, datemode) for kind, value in cells]


def _old_value(kind: int, value: Any, datemode: int) -> object:
    """A value of xlrd, which gives dates as numbers, errors as codes and booleans as 0 and 1."""
    import xlrd

    if kind == xlrd.XL_CELL_ERROR:
        return xlrd.error_text_from_code.get(value, "#ERROR!")
    if kind == xlrd.XL_CELL_BOOLEAN:
        return bool(value)
    if kind == xlrd.XL_CELL_DATE:
        moment = xlrd.xldate_as_datetime(value, datemode)
        return moment.time() if 0 <= value < 1 else moment
    return value if kind in (xlrd.XL_CELL_TEXT, xlrd.XL_CELL_NUMBER) else None


def _limit(sheets: int, most: int) -> None:
    if sheets > most:
        raise ContentTooLarge(f"the workbook has {sheets} sheets, more than {most}", plugin=PLUGIN)
    if not sheets:
        raise SourceCorrupt("the workbook has no sheet", plugin=PLUGIN)


def _hidden(name: str, number: int, *, hidden: bool) -> list[ConversionWarning]:
    message = "The sheet is hidden in the workbook; it was converted."
    return [ConversionWarning(code="hidden_sheet", message=message, page=number)] if hidden else []
