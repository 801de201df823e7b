"""Fresh documents with a wide table of figures, as accounts and statistics have: many columns, amounts below zero, sums at the end."""

from __future__ import annotations

from collections.abc import Callable

from .book_bytes import BOOK_WORDS, EPUB_TYPE, ODT_TYPE, chapter, epub, odt, odt_table
from .grids import html_table, md_table, square_grid
from .model import words_of
from .office_bytes import docx, pptx, xlsx
from .package_changes import changed
from .pdf_bytes import PdfFile, PdfLine, PdfPage
from .rtf_bytes import RTF_TYPE, rtf, rtf_paragraph, rtf_table
from .sheaf_bytes import SHEAF, sheaf
from .slide_shapes import slide_table
from .truths import HTML, OFFICE, Truth, cells
from .words import Words

Grid = tuple[tuple[str, ...], ...]


def ledger(words: Words) -> Grid:
    """Generate a table of 15 to 18 columns: a label, amounts with two decimals, of which some are below zero, their sum, and losses."""
    columns = words.dice.randint(10, 13)
    head = tuple(words.word().capitalize() for _ in range(columns + 2 + len(_LOSSES)))
    rows = []
    for _ in range(words.dice.randint(26, 40)):
        amounts = [words.dice.randint(-99_999, 999_999) / 100 for _ in range(columns)]
        rows.append((words.word(), *(f"{amount:.2f}" for amount in (*amounts, sum(amounts))), *_losses(words)))
    return (head, *rows)


_LOSSES = ("({:,.2f})", "-{:.2f}", "({:.2f})")
"""Columns of costs and deductions: all figures of each are below zero, and written in one of these forms."""


def _losses(words: Words) -> tuple[str, ...]:
    return tuple(form.format(words.dice.randint(100, 999_999) / 100) for form in _LOSSES)


def _quoted(cell: str) -> str:
    return f'"{cell}"' if "," in cell else cell


def _square(words: Words) -> Grid:
    return square_grid(words, words.dice.randint(5, 20))


def separated(between: str, end: str, grid_of: Callable[[Words], Grid] = ledger) -> Callable[[Words], Truth]:
    """Return the maker of a file of rows, with a sign between the cells and an end for each row."""

    def make(words: Words) -> Truth:
        grid = grid_of(words)
        data = "".join(between.join(map(_quoted if between == "," else str, row)) + end for row in grid).encode()
        return data, "sheet", [cells(grid)], {"tables": (grid,), "has_figures": True}

    return make


def flowing(
    write: Callable[[str, Grid, str], bytes], *allowed: str, grid_of: Callable[[Words], Grid] = ledger
) -> Callable[[Words], Truth]:
    """Return the maker of a document of a paragraph, a table, and a paragraph."""

    def make(words: Words) -> Truth:
        grid, before, behind = grid_of(words), words.line(), words.line()
        # The first paragraph is the title too, and a converter may write that in front of the text.
        truth = {"tables": (grid,), "has_figures": True, "allowed": (*allowed, *words_of(before))}
        return write(before, grid, behind), "whole", [f"{before} {cells(grid)} {behind}"], truth

    return make


def md_around(before: str, grid: Grid, behind: str) -> bytes:
    """Write a paragraph, a table and a paragraph in markdown."""
    return f"{before}\n\n{md_table(grid)}\n\n{behind}\n".encode()


def _body(before: str, grid: Grid, behind: str) -> str:
    return f"<p>{before}</p>{html_table(grid)}<p>{behind}</p>"


def html_around(before: str, grid: Grid, behind: str) -> bytes:
    """Write a paragraph, a table and a paragraph as a web page."""
    return HTML.format(title=before, body=_body(before, grid, behind)).encode()


def _epub(before: str, grid: Grid, behind: str) -> bytes:
    return epub([chapter(before, _body(before, grid, behind))], title=before)


def _docx(before: str, grid: Grid, behind: str) -> bytes:
    return docx(blocks=[("p", before), ("table", grid), ("p", behind)], title="", author="")


def _odt(before: str, grid: Grid, behind: str) -> bytes:
    return odt(f"<text:p>{before}</text:p>{odt_table(grid)}<text:p>{behind}</text:p>")


def _rtf(before: str, grid: Grid, behind: str) -> bytes:
    return rtf([rtf_paragraph(before), rtf_table(grid), rtf_paragraph(behind)])


