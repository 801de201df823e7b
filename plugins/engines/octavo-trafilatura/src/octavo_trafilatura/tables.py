"""Converts HTML tables to grids: expands spans, and distinguishes layout tables from data tables."""

from __future__ import annotations

from lxml import html

MAX_COLUMNS = 200
"""Widest grid; a cell's span beyond it is cut. No page shows more, but `colspan="1000000"` costs nothing to write."""

MAX_ROW_SPAN = 1000
"""Longest row span, rows."""

_BLOCKS = ("h1", "h2", "h3", "h4", "h5", "h6", "hr", "pre", "blockquote", "form", "article", "section", "main")


def rows_of(table: html.HtmlElement) -> list[html.HtmlElement]:
    """The rows of this table, not those of tables inside it."""
    return list(table.xpath("./tr|./thead/tr|./tbody/tr|./tfoot/tr"))


def cells_of(row: html.HtmlElement) -> list[html.HtmlElement]:
    """The cells of a row."""
    return list(row.xpath("./td|./th"))


def is_data(table: html.HtmlElement) -> bool:
    """Whether a table holds data; one that only places things on the page is read cell by cell.

    Header cells and captions speak for data; a single column, tables and headings inside cells speak for layout.
    """
    rows = rows_of(table)
    if any(has_loose_text(part) for part in (table, *rows)):
        return False
    if table.get("role") in {"presentation", "none"} or max((len(cells_of(row)) for row in rows), default=0) < 2:
        return False
    if _is_mostly_tables(table):
        return False
    if table.find("caption") is not None or any(row.find("th") is not None for row in rows):
        return True
    return (
        len(rows) > 1
        and table.find(".//table") is None
        and not any(table.find(f".//{tag}") is not None for tag in _BLOCKS)
    )


def _is_mostly_tables(table: html.HtmlElement) -> bool:
    """Whether most of a table's text stands in tables inside its cells: it only places them side by side."""
    inner = sum(len(" ".join(one.itertext()).split()) for one in table.iterdescendants("table") if _outer(one) is table)
    # Joined by blanks: cells that stand without white space between them are words of their own.
    return 2 * inner > len(" ".join(table.itertext()).split())


def _outer(table: html.HtmlElement) -> html.HtmlElement | None:
    return next(iter(table.iterancestors("table")), None)


def header_rows(table: html.HtmlElement) -> int:
    """How many rows at the top hold nothing but header cells; at least 1, for markdown has no table without one."""
    count = 0
    for row in rows_of(table):
        if any(cell.tag == "td" for cell in cells_of(row)):
            break
        count += 1
    return max(count, 1)


def grid(table: html.HtmlElement) -> list[list[html.HtmlElement | None]]:
    """The table as rows of equal length: a merged cell stands at its top left, the places it covers are None."""
    taken: dict[tuple[int, int], html.HtmlElement | None] = {}
    rows = rows_of(table)
    for y, row in enumerate(rows):
        x = 0
        for cell in cells_of(row):
            while (x, y) in taken:
                x += 1
            if x >= MAX_COLUMNS:
                break
            right = min(x + _span(cell, "colspan"), MAX_COLUMNS)
            down = min(y + _span(cell, "rowspan"), len(rows), y + MAX_ROW_SPAN)
            taken.update({(i, j): None for j in range(y, down) for i in range(x, right)})
            taken[x, y] = cell
            x = right
    width = max((x for x, _ in taken), default=-1) + 1
    return [[taken.get((x, y)) for x in range(width)] for y in range(len(rows))]


def _span(cell: html.HtmlElement, name: str) -> int:
    value = (cell.get(name) or "1").strip()
    if not value.isdecimal():
        return 1
    # rowspan="0" means: to the end of the table.
    return int(value[:6]) or (MAX_ROW_SPAN if name == "rowspan" else 1)


def has_loose_text(element: html.HtmlElement) -> bool:
    """Whether text stands between the children; a grid has no place for it."""
    return any(text and text.strip() for text in (element.text, *(child.tail for child in element)))
