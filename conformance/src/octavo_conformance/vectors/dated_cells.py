"""Fresh workbooks with dates in their cells, counted from 1900 and from 1904."""

from __future__ import annotations

from collections.abc import Callable
from datetime import date
from functools import partial

from .office_bytes import xlsx
from .package_changes import added, changed
from .truths import OFFICE, Truth
from .words import Words

_S = "http://schemas.openxmlformats.org/spreadsheetml/2006/main"
_STYLES = (
    f'<styleSheet xmlns="{_S}"><fonts count="1"><font><sz val="11"/><name val="Arial"/></font></fonts>'
    '<fills count="1"><fill><patternFill patternType="none"/></fill></fills><borders count="1"><border/></borders>'
    '<cellStyleXfs count="1"><xf numFmtId="0" fontId="0" fillId="0" borderId="0"/></cellStyleXfs><cellXfs count="2">'
    '<xf numFmtId="0" fontId="0" fillId="0" borderId="0" xfId="0"/>'
    '<xf numFmtId="14" fontId="0" fillId="0" borderId="0" xfId="0" applyNumberFormat="1"/></cellXfs></styleSheet>'
)
_STARTS = {False: date(1899, 12, 30), True: date(1904, 1, 1)}
"""Day 0 of each system."""


def _xlsx(words: Words, *, late: bool) -> Truth:
    """A list of contracts and the days on which they end; `late`: counted from 1904."""
    n = words.dice.randint
    name, labels = words.word().capitalize(), [words.word() for _ in range(8)]
    days = [date(n(1960, 2040), n(1, 12), n(13, 28)) for _ in labels]
    package = xlsx(sheets={name: [[label] for label in labels]}, merges={}, title="", author="")

    def dated(text: str) -> str:
        for place, day in enumerate(days, start=1):
            row = text.index("</row>", text.index(f'<row r="{place}"'))
            cell = f'<c r="B{place}" s="1"><v>{(day - _STARTS[late]).days}</v></c>'
            text = text[:row] + cell + text[row:]
        return text

    def counted(text: str) -> str:
        return text.replace("<sheets>", '<workbookPr date1904="1"/><sheets>' if late else "<workbookPr/><sheets>")

    data = added(
        changed(package, sheet1=dated, workbook=counted), "xl/styles.xml", _STYLES, kind="spreadsheetml.styles"
    )
    told = [word for day in days for word in _forms(day)]
    truth = {"allowed": (name, "00", "0", *told)}
    return data, "sheet", [" ".join(labels)], truth


def _forms(day: date) -> list[str]:
    """Return the words with which a converter may write a day."""
    months = {f"{day:%B}", f"{day:%b}", f"{day:%m}", str(day.month)}
    return [*sorted(months), f"{day:%d}", str(day.day), f"{day:%Y}", f"{day:%y}", f"{day:%d}T00"]


DATED_CELLS: dict[str, tuple[str, Callable[[Words], Truth]]] = {
    "xlsx/days.xlsx": (f"{OFFICE}.spreadsheetml.sheet", partial(_xlsx, late=False)),
    "xlsx/days-1904.xlsx": (f"{OFFICE}.spreadsheetml.sheet", partial(_xlsx, late=True)),
}
"""Path → media type, and the function that makes the document."""
