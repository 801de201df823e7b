"""Reads sheet extents, error cells and named ranges of xlsx and xlsm files, which the engine does not return.

Nearly every sheet writes its cells in one regular form and has no errors; there two searches over the bytes tell
enough. Any other is parsed.
"""

from __future__ import annotations

import re

from octavo_contracts import SourceCorrupt

from .extent import MAX_SHEET_CELLS, Extent
from .facts import WorkbookFacts
from .package import Package, local_attributes, parse_xml, relationships
from .xlsx_cells import formatted_cells, formulas_without_value, links, notable_styles
from .xlsx_drawings import read_drawn

WORKBOOK_PART = "xl/workbook.xml"

_REGULAR_CELL = re.compile(rb'<c r="([A-Z]{1,3})([0-9]{1,7})"')
_ANY_CELL = re.compile(rb"<(?:[^\s<>/!?:\"']+:)?c[\s/>]")
_IRREGULAR = re.compile(rb"\x00|<!DOCTYPE|\st\s*=\s*[\"']e[\"']")
"""Another encoding, a document type, or an error cell."""


def read_xlsx_facts(package: Package) -> WorkbookFacts:
    """Read the facts of an xlsx workbook.

    Raises:
        SourceCorrupt: a part is missing or not well-formed.
    """
    sheets, facts = _read_workbook(package)
    targets = relationships(package, WORKBOOK_PART)
    styles = notable_styles(package)
    for name, relation in sheets:
        target = targets.get(relation)
        if target is None:
            raise SourceCorrupt(f"sheet {name!r} names a relationship that the workbook does not hold")
        data = package.read(target)
        extent = scan_sheet(data, part=target)
        extent.links = links(package, target, data)
        extent.formulas_without_value = formulas_without_value(data)
        extent.formats = formatted_cells(data, styles)
        facts.extents.append((name, extent))
        facts.drawn.append(read_drawn(package, target))
    facts.has_macros = "xl/vbaproject.bin" in package.names()
    return facts


def _read_workbook(package: Package) -> tuple[list[tuple[str, str]], WorkbookFacts]:
    sheets: list[tuple[str, str]] = []
    facts = WorkbookFacts()
    open_name: list[tuple[str, list[str]]] = []

    def start(element: str, attributes: dict[str, str]) -> None:
        values = local_attributes(attributes)
        if element == "sheet":
            sheets.append((values.get("name", ""), values.get("id", "")))
        elif element == "definedName" and _is_users(values):
            open_name.append((_scoped(values, sheets), []))

    def end(element: str) -> None:
        if element == "definedName" and open_name:
            name, pieces = open_name.pop()
            facts.named_ranges[name] = "".join(pieces).strip()

    def text(piece: str) -> None:
        if open_name:
            open_name[-1][1].append(piece)

    parse_xml(package.read(WORKBOOK_PART), part=WORKBOOK_PART, start=start, end=end, text=text)
    return sheets, facts


def _is_users(values: dict[str, str]) -> bool:
    """Whether a defined name is one that a user gave, not a print area or a name that a program hides."""
    return not values.get("name", "").startswith("_xlnm.") and values.get("hidden", "0") in ("0", "false")


def _scoped(values: dict[str, str], sheets: list[tuple[str, str]]) -> str:
    """A defined name, with its sheet in front where it holds on that sheet only."""
    name = values.get("name", "")
    scope = values.get("localSheetId", "")
    if scope.isascii() and scope.isdigit() and int(scope) < len(sheets):
        return f"{sheets[int(scope)][0]}!{name}"
    return name


def scan_sheet(data: bytes, *, part: str) -> Extent:
    """Find the outermost cells with a value, and the error cells, of a worksheet part.

    Styled cells without a value do not count: the engine leaves them out too.

    Raises:
        SourceCorrupt: not well-formed, or a cell reference that is none.
    """
    columns_and_rows = _regular_cells(data)
    if columns_and_rows is not None:
        extent = _outermost(columns_and_rows, part=part)
        if extent.cells <= MAX_SHEET_CELLS:
            return extent
    scan = _SheetScan(part)
    parse_xml(data, part=part, start=scan.start, end=scan.end, text=scan.text)
    return scan.extent


def _regular_cells(data: bytes) -> list[tuple[bytes, bytes]] | None:
    """Column letters and row number of every cell, with a value or not; None where the bytes must be parsed."""
    if _IRREGULAR.search(data):
        return None
    cells = _REGULAR_CELL.findall(data)
    return cells if len(cells) == len(_ANY_CELL.findall(data)) else None


def _outermost(cells: list[tuple[bytes, bytes]], *, part: str) -> Extent:
    extent = Extent()
    columns = [column_number(letters.decode("ascii"), part=part) for letters in {column for column, _ in cells}]
    rows = [int(number) - 1 for number in {row for _, row in cells}]
    if cells:
        extent.add(min(rows), min(columns))
        extent.add(max(rows), max(columns))
    return extent


class _SheetScan:
    """Handlers for one worksheet; positions that are not written follow from the ones before them."""

    def __init__(self, part: str) -> None:
        self.extent = Extent()
        self._part = part
        self._row = self._column = -1
        self._is_error = False
        self._error: list[str] | None = None
        self._columns: dict[str, int] = {}

    def start(self, name: str, attributes: dict[str, str]) -> None:
        if name == "c":
            reference = attributes.get("r")
            if reference is None:
                self._column += 1
            else:
                self._place(reference)
            self._is_error = attributes.get("t") == "e"
        elif name in ("v", "is", "f"):
            self.extent.add(max(self._row, 0), max(self._column, 0))
            if self._is_error and name == "v":
                self._error = []
        elif name == "row":
            number = attributes.get("r", "")
            self._row = int(number) - 1 if number.isascii() and number.isdigit() else self._row + 1
            self._column = -1

    def end(self, name: str) -> None:
        if name == "v" and self._error is not None:
            self.extent.errors[self._row, self._column] = "".join(self._error).strip()
            self._error = None

    def text(self, piece: str) -> None:
        if self._error is not None:
            self._error.append(piece)

    def _place(self, reference: str) -> None:
        letters = reference.rstrip("0123456789")
        column = self._columns.get(letters)
        if column is None:
            column = self._columns[letters] = column_number(letters, part=self._part)
        digits = reference[len(letters) :]
        if not 0 < len(digits) <= 9:
            raise SourceCorrupt(f"part {self._part!r} holds a cell reference that is none: {reference[:20]!r}")
        self._row, self._column = int(digits) - 1, column


def column_number(letters: str, *, part: str) -> int:
    """Column from 0 of its letters: 'A' is 0, 'XFD' is 16383.

    Raises:
        SourceCorrupt: other characters, or more than five.
    """
    if not (letters.isascii() and letters.isalpha() and len(letters) <= 5):
        raise SourceCorrupt(f"part {part!r} holds a cell reference that is none: {letters[:20]!r}")
    number = 0
    for letter in letters.upper():
        number = number * 26 + ord(letter) - 64
    return number - 1
