"""Reads the charts of an OpenDocument spreadsheet: each is a document of its own with a table of its values."""

from __future__ import annotations

from xml.etree.ElementTree import Element

from octavo_contracts.authoring.charts import MAX_POINTS, Chart

from .drawings import joined
from .package import Package, parse_tree

_CHART = "{urn:oasis:names:tc:opendocument:xmlns:chart:1.0}"
_TABLE = "{urn:oasis:names:tc:opendocument:xmlns:table:1.0}"
_TEXT = "{urn:oasis:names:tc:opendocument:xmlns:text:1.0}"


def read_chart(package: Package, folder: str) -> Chart | None:
    """Read a chart; None for another embedded object.

    Args:
        package: the container.
        folder: the object's folder, as the drawing names it.

    Raises:
        SourceCorrupt: its content is not well-formed.
    """
    part = f"{folder.removeprefix('./').strip('/')}/content.xml"
    if part not in package:
        return None
    root = parse_tree(package.read(part), part=part)
    chart = next(root.iter(f"{_CHART}chart"), None)
    if chart is None:
        return None
    title = chart.find(f"{_CHART}title")
    table = next(chart.iter(f"{_TABLE}table"), None)
    rows = [] if table is None else [_row(row) for row in list(table.iter(f"{_TABLE}table-row"))[: MAX_POINTS + 1]]
    return Chart(title="" if title is None else joined(title.itertext()), rows=_with_header(rows))


def _row(row: Element) -> list[str]:
    cells = [
        joined(text for node in cell.iter(f"{_TEXT}p") for text in node.itertext())
        for cell in row.iter(f"{_TABLE}table-cell")
    ]
    return ["" if cell == "NaN" else cell for cell in cells]


def _with_header(rows: list[list[str]]) -> tuple[tuple[str, ...], ...]:
    """The rows without a column of categories that the chart does not have; empty where there are no values."""
    if len(rows) < 2:
        return ()
    if not any(row[0] for row in rows if row):
        return tuple(tuple(row[1:]) for row in rows)
    return (("Category", *rows[0][1:]), *map(tuple, rows[1:]))
