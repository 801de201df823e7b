"""Reads sheet extents and named ranges of an OpenDocument spreadsheet, which the engine does not return.

Repeated cells and rows are what blows up here: one element may stand for 16,384 columns of a million rows.
"""

from __future__ import annotations

from .extent import Extent
from .facts import WorkbookFacts
from .package import Package, local_attributes, parse_xml

CONTENT_PART = "content.xml"


def read_ods_facts(package: Package) -> WorkbookFacts:
    """Read the facts of an ods workbook.

    Raises:
        SourceCorrupt: the content is missing or not well-formed.
    """
    scan = _ContentScan()
    parse_xml(package.read(CONTENT_PART), part=CONTENT_PART, start=scan.start, end=scan.end)
    return scan.facts


class _ContentScan:
    """Handlers for `content.xml`; rows and columns count from 0 in each table."""

    def __init__(self) -> None:
        self.facts = WorkbookFacts()
        self._extent = Extent()
        self._row = self._column = 0
        self._row_repeats = 1
        self._filled: list[tuple[int, int]] = []

    def start(self, name: str, attributes: dict[str, str]) -> None:
        if name in ("table-cell", "covered-table-cell"):
            self._cell(local_attributes(attributes))
        elif name == "table-row":
            self._column = 0
            self._filled = []
            self._row_repeats = _count(local_attributes(attributes).get("number-rows-repeated"))
        elif name == "table":
            self._extent = Extent()
            self._row = 0
            self.facts.extents.append((local_attributes(attributes).get("name", ""), self._extent))
        elif name == "named-range":
            values = local_attributes(attributes)
            self.facts.named_ranges[values.get("name", "")] = values.get("cell-range-address", "")
        elif name == "annotation":
            self.facts.has_comments = True

    def end(self, name: str) -> None:
        if name == "table-row":
            for first, last in self._filled:
                self._extent.add(self._row, first)
                self._extent.add(self._row + self._row_repeats - 1, last)
            self._row += self._row_repeats

    def _cell(self, values: dict[str, str]) -> None:
        repeats = _count(values.get("number-columns-repeated"))
        if "value-type" in values:
            self._filled.append((self._column, self._column + repeats - 1))
        self._column += repeats


def _count(text: str | None) -> int:
    """A repeat count; 1 where it is not written or no number."""
    return max(1, int(text)) if text and text.isascii() and text.isdigit() and len(text) < 12 else 1
