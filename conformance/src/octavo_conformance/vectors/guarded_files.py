"""Fresh documents that everybody can open although their author restricted what readers may do: print, change, unhide."""

from __future__ import annotations

from collections.abc import Callable

from .book_bytes import ODT_TYPE, odt
from .ods_bytes import ODS_TYPE, ods
from .office_bytes import docx, pptx, xlsx
from .package_changes import added, changed
from .pdf_bytes import PdfFile, PdfLine, PdfPage
from .sheaf_bytes import SHEAF, sheaf
from .truths import OFFICE, Truth, cells
from .words import Words

_W = "http://schemas.openxmlformats.org/wordprocessingml/2006/main"
_LOCK = (
    'w:enforcement="1" w:cryptProviderType="rsaAES" w:cryptAlgorithmClass="hash" w:cryptAlgorithmType="typeAny" w:cryptAlgorithmSid="14" '
    'w:cryptSpinCount="100000" w:hash="mSQ2wMrKxRqPbWGqBqB1CQ==" w:salt="aG9xdWF5cGllcg=="'
)


def _lines(words: Words) -> list[str]:
    return [words.line(9) for _ in range(words.dice.randint(3, 5))]


def _pdf(words: Words) -> Truth:
    """Pages that open without a password, and are encrypted all the same."""
    pages = [_lines(words) for _ in range(3)]
    made = [PdfPage(lines=[PdfLine(text=line) for line in lines]) for lines in pages]
    return PdfFile(pages=made, password="", owner=words.word()).to_bytes(), "page", list(map(" ".join, pages)), {}


def _docx(words: Words) -> Truth:
    lines = _lines(words)
    package = docx(blocks=[("p", line) for line in lines], title="", author="")
    edit = words.dice.choice(("readOnly", "forms", "comments", "trackedChanges"))
    settings = f'<w:settings xmlns:w="{_W}"><w:documentProtection w:edit="{edit}" {_LOCK}/></w:settings>'
    return (
        added(package, "word/settings.xml", settings, kind="wordprocessingml.settings"),
        "whole",
        [" ".join(lines)],
        {},
    )


def _xlsx(words: Words) -> Truth:
    sheets = {words.word().capitalize(): words.grid() for _ in range(2)}
    package = xlsx(sheets=sheets, merges={}, title="", author="")
    locked = '</sheetData><sheetProtection password="CC1A" sheet="1" objects="1" scenarios="1" selectLockedCells="1"/>'
    made = changed(
        package,
        workbook=lambda xml: xml.replace(
            "<sheets>", '<workbookProtection workbookPassword="CC1A" lockStructure="1"/><sheets>'
        ),
        sheet1=lambda xml: xml.replace("</sheetData>", locked),
        sheet2=lambda xml: xml.replace("</sheetData>", locked),
    )
    truth = {"allowed": tuple(sheets), "tables": tuple(sheets.values()), "labels": tuple(sheets)}
    return made, "sheet", [cells(grid) for grid in sheets.values()], truth


def _ods(words: Words) -> Truth:
    names = [words.word().capitalize() for _ in range(2)]
    grids = [words.grid()[:6] for _ in names]
    placed = {
        name: {(y, x): cell for y, row in enumerate(grid, start=1) for x, cell in enumerate(row, start=1)}
        for name, grid in zip(names, grids, strict=True)
    }
    guarded = '<table:table table:protected="true" table:protection-key="mSQ2wMrKxRqPbWGqBqB1CQ==" '
    data = changed(ods(placed), content=lambda xml: xml.replace("<table:table ", guarded))
    truth = {"allowed": tuple(names), "tables": tuple(grids), "labels": tuple(names)}
    return data, "sheet", list(map(cells, grids)), truth


def _pptx(words: Words) -> Truth:
    slides = [(words.heading(), [words.line(5)]) for _ in range(3)]
    verifier = (
        '<p:modifyVerifier cryptProviderType="rsaAES" cryptAlgorithmClass="hash" cryptAlgorithmType="typeAny" cryptAlgorithmSid="14" '
        'spinCount="100000" saltData="aG9xdWF5cGllcg==" hashData="mSQ2wMrKxRqPbWGqBqB1CQ=="/></p:presentation>'
    )
    package = pptx(slides=slides, title="", author="")
    data = changed(package, presentation=lambda xml: xml.replace("</p:presentation>", verifier))
    pages = [" ".join((heading, *lines)) for heading, lines in slides]
    return data, "slide", pages, {"allowed": ("Slide", "1", "2", "3")}


def _odt(words: Words) -> Truth:
    lines = _lines(words)
    guarded = "".join(f"<text:p>{line}</text:p>" for line in lines[1:])
    key = 'text:protected="true" text:protection-key="mSQ2wMrKxRqPbWGqBqB1CQ=="'
    body = f'<text:p>{lines[0]}</text:p><text:section text:name="{words.word()}" {key}>{guarded}</text:section>'
    return odt(body), "whole", [" ".join(lines)], {}


def _sheaf(words: Words) -> Truth:
    lines = _lines(words)
    data = sheaf(pages=[{"blocks": [["p", line] for line in lines], "guarded": True}])
    return data, "page", [" ".join(lines)], {}


GUARDED_FILES: dict[str, tuple[str, Callable[[Words], Truth]]] = {
    "docx/guarded.docx": (f"{OFFICE}.wordprocessingml.document", _docx),
    "ods/guarded.ods": (ODS_TYPE, _ods),
    "odt/guarded.odt": (ODT_TYPE, _odt),
    "pdf/guarded.pdf": ("application/pdf", _pdf),
    "pptx/guarded.pptx": (f"{OFFICE}.presentationml.presentation", _pptx),
    "sheaf/guarded.sheaf": (SHEAF, _sheaf),
    "xlsx/guarded.xlsx": (f"{OFFICE}.spreadsheetml.sheet", _xlsx),
}
"""Path → media type, and the function that makes the document."""
