"""Prepares HTML tables and lists for the engine, which knows no row spans, no numbers of items, and escapes no pipes."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from .pipe_tables import PIPE_STAND_IN

if TYPE_CHECKING:
    from bs4 import BeautifulSoup, Tag

_PIPE = re.compile(r"\|")
_MOST_SPANS = 1000
"""What a browser allows of columns (the HTML standard's own limit)."""


def stand_in_for_pipes(soup: BeautifulSoup) -> bool:
    """Replace the pipes in table cells by a placeholder.

    Returns:
        Whether there were any.
    """
    found = [
        text
        for cell in soup.find_all(["td", "th"])
        for text in cell.find_all(string=_PIPE)
        if text.find_parent(["script", "style"]) is None
    ]
    for text in found:
        text.replace_with(str(text).replace("|", PIPE_STAND_IN))
    return bool(found)


def fill_row_spans(soup: BeautifulSoup) -> bool:
    """Put an empty cell wherever a cell of a row above reaches down, so that columns stay in line.

    Returns:
        Whether there were any such cells.
    """
    if not soup.find(["td", "th"], rowspan=True):
        return False
    for table in soup.find_all("table"):
        reach: dict[int, int] = {}
        for row in table.find_all("tr"):
            if row.find_parent("table") is table:
                reach = _fill_row(soup, row, reach)
    return True


def widen_heads(soup: BeautifulSoup) -> bool:
    """Fill the first row of each table up to its longest row: markdown drops cells beyond the first row.

    Returns:
        Whether a row was too short.
    """
    changed = False
    for table in soup.find_all("table"):
        rows = [row for row in table.find_all("tr") if row.find_parent("table") is table]
        widths = [sum(_span(cell, "colspan") for cell in row.find_all(["td", "th"], recursive=False)) for row in rows]
        for _ in range(min(max(widths, default=0), _MOST_SPANS) - widths[0] if widths else 0):
            rows[0].append(soup.new_tag("td"))
            changed = True
    return changed


def split_lists(soup: BeautifulSoup) -> bool:
    """Begin a new list at each item of a numbered list that states its own number.

    Returns:
        Whether there were any such items.
    """
    changed = False
    for item in soup.find_all("li", value=re.compile(r"^\s*\d{1,7}\s*$")):
        held = item.parent
        if held is None or held.name != "ol":
            continue
        rest = soup.new_tag("ol", start=str(item["value"]).strip())
        following = [item, *item.find_next_siblings()]
        held.insert_after(rest)
        for one in following:
            rest.append(one.extract())
        if held.find("li") is None:
            held.decompose()
        changed = True
    return changed


def _fill_row(soup: BeautifulSoup, row: Tag, reach: dict[int, int]) -> dict[int, int]:
    """Fill one row.

    Args:
        soup: makes the new cells.
        row: the row; changed in place.
        reach: column → how many rows, this one included, a cell from above still covers.

    Returns:
        The same for the row below.
    """
    below = {column: rows - 1 for column, rows in reach.items() if rows > 1}
    column = 0
    for cell in row.find_all(["td", "th"], recursive=False):
        while reach.get(column):
            cell.insert_before(soup.new_tag("td"))
            column += 1
        width, height = _span(cell, "colspan"), _span(cell, "rowspan")
        if height > 1:
            below.update(dict.fromkeys(range(column, column + width), height - 1))
            del cell["rowspan"]
        column += width
    while reach.get(column):
        row.append(soup.new_tag("td"))
        column += 1
    return below


def _span(cell: Tag, name: str) -> int:
    text = str(cell.get(name) or "1").strip()
    return min(max(1, int(text)), _MOST_SPANS) if text.isascii() and text.isdigit() and len(text) < 8 else 1
