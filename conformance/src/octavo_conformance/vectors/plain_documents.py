"""Plain documents: the one that each format has in every run, and further ones of PDF and of sheaves."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

from .archives import FRESH_ZIP
from .book_bytes import BOOK_WORDS, EPUB_TYPE, ODT_TYPE, chapter, epub, odt, odt_table
from .grids import html_table
from .json_documents import FRESH_JSON
from .office_bytes import docx, pptx, xlsx
from .pdf_bytes import PdfFile, PdfLine, PdfPage, baselines
from .rtf_bytes import RTF_TYPE, rtf, rtf_heading, rtf_paragraph, rtf_table
from .sheaf_bytes import SHEAF, sheaf
from .truths import HTML, OFFICE, Truth, cells, mail, marked_up, page_texts
from .words import Words


def _pdf(words: Words) -> Truth:
    pages = words.pages()
    made = [
        PdfPage(lines=[PdfLine(text=heading, size=24), *(PdfLine(text=line, unicode=not line.isascii()) for line in lines)])
        if heading
        else PdfPage()
        for heading, lines in pages
    ]  # fmt: skip
    return PdfFile(pages=made).to_bytes(), "page", page_texts(pages), {"baselines": tuple(map(baselines, made))}


def _revised(words: Words) -> Truth:
    pages = [(words.heading(), [words.line(6) for _ in range(4)]) for _ in range(6)]
    made = [PdfPage(lines=[PdfLine(text=line) for line in (heading, *lines)]) for heading, lines in pages]
    revised = {
        place: PdfPage(lines=[PdfLine(text=words.line(6)) for _ in range(5)])
        for place in words.dice.sample(range(len(pages)), 2)
    }
    return PdfFile(pages=made, revised=revised).to_bytes(), "page", page_texts(pages), {}


def _wrapped(words: Words) -> Truth:
    """Lines that end at a hyphen within a range, a date or a compound with a capital; sentences over two pages; a page was saved again."""
    w, n = words.word, words.dice.randint
    year = n(1990, 2020)
    broken = [
        (f"{year}-", f"{year + 1}"), (f"pages {n(10, 40)}-", f"{n(50, 99)}"), ("non-", w().upper()), (f"{w()} {w().upper()}-", f"{n(10, 99)}"),
        (f"{year}-0{n(1, 9)}-", f"{n(10, 28)}"), (f"part {w()[:1].upper()}{n(10, 99)}-", f"{n(100, 999)}"), (f"{n(2, 9)}-", f"{w()}"),
    ]  # fmt: skip
    pages = []
    for number in range(3):
        words.dice.shuffle(broken)
        lines = [words.line(5)]
        for before, after in broken[:5]:
            lines[-1] += f" {before}"
            lines.append(f"{after} {words.line(4).lower()}")
        # The pages behind the first begin with the end of a sentence.
        first = f"{words.line(4).lower()}." if number else words.heading()
        pages.append((first, [*lines, words.line(number + 4)]))
    made = [PdfPage(lines=[PdfLine(text=line) for line in (heading, *lines)], leading=1.25) for heading, lines in pages]
    again = words.dice.sample(range(len(made)), 2)
    data = PdfFile(pages=made, revised={place: made[place] for place in again}).to_bytes()
    return data, "page", page_texts(pages), {}


def _turned(words: Words) -> Truth:
    dice = words.dice
    made = []
    for rotate in dice.sample((0, 90, 270), 3):
        # The left and the lower edge of the displayed page are not those of the paper.
        margins = dice.randint(20, 60), dice.randint(70, 120)
        # A heading among them: a reader may give boxes of headings alone.
        lines = [
            PdfLine(text=words.heading(), size=24),
            *(PdfLine(text=words.line(6)) for _ in range(dice.randint(4, 7))),
        ]
        made.append(
            PdfPage(
                lines=lines,
                size=(dice.randint(500, 560), 800),
                rotate=rotate,
                margins=margins,
                beyond=(dice.randint(5, 90), dice.randint(5, 90)),
                origin=(dice.randint(-40, 40), dice.randint(-60, 60)),
                indent=dice.randint(40, 90),
            )
        )
    truth = {
        "baselines": tuple(map(baselines, made)),
        "starts": tuple(float(page.indent) for page in made),
        "sizes": tuple(page.size[:: -1 if page.rotate in (90, 270) else 1] for page in made),
    }
    return PdfFile(pages=made).to_bytes(), "page", [" ".join(line.text for line in page.lines) for page in made], truth


def _cropped(words: Words) -> Truth:
    """Pages that show a part of their sheet."""
    pages = [(words.heading(), [words.line(6) for _ in range(words.dice.randint(3, 6))]) for _ in range(3)]
    blocks = [
        {"crop": [words.dice.randint(20, 90), words.dice.randint(20, 90)], "blocks": [["h", heading], *(["p", line] for line in lines)]}
        for heading, lines in pages
    ]  # fmt: skip
    lines = tuple(tuple((82.0 + 12 * at, line) for at, line in enumerate((heading, *rest))) for heading, rest in pages)
    return sheaf(pages=blocks), "page", page_texts(pages), {"baselines": lines, "starts": (72.0,) * len(pages)}


def _docx(words: Words) -> Truth:
    heading, lines, grid = words.heading(), words.paragraphs(), words.grid()
    blocks: list[Any] = [("h1", heading), *(("p", line) for line in lines), ("table", grid)]
    data = docx(blocks=blocks, title="", author="")
    return data, "whole", [" ".join((heading, *lines, cells(grid)))], {"headings": (heading,), "tables": (grid,)}


def _epub(words: Words) -> Truth:
    heading, lines, grid = words.heading(), words.paragraphs(), words.grid()
    body = "".join((f"<h1>{heading}</h1>", *(f"<p>{line}</p>" for line in lines), html_table(grid)))
    data = epub([chapter(heading, body)], title=heading)
    truth = {"headings": (heading,), "tables": (grid,), "allowed": (*BOOK_WORDS, *heading.split())}
    return data, "whole", [" ".join((heading, *lines, cells(grid)))], truth


def _rtf(words: Words) -> Truth:
    heading, lines, grid = words.heading(), words.paragraphs(), words.grid()
    data = rtf([rtf_heading(heading), *(rtf_paragraph(line) for line in lines), rtf_table(grid)])
    return data, "whole", [" ".join((heading, *lines, cells(grid)))], {"headings": (heading,), "tables": (grid,)}


def _odt(words: Words) -> Truth:
    heading, lines, grid = words.heading(), words.paragraphs(), words.grid()
    head = f'<text:h text:outline-level="1">{heading}</text:h>'
    data = odt("".join((head, *(f"<text:p>{line}</text:p>" for line in lines), odt_table(grid))))
    return data, "whole", [" ".join((heading, *lines, cells(grid)))], {"headings": (heading,), "tables": (grid,)}


def _pptx(words: Words) -> Truth:
    pages = words.pages()
    allowed = ("Slide", *(str(number) for number in range(1, len(pages) + 1)))
    return pptx(slides=pages, title="", author=""), "slide", page_texts(pages), {"allowed": allowed}


def _xlsx(words: Words) -> Truth:
    sheets = {words.word().capitalize(): words.grid() for _ in range(words.dice.randint(2, 3))}
    truth = {"allowed": tuple(sheets), "tables": tuple(sheets.values()), "labels": tuple(sheets)}
    return (
        xlsx(sheets=sheets, merges={}, title="", author=""),
        "sheet",
        [cells(grid) for grid in sheets.values()],
        truth,
    )


def _csv(words: Words) -> Truth:
    return _separated(words.grid(), between=",", end="\r\n")


def _tsv(words: Words) -> Truth:
    return _separated(words.grid(), between="\t", end="\n")


def _separated(grid: tuple[tuple[str, ...], ...], *, between: str, end: str) -> Truth:
    return "".join(between.join(row) + end for row in grid).encode(), "sheet", [cells(grid)], {"tables": (grid,)}


def _txt(words: Words) -> Truth:
    lines = words.paragraphs()
    return ("\n\n".join(lines) + "\n").encode(), "whole", [" ".join(lines)], {}


def _md(words: Words) -> Truth:
    heading, lines = words.heading(), words.paragraphs()
    text = "\n\n".join((f"# {heading}", *lines)) + "\n"
    return text.encode(), "whole", [" ".join((heading, *lines))], {"headings": (heading,)}


def _html(words: Words) -> Truth:
    heading, lines = words.heading(), words.paragraphs()
    body = marked_up(heading, lines)
    page = HTML.format(title=heading, body=body)
    return page.encode(), "whole", [" ".join((heading, *lines))], {"headings": (heading,)}


def _eml(words: Words) -> Truth:
    subject, lines = words.heading(), words.paragraphs()
    data, truth = mail(subject, lines, hours=words.dice.randint(2, 9))
    return data, "whole", [" ".join(lines)], truth


def _sheaf(words: Words) -> Truth:
    pages = words.pages()
    blocks = [
        {
            "label": f"A-{number}",
            "width": 400 + 10 * number,
            "blocks": [["h", heading], *(["p", line] for line in lines)] if heading else [],
        }
        for number, (heading, lines) in enumerate(pages, start=1)
    ]
    lines = tuple(
        tuple((82.0 + 12 * at, line) for at, line in enumerate((heading, *lines) if heading else ()))
        for heading, lines in pages
    )
    date = f"2026-01-01T10:00:00+0{words.dice.randint(2, 9)}:00"
    sizes = tuple((400.0 + 10 * number, 842.0) for number in range(1, len(pages) + 1))
    truth = {"baselines": lines, "starts": (72.0,) * len(pages), "sizes": sizes, "date": date}
    data = sheaf(pages=blocks, date=date)
    # The checksum has nine or ten digits; the twin has another checksum, and the same size.
    data += b" " * (_CHECKSUM_DIGITS - len(str(json.loads(data)["crc"])))
    return data, "page", page_texts(pages), truth


_CHECKSUM_DIGITS = 10


PLAIN: dict[str, tuple[str, Callable[[Words], Truth]]] = {
    "csv/fresh.csv": ("text/csv", _csv),
    "docx/fresh.docx": (f"{OFFICE}.wordprocessingml.document", _docx),
    "eml/fresh.eml": ("message/rfc822", _eml),
    "epub/fresh.epub": (EPUB_TYPE, _epub),
    "html/fresh.html": ("text/html", _html),
    "json/fresh.json": FRESH_JSON,
    "md/fresh.md": ("text/markdown", _md),
    "odt/fresh.odt": (ODT_TYPE, _odt),
    "pdf/fresh.pdf": ("application/pdf", _pdf),
    "pptx/fresh.pptx": (f"{OFFICE}.presentationml.presentation", _pptx),
    "rtf/fresh.rtf": (RTF_TYPE, _rtf),
    "sheaf/fresh.sheaf": (SHEAF, _sheaf),
    "tsv/fresh.tsv": ("text/tab-separated-values", _tsv),
    "txt/fresh.txt": ("text/plain", _txt),
    "xlsx/fresh.xlsx": (f"{OFFICE}.spreadsheetml.sheet", _xlsx),
    "zip/fresh.zip": FRESH_ZIP,
}
"""The plain document of each format: FAMILY/fresh.EXTENSION to media type and maker."""
PLACED = {
    "pdf/revised.pdf": ("application/pdf", _revised),
    "pdf/turned.pdf": ("application/pdf", _turned),
    "sheaf/cropped.sheaf": (SHEAF, _cropped),
    "pdf/wrapped.pdf": ("application/pdf", _wrapped),
}
"""Documents whose pages an editor replaced, turned, cropped or wrapped."""
