"""Tables that are an index or a list of names in columns: running text, one column after the other.

Entries of an index stand level with those of the next column, and an engine that looks for columns takes them for a table.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Sequence
from itertools import pairwise
from typing import Final

from octavo_contracts import Page

from .pipe_rows import is_row, whole_rows

MIN_ENTRIES: Final = 8
"""Fewer entries are no index."""
MAX_COLUMNS: Final = 4
"""Most columns of an index."""
WITH_PAGES: Final = 0.6
"""Least share of the entries of each column that end with page numbers: headings of letters and "see also" have none."""
SORTED: Final = 0.8
"""Least share of neighbouring entries with page numbers that are in the order of the alphabet. Subentries start the alphabet again."""
SORTED_NAMES: Final = 0.97
"""The same of entries without page numbers, for which only their order speaks."""
_PAGE: Final = r"(?:\d{1,4}[a-z]{0,2}|[ivxlc]{1,7})"
_PAGES: Final = re.compile(
    rf"{_PAGE}(?:\s*[\u2013\u2012\u2010-]\s*{_PAGE})?(?:[,;]\s*{_PAGE}(?:\s*[\u2013\u2012\u2010-]\s*{_PAGE})?)*[.,;]?"
)
_ENTRY: Final = re.compile(rf"(?=[^|]*[^\W\d_]{{2}}).*?(?:,|(?:\s*\.){{2,}}|\s\s|\s)\s*{_PAGES.pattern}")
_BARS: Final = re.compile(r"(?<!\\)\|")
_DELIMITER: Final = re.compile(r":?-+:?")
_BREAK: Final = re.compile(r"\s*<br ?/?>\s*")

Rows = Sequence[Sequence[str]]
"""Cells, row by row; all rows have the same number."""


def without_index_tables(page: Page) -> Page:
    """Return the page with the entries of tables that are an index as paragraphs, one column after the other.

    The plain text is unchanged.
    """
    lines = page.markdown.split("\n")
    if not any(map(is_row, lines)):
        return page
    made: list[str] = []
    gone: list[list[str]] = []
    at = 0
    while at < len(lines):
        _, end = whole_rows(lines, at, at + 1)
        entries = index_entries(_cells(lines[at:end])) if is_row(lines[at]) else None
        if entries is None:
            made += lines[at:end]
        else:
            made += ["", "\n\n".join(entries), ""]
            gone.append(_signs(entries))
        at = end
    if not gone:
        return page
    kept = tuple(one for one in page.tables if _signs(cell for row in one.rows for cell in row) not in gone)
    markdown = re.sub(r"\n{3,}", "\n\n", "\n".join(made)).lstrip("\n")
    return page.model_copy(update={"markdown": markdown, "tables": kept})


def _signs(cells: Iterable[str]) -> list[str]:
    """Return the letters and digits of cells in an order that does not depend on that of the cells."""
    return sorted(filter(str.isalnum, "".join(cells)))


def index_entries(rows: Rows) -> list[str] | None:
    """Return the entries of an index or of a list of names, one column after the other; None for any other table."""
    columns = [list(column) for column in zip(*rows, strict=True)]
    columns = [column for column in columns if any(column)]
    if len(columns) > 1 and any(map(_is_of_pages, columns)):
        columns = _with_pages(columns)
    entries = [[cell for cell in column if cell] for column in columns]
    everything = [entry for column in entries for entry in column]
    if not 2 <= len(entries) <= MAX_COLUMNS or len(everything) < MIN_ENTRIES:
        return None
    if min(map(len, entries[:-1])) * 2 < len(rows):
        return None
    keys = [_key(entry) for entry in everything if _key(entry)]
    if all(_share(column) >= WITH_PAGES for column in entries):
        return everything if _ordered(keys) >= SORTED else None
    has_figures = any(char.isdigit() for entry in everything for char in entry)
    is_list = not has_figures and len(keys) == len(everything) and len(set(keys)) == len(keys)
    return everything if is_list and _ordered(keys) >= SORTED_NAMES else None


def _cells(lines: Sequence[str]) -> list[list[str]]:
    rows = [
        [_BREAK.sub(" ", cell.strip()) for cell in _BARS.split(line.strip().removeprefix("|").removesuffix("|"))]
        for line in lines
    ]
    rows = [row for row in rows if not all(_DELIMITER.fullmatch(cell) for cell in row)]
    width = max(map(len, rows), default=0)
    return [[*row, *[""] * (width - len(row))] for row in rows]


def _is_of_pages(column: Sequence[str]) -> bool:
    return all(_PAGES.fullmatch(cell) for cell in column if cell)


def _with_pages(columns: Sequence[Sequence[str]]) -> list[list[str]]:
    """Return the columns with page numbers that are a column of their own behind their words."""
    made: list[list[str]] = []
    for column in columns:
        if made and _is_of_pages(column) and not _is_of_pages(made[-1]):
            made[-1] = [" ".join(filter(None, pair)) for pair in zip(made[-1], column, strict=True)]
        else:
            made.append(list(column))
    return made


def _share(column: Sequence[str]) -> float:
    return sum(_ENTRY.fullmatch(entry) is not None for entry in column) / max(1, len(column))


def _ordered(keys: Sequence[str]) -> float:
    """Return the share of neighbours that are in the order of the alphabet."""
    pairs = list(pairwise(keys))
    return sum(one <= other for one, other in pairs) / max(1, len(pairs))


def _key(entry: str) -> str:
    """Return the first letters of an entry, without accents, by which an index is sorted."""
    plain = unicodedata.normalize("NFKD", entry).casefold()
    return "".join(filter(str.isalpha, plain.split(",")[0]))
