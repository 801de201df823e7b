"""Writes small, reproducible OpenDocument workbooks."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from xml.sax.saxutils import escape, quoteattr

from ..office_writer import zipped

ODS_TYPE = "application/vnd.oasis.opendocument.spreadsheet"
Cells = Mapping[tuple[int, int], str]
"""Row and column, both from 1 → text; that of a formula without a value begins with "of:="."""
_HEAD = '<?xml version="1.0" encoding="UTF-8"?>\n'
_OPEN = "urn:oasis:names:tc:opendocument:xmlns"
_EMPTY = '<table:table-cell table:number-columns-repeated="{}"/>'
_EMPTY_ROWS = '<table:table-row table:number-rows-repeated="{}"><table:table-cell/></table:table-row>'
_STYLES = "".join(
    f'<style:style style:name="{name}" style:family="table"><style:table-properties table:display="{shown}"/></style:style>'
    for name, shown in (("ta1", "true"), ("ta2", "false"))
)


def ods(sheets: Mapping[str, Cells], *, hidden: Collection[str] = ()) -> bytes:
    """Return an OpenDocument workbook.

    Args:
        sheets: name → cells, in the order of the sheets.
        hidden: names of hidden sheets.
    """
    prefixes = ("office", "style", "text", "table", "meta")
    names = " ".join(f'xmlns:{name}="{_OPEN}:{name}:1.0"' for name in prefixes)
    names += f' xmlns:of="{_OPEN}:of:1.2"'
    parts = ("content.xml", "styles.xml", "meta.xml")
    listed = "".join(
        f'<manifest:file-entry manifest:full-path="{path}" manifest:media-type="{kind}"/>'
        for path, kind in (("/", ODS_TYPE), *((part, "text/xml") for part in parts))
    )
    written = "".join(
        f'<table:table table:name="{escape(name)}" table:style-name="{"ta2" if name in hidden else "ta1"}">'
        f'<table:table-column table:number-columns-repeated="40"/>{_rows(cells)}</table:table>'
        for name, cells in sheets.items()
    )
    return zipped(
        {
            "mimetype": ODS_TYPE,
            "content.xml": f'{_HEAD}<office:document-content {names} office:version="1.3"><office:automatic-styles>{_STYLES}'
            f"</office:automatic-styles><office:body><office:spreadsheet>{written}</office:spreadsheet></office:body></office:document-content>",
            "styles.xml": f'{_HEAD}<office:document-styles {names} office:version="1.3"><office:styles/></office:document-styles>',
            "meta.xml": f'{_HEAD}<office:document-meta {names} office:version="1.3"><office:meta/></office:document-meta>',
            "META-INF/manifest.xml": f'{_HEAD}<manifest:manifest xmlns:manifest="{_OPEN}:manifest:1.0" manifest:version="1.3">'
            f"{listed}</manifest:manifest>",
        },
        compress=False,
    )


def _rows(cells: Cells) -> str:
    written, last = "", 0
    for row in sorted({row for row, _ in cells}):
        if row > last + 1:
            written += _EMPTY_ROWS.format(row - last - 1)
        written += f"<table:table-row>{_row({column: text for (at, column), text in cells.items() if at == row})}</table:table-row>"
        last = row
    return written or _EMPTY_ROWS.format(1)


def _row(cells: Mapping[int, str]) -> str:
    written, last = "", 0
    for column, text in sorted(cells.items()):
        if column > last + 1:
            written += _EMPTY.format(column - last - 1)
        if text.startswith("of:="):
            written += f"<table:table-cell table:formula={quoteattr(text)}/>"
        else:
            written += (
                f'<table:table-cell office:value-type="string"><text:p>{escape(text)}</text:p></table:table-cell>'
            )
        last = column
    return written
