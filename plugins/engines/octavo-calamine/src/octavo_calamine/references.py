"""Reads cells by reference, for charts whose values are not stored with them."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from .cells import cell_text

if TYPE_CHECKING:
    from python_calamine import CalamineWorkbook

_RANGE = re.compile(
    r"(?:'(?P<quoted>(?:[^']|''){1,200})'|(?P<plain>[^'!]{1,200}))!"
    r"\$?(?P<left>[A-Z]{1,3})\$?(?P<top>\d{1,7})(?::\$?(?P<right>[A-Z]{1,3})\$?(?P<bottom>\d{1,7}))?"
)
_MOST_CELLS = 20_000
"""Cells of a range that are read; a chart with more is cut."""


class CellLookup:
    """The cells of a workbook by reference."""

    def __init__(self, workbook: CalamineWorkbook) -> None:
        self._workbook = workbook
        self._grids: dict[str, list[list[str]]] = {}

    def __call__(self, reference: str) -> list[str]:
        """Return the texts of the cells of a reference such as `Sheet1!$B$2:$B$9`, row by row; empty where it is none."""
        found = _RANGE.fullmatch(reference.strip())
        if found is None:
            return []
        name = found["plain"] or found["quoted"].replace("''", "'")
        if name not in self._workbook.sheet_names:
            return []
        left, top = _column(found["left"]), int(found["top"]) - 1
        right = _column(found["right"]) if found["right"] else left
        bottom = int(found["bottom"]) - 1 if found["bottom"] else top
        grid = self._grid(name)
        texts: list[str] = []
        for row in grid[top : bottom + 1]:
            cells = row[left : right + 1]
            texts += [*cells, *[""] * (right - left + 1 - len(cells))][: _MOST_CELLS - len(texts)]
        return texts

    def _grid(self, name: str) -> list[list[str]]:
        if name not in self._grids:
            sheet = self._workbook.get_sheet_by_name(name)
            top, left = sheet.start or (0, 0)
            rows = [[cell_text(value) for value in row] for row in sheet.to_python(skip_empty_area=True)]
            self._grids[name] = [[] for _ in range(top)] + [[""] * left + row for row in rows]
        return self._grids[name]


def _column(letters: str) -> int:
    number = 0
    for letter in letters:
        number = number * 26 + ord(letter) - 64
    return number - 1
