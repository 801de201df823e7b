"""Fixtures that write workbooks and convert them."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from octavo_calamine.plugin import convert
from octavo_conformance.hook_calls import ConvertCall

TYPES = {
    ".xlsx": "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet",
    ".xlsb": "application/vnd.ms-excel.sheet.binary.macroenabled.12",
    ".xls": "application/vnd.ms-excel",
    ".ods": "application/vnd.oasis.opendocument.spreadsheet",
}

SHEET_NAMESPACE = "http://schemas.openxmlformats.org/spreadsheetml/2006/main"
RELATION_NAMESPACE = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"


@pytest.fixture
def convert_file(tmp_path: Path) -> ConvertCall:
    """Convert a file by its extension; keywords go to the request."""
    return ConvertCall(convert, tmp_path, media_types=TYPES)


@pytest.fixture
def sheet_parts() -> Callable[[str], dict[str, str | bytes]]:
    """The parts of an xlsx workbook with one sheet, around hand-written sheet data."""

    def parts(sheet_data: str) -> dict[str, str | bytes]:
        return {
            "[Content_Types].xml": '<Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types"/>',
            "_rels/.rels": f"""<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships">
<Relationship Id="rId1" Type="{RELATION_NAMESPACE}/officeDocument" Target="xl/workbook.xml"/></Relationships>""",
            "xl/workbook.xml": f'<workbook xmlns="{SHEET_NAMESPACE}" xmlns:r="{RELATION_NAMESPACE}">'
            '<sheets><sheet name="S" sheetId="1" r:id="rId1"/></sheets></workbook>',
            "xl/_rels/workbook.xml.rels": '<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships">'
            f'<Relationship Id="rId1" Type="{RELATION_NAMESPACE}/worksheet" Target="worksheets/sheet1.xml"/></Relationships>',
            "xl/worksheets/sheet1.xml": f'<worksheet xmlns="{SHEET_NAMESPACE}"><sheetData>{sheet_data}</sheetData></worksheet>',
        }

    return parts
