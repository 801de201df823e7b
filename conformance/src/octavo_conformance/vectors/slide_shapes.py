"""Shapes of slides: tables, and boxes with links."""

from __future__ import annotations

from collections.abc import Sequence
from xml.sax.saxutils import escape

_TABLE = "http://schemas.openxmlformats.org/drawingml/2006/table"
_HEIGHT = 900_000
"""Height of a shape, and distance from the top of one shape to that of the next, in EMU."""


def _place(top: int, element: str) -> str:
    return (
        f'<{element}><a:off x="500000" y="{top * _HEIGHT}"/><a:ext cx="8000000" cy="{_HEIGHT - 100_000}"/></{element}>'
    )


def slide_table(number: int, grid: Sequence[Sequence[str]], *, top: int) -> str:
    """Return a table of a slide.

    Args:
        number: id of the shape.
        grid: its cells.
        top: its place from the top, 0 the first.
    """
    rows = "".join(
        '<a:tr h="200000">'
        + "".join(
            f"<a:tc><a:txBody><a:bodyPr/><a:p><a:r><a:t>{escape(cell)}</a:t></a:r></a:p></a:txBody><a:tcPr/></a:tc>"
            for cell in row
        )
        + "</a:tr>"
        for row in grid
    )
    columns = '<a:gridCol w="2000000"/>' * len(grid[0])
    return (
        f'<p:graphicFrame><p:nvGraphicFramePr><p:cNvPr id="{number}" name="table"/><p:cNvGraphicFramePr/><p:nvPr/>'
        f'</p:nvGraphicFramePr>{_place(top, "p:xfrm")}<a:graphic><a:graphicData uri="{_TABLE}"><a:tbl>'
        f'<a:tblPr firstRow="1"/><a:tblGrid>{columns}</a:tblGrid>{rows}</a:tbl></a:graphicData></a:graphic></p:graphicFrame>'
    )


def linked_box(number: int, lines: Sequence[tuple[str, str | None, str]], *, top: int) -> str:
    """Return a box of lines.

    Args:
        number: id of the shape.
        lines: what stands before the link, the label of the link or None, and what stands behind it; the nth link has the
            relationship `rIdLinkN`.
        top: its place from the top, 0 the first.
    """
    written = ""
    for place, (start, label, end) in enumerate(lines, start=1):
        link = f'<a:r><a:rPr><a:hlinkClick r:id="rIdLink{place}"/></a:rPr><a:t>{escape(label or "")}</a:t></a:r>'
        runs = (_run(start), link if label else "", _run(end) if end else "")
        written += f"<a:p>{''.join(runs)}</a:p>"
    return (
        f'<p:sp><p:nvSpPr><p:cNvPr id="{number}" name="box"/><p:cNvSpPr txBox="1"/><p:nvPr/></p:nvSpPr><p:spPr>'
        f"{_place(top, 'a:xfrm')}</p:spPr><p:txBody><a:bodyPr/>{written}</p:txBody></p:sp>"
    )


def _run(text: str) -> str:
    return f"<a:r><a:t>{escape(text)}</a:t></a:r>"