def _pptx(words: Words) -> Truth:
    grid, heading = ledger(words), words.heading()
    package = pptx(slides=[(heading, [])], title="", author="")
    shape = slide_table(10, grid, top=1)
    data = changed(package, slide1=lambda xml: xml.replace("</p:spTree>", f"{shape}</p:spTree>"))
    truth = {"tables": (grid,), "has_figures": True, "allowed": ("Slide", "1")}
    return data, "slide", [f"{heading} {cells(grid)}"], truth


def _xlsx(words: Words) -> Truth:
    sheets = {words.word().capitalize(): ledger(words) for _ in range(2)}
    truth = {"allowed": tuple(sheets), "tables": tuple(sheets.values()), "has_figures": True}
    data = xlsx(sheets=sheets, merges={}, title="", author="", typed=True)
    return data, "sheet", [cells(grid) for grid in sheets.values()], truth


def _pdf(words: Words) -> Truth:
    """Pages with a table with rules, in which cells are empty: accounts leave out what is zero or the same as above."""
    made, tables, told = [], [], []
    for _ in range(words.dice.randint(8, 9)):
        grid, lines = _with_gaps(words), [words.line(6), words.line(6)]
        made.append(PdfPage(lines=[PdfLine(text=line, size=11) for line in lines], table=grid))
        tables.append(grid)
        told.append(" ".join((*lines, cells(grid))))
    return PdfFile(pages=made).to_bytes(), "page", told, {"tables": tuple(tables)}


def _pdf_losses(words: Words) -> Truth:
    """Pages with a table with rules, of which all figures of three columns are below zero."""
    made, tables, told = [], [], []
    for _ in range(words.dice.randint(4, 5)):
        head = tuple(words.word().capitalize() for _ in range(len(_LOSSES) + 2))
        rows = [
            (words.word(), *_losses(words), f"{words.dice.randint(100, 99_999) / 100:.2f}")
            for _ in range(words.dice.randint(9, 14))
        ]
        grid, lines = (head, *rows), [words.line(6), words.line(6)]
        made.append(PdfPage(lines=[PdfLine(text=line, size=11) for line in lines], table=grid))
        tables.append(grid)
        told.append(" ".join((*lines, cells(grid))))
    return PdfFile(pages=made).to_bytes(), "page", told, {"tables": tuple(tables), "has_figures": True}


def _with_gaps(words: Words) -> Grid:
    """Generate a table of four or five columns: each row behind the first has one empty cell or none, not the first one."""
    columns, rows = words.dice.randint(4, 5), words.dice.randint(9, 14)
    head = tuple(words.word().capitalize() for _ in range(columns))
    body = []
    for _ in range(rows):
        row = [words.word(), *(f"{words.dice.randint(100, 99_999) / 100:.2f}" for _ in range(columns - 1))]
        gap = words.dice.randint(0, columns - 1)
        body.append(tuple("" if gap and at == gap else cell for at, cell in enumerate(row)))
    return (head, *body)


def _sheaf(words: Words) -> Truth:
    grid, before, behind = ledger(words), words.line(), words.line()
    blocks = [["p", before], ["t", grid], ["p", behind]]
    truth = {"tables": (grid,), "has_figures": True}
    return sheaf(pages=[{"blocks": blocks}]), "page", [f"{before} {cells(grid)} {behind}"], truth


LEDGERS: dict[str, tuple[str, Callable[[Words], Truth]]] = {
    "csv/ledger.csv": ("text/csv", separated(",", "\r\n")),
    "csv/square.csv": ("text/csv", separated(",", "\r\n", _square)),
    "docx/ledger.docx": (f"{OFFICE}.wordprocessingml.document", flowing(_docx)),
    "epub/ledger.epub": (EPUB_TYPE, flowing(_epub, *BOOK_WORDS)),
    "html/ledger.html": ("text/html", flowing(html_around)),
    "md/ledger.md": ("text/markdown", flowing(md_around)),
    "odt/ledger.odt": (ODT_TYPE, flowing(_odt)),
    "pdf/ledger.pdf": ("application/pdf", _pdf),
    "pdf/losses.pdf": ("application/pdf", _pdf_losses),
    "pptx/ledger.pptx": (f"{OFFICE}.presentationml.presentation", _pptx),
    "rtf/ledger.rtf": (RTF_TYPE, flowing(_rtf)),
    "sheaf/ledger.sheaf": (SHEAF, _sheaf),
    "tsv/ledger.tsv": ("text/tab-separated-values", separated("\t", "\n")),
    "tsv/square.tsv": ("text/tab-separated-values", separated("\t", "\n", _square)),
    "xlsx/ledger.xlsx": (f"{OFFICE}.spreadsheetml.sheet", _xlsx),
}
"""Path → media type, and the function that makes the document."""
