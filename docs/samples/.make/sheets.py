"""The instruments workbook: two sheets, dates, formulas with their stored values, merged cells, a named range."""

from __future__ import annotations

from datetime import date
from xml.sax.saxutils import escape

from archive import xml, zip_bytes

_MAIN = "http://schemas.openxmlformats.org/spreadsheetml/2006/main"
_LINKS = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
_PACKAGE = "http://schemas.openxmlformats.org/package/2006"
_OFFICE = "application/vnd.openxmlformats-officedocument.spreadsheetml"

Value = str | int | float | bool | date | tuple[str, float] | None

_INSTRUMENTS: list[list[Value]] = [
    ["Instruments of the observatory", None, None, None, None],
    ["Id", "Name", "In service", "Cost (€)", "Works"],
    ["G1", "Float gauge", date(2009, 5, 4), 4200, True],
    ["G2", "Pressure gauge", date(2021, 9, 30), 1875.5, True],
    ["T1", "Thermometer chain (12 nodes)", date(2018, 3, 1), 3100, True],
    ["B1", "Wave buoy “Ōnami” 大波", date(2023, 6, 15), 18600, False],
    ["C1", "Seal camera 🦭", date(2024, 1, 10), 640, True],
    ["Total", None, None, ("SUM(D3:D7)", 28415.5), None],
]
_READINGS: list[list[Value]] = [
    ["Month", "Water (°C)", "Highest surge (m)", "Seals"],
    ["2025-09", 14.8, 0.31, 212],
    ["2025-10", 13.2, 0.58, 240],
    ["2025-11", 11.4, 1.24, 198],
    ["2025-12", 9.6, 0.77, 175],
    ["Mean", ("AVERAGE(B2:B5)", 12.25), ("AVERAGE(C2:C5)", 0.725), ("AVERAGE(D2:D5)", 206.25)],
]


def _cell(name: str, value: Value) -> str:
    if value is None:
        return ""
    if isinstance(value, tuple):
        return f'<c r="{name}"><f>{value[0]}</f><v>{value[1]!r}</v></c>'
    if isinstance(value, bool):
        return f'<c r="{name}" t="b"><v>{int(value)}</v></c>'
    if isinstance(value, date):
        return f'<c r="{name}" s="1"><v>{(value - date(1899, 12, 30)).days}</v></c>'
    if isinstance(value, str):
        return f'<c r="{name}" t="inlineStr"><is><t>{escape(value)}</t></is></c>'
    return f'<c r="{name}"><v>{value!r}</v></c>'


def _sheet(rows: list[list[Value]], *, merged: str = "") -> str:
    lines = []
    for number, row in enumerate(rows, start=1):
        cells = "".join(_cell(f"{'ABCDE'[column]}{number}", value) for column, value in enumerate(row))
        lines.append(f'<row r="{number}">{cells}</row>')
    merge = f'<mergeCells count="1"><mergeCell ref="{merged}"/></mergeCells>' if merged else ""
    size = f"A1:{'ABCDE'[len(rows[0]) - 1]}{len(rows)}"
    data = "".join(lines)
    return xml(f'<worksheet xmlns="{_MAIN}"><dimension ref="{size}"/><sheetData>{data}</sheetData>{merge}</worksheet>')


def _content_types() -> str:
    parts = {
        "/xl/workbook.xml": f"{_OFFICE}.sheet.main+xml",
        "/xl/worksheets/sheet1.xml": f"{_OFFICE}.worksheet+xml",
        "/xl/worksheets/sheet2.xml": f"{_OFFICE}.worksheet+xml",
        "/xl/styles.xml": f"{_OFFICE}.styles+xml",
    }
    overrides = "".join(f'<Override PartName="{name}" ContentType="{kind}"/>' for name, kind in parts.items())
    return xml(
        f'<Types xmlns="{_PACKAGE}/content-types">'
        '<Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/>'
        f'<Default Extension="xml" ContentType="application/xml"/>{overrides}</Types>'
    )


def _relations(*targets: tuple[str, str]) -> str:
    links = "".join(
        f'<Relationship Id="rId{number}" Type="{_LINKS}/{kind}" Target="{target}"/>'
        for number, (kind, target) in enumerate(targets, start=1)
    )
    return xml(f'<Relationships xmlns="{_PACKAGE}/relationships">{links}</Relationships>')


_WORKBOOK = f"""
<workbook xmlns="{_MAIN}" xmlns:r="{_LINKS}">
<sheets><sheet name="Instruments" sheetId="1" r:id="rId1"/><sheet name="Autumn 2025" sheetId="2" r:id="rId2"/></sheets>
<definedNames><definedName name="Surges">'Autumn 2025'!$C$2:$C$5</definedName></definedNames>
</workbook>"""

_STYLES = f"""
<styleSheet xmlns="{_MAIN}">
<fonts count="1"><font><sz val="11"/><name val="Calibri"/></font></fonts>
<fills count="2"><fill><patternFill patternType="none"/></fill><fill><patternFill patternType="gray125"/></fill></fills>
<borders count="1"><border><left/><right/><top/><bottom/><diagonal/></border></borders>
<cellStyleXfs count="1"><xf numFmtId="0" fontId="0" fillId="0" borderId="0"/></cellStyleXfs>
<cellXfs count="2"><xf numFmtId="0" fontId="0" fillId="0" borderId="0" xfId="0"/>
<xf numFmtId="14" fontId="0" fillId="0" borderId="0" xfId="0" applyNumberFormat="1"/></cellXfs>
<cellStyles count="1"><cellStyle name="Normal" xfId="0" builtinId="0"/></cellStyles>
</styleSheet>"""


def instruments() -> bytes:
    """The workbook."""
    return zip_bytes(
        {
            "[Content_Types].xml": _content_types(),
            "_rels/.rels": _relations(("officeDocument", "xl/workbook.xml")),
            "xl/workbook.xml": xml(_WORKBOOK),
            "xl/_rels/workbook.xml.rels": _relations(
                ("worksheet", "worksheets/sheet1.xml"), ("worksheet", "worksheets/sheet2.xml"), ("styles", "styles.xml")
            ),
            "xl/worksheets/sheet1.xml": _sheet(_INSTRUMENTS, merged="A1:E1"),
            "xl/worksheets/sheet2.xml": _sheet(_READINGS),
            "xl/styles.xml": xml(_STYLES),
        }
    )
