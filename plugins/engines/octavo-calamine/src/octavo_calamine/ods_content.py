"""Reads what an OpenDocument spreadsheet says of its sheets and the engine does not return.

Repeated cells and rows are what blows up here: one element may stand for 16,384 columns of a million rows.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field

from .drawings import Comment, Drawn, joined
from .extent import Extent
from .facts import WorkbookFacts
from .ods_charts import read_chart
from .package import Package, local_attributes, parse_xml

CONTENT_PART = "content.xml"

_MOST_REPEATS = 10_000
"""Cells of one element whose text and address are kept."""
_NUMBER = re.compile(r"[-+(]?[\d.,'/\s]*(?:[eE][-+]?\d+)?\)?")
_CODE = re.compile(r"0\d+")
_FORMULA_LINK = re.compile(r'\s*(?:of:)?=\s*HYPERLINK\("([^"]{1,2000})"', re.IGNORECASE)
_SCHEMES = ("http://", "https://", "mailto:", "ftp://")
_SHAPES = frozenset({"frame", "custom-shape", "rect", "ellipse", "line", "caption"})


@dataclass(kw_only=True)
class _Cell:
    """A cell that is being read.

    Attributes:
        column: its column, from 0.
        repeats: columns that it stands for.
        kind: type of its value.
        text: pieces of what it shows.
        link: the first address that it leads to.
        is_formula: whether it has a formula.
    """

    column: int
    repeats: int
    kind: str
    text: list[str] = field(default_factory=list)
    link: str = ""
    is_formula: bool = False


def read_ods_facts(package: Package) -> WorkbookFacts:
    """Read the facts of an ods workbook.

    Raises:
        SourceCorrupt: the content, or that of a chart, is missing or not well-formed.
    """
    scan = _ContentScan()
    parse_xml(package.read(CONTENT_PART), part=CONTENT_PART, start=scan.start, end=scan.end, text=scan.text)
    for drawn, objects in zip(scan.facts.drawn, scan.objects, strict=True):
        charts = (read_chart(package, name) for name in objects)
        drawn.charts += [chart for chart in charts if chart is not None]
    return scan.facts


class _ContentScan:
    """Handlers for `content.xml`; rows and columns count from 0 in each table."""

    def __init__(self) -> None:
        self.facts = WorkbookFacts()
        self.objects: list[list[str]] = []
        self._extent = Extent()
        self._row = self._column = 0
        self._row_repeats = 1
        self._filled: list[tuple[int, int]] = []
        self._cells: list[_Cell] = []
        self._cell: _Cell | None = None
        self._inside: list[str] = []  # shapes and comments around what is read
        self._name = ""  # of the innermost element with text
        self._author: list[str] = []
        self._lines: list[list[str]] = []

    def start(self, name: str, attributes: dict[str, str]) -> None:
        self._name = name
        if name in ("table-cell", "covered-table-cell"):
            self._start_cell(local_attributes(attributes))
        elif name == "table-row":
            self._column = 0
            self._filled, self._cells = [], []
            self._row_repeats = _count(local_attributes(attributes).get("number-rows-repeated"))
        elif name == "table" and not self._inside:
            self._extent = Extent()
            self._row = 0
            self.facts.extents.append((local_attributes(attributes).get("name", ""), self._extent))
            self.facts.drawn.append(Drawn())
            self.objects.append([])
        elif name == "named-range":
            values = local_attributes(attributes)
            self.facts.named_ranges[values.get("name", "")] = values.get("cell-range-address", "")
        elif name == "annotation" or name in _SHAPES:
            self._inside.append(name)
            self._author, self._lines = [], []
        elif name == "object" and self.objects:
            self.objects[-1].append(local_attributes(attributes).get("href", ""))
        elif name == "p":
            self._lines.append([])
        elif name == "a" and self._cell is not None and not self._inside:
            self._cell.link = self._cell.link or local_attributes(attributes).get("href", "")
        elif name in ("s", "tab", "line-break"):
            self.text(" ")
            self._name = "p"

    def text(self, piece: str) -> None:
        if not self._inside:
            if self._cell is not None:
                self._cell.text.append(piece)
        elif self._name == "creator":
            self._author.append(piece)
        elif self._name == "desc" and self.facts.drawn and self._inside[-1] == "frame":
            self.facts.drawn[-1].pictures.append(joined([piece]))
        elif self._name not in ("date", "title") and self._lines:
            self._lines[-1].append(piece)

    def end(self, name: str) -> None:
        self._name = "p"
        if name == "table-row" and not self._inside:
            self._end_row()
        elif name in ("table-cell", "covered-table-cell") and self._cell is not None:
            self._cells.append(self._cell)
            self._cell = None
        elif name == "p" and self._cell is not None and not self._inside:
            self._cell.text.append(" ")
        elif self._inside and name == self._inside[-1]:
            self._inside.pop()
            self._end_shape(name)

    def _end_shape(self, name: str) -> None:
        lines = [line for pieces in self._lines if (line := joined(pieces))]
        self._lines = []
        if not self.facts.drawn or not lines:
            return
        if name == "annotation":
            column = self._cell.column if self._cell is not None else 0
            place = f"{_letters(column)}{self._row + 1}"
            comment = Comment(place=place, author=joined(self._author), text=" ".join(lines))
            self.facts.drawn[-1].comments.append(comment)
        else:
            self.facts.drawn[-1].texts += lines

    def _start_cell(self, values: dict[str, str]) -> None:
        repeats = _count(values.get("number-columns-repeated"))
        if "value-type" in values:
            self._filled.append((self._column, self._column + repeats - 1))
        formula = _FORMULA_LINK.match(values.get("formula", ""))
        link = formula[1] if formula else ""
        self._cell = _Cell(
            column=self._column,
            repeats=repeats,
            kind=values.get("value-type", ""),
            link=link,
            is_formula="formula" in values,
        )
        self._column += repeats

    def _end_row(self) -> None:
        for first, last in self._filled:
            self._extent.add(self._row, first)
            self._extent.add(self._row + self._row_repeats - 1, last)
        for cell in self._cells:
            if cell.is_formula and not cell.kind and not joined(cell.text):
                self._extent.formulas_without_value += cell.repeats * self._row_repeats
            if cell.kind and cell.repeats * self._row_repeats <= _MOST_REPEATS:
                self._keep(cell)
        self._row += self._row_repeats

    def _keep(self, cell: _Cell) -> None:
        text = joined(cell.text)
        for row in range(self._row, self._row + self._row_repeats):
            for column in range(cell.column, cell.column + cell.repeats):
                if cell.kind == "percentage":
                    self._extent.formats[row, column] = "0%"
                elif text and _says_more(text, cell.kind):
                    self._extent.shown[row, column] = text
                if cell.link.lower().startswith(_SCHEMES):
                    self._extent.links[row, column] = cell.link


def _says_more(text: str, kind: str) -> bool:
    """Whether the shown text of a value says more than the value: a currency, a unit, the form of a date, a code's zeros."""
    if kind == "float":
        return not _NUMBER.fullmatch(text) or _CODE.fullmatch(text) is not None
    return kind in ("currency", "date", "time", "boolean")


def _letters(column: int) -> str:
    letters = ""
    column += 1
    while column:
        column, rest = divmod(column - 1, 26)
        letters = chr(65 + rest) + letters
    return letters


def _count(text: str | None) -> int:
    """A repeat count; 1 where it is not written or no number."""
    return max(1, int(text)) if text and text.isascii() and text.isdigit() and len(text) < 12 else 1
