"""Large fresh documents: more rows, pages and bytes than a plugin that only behaves on small files waits for.

Each has some of everything on every page: numbers, amounts, long words, punctuation. How large it is also depends on
the seed, so that no limit is safe to know.
"""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Callable
from typing import Any
from xml.sax.saxutils import escape

from .archives import attached, make_large_file, truth_of
from .book_bytes import BOOK_WORDS, EPUB_TYPE, ODT_TYPE, chapter, epub, odt
from .office_bytes import docx, pptx, xlsx
from .pdf_bytes import PdfFile, PdfLine, PdfPage
from .rtf_bytes import RTF_TYPE, rtf, rtf_heading, rtf_paragraph
from .sheaf_bytes import SHEAF, sheaf
from .truths import HTML, OFFICE, Truth, cells, mail, page_texts
from .words import Words

PADDING = 600_000
"""Bytes that nothing refers to, in formats that may have such: the size of a file says nothing of its words."""


def _pages(words: Words, *, sentences: int) -> list[tuple[str, list[str]]]:
    """Generate 26 to 34 pages of a heading and lines; two of them are empty."""
    made = [(words.heading(), [words.sentence() for _ in range(sentences)]) for _ in range(words.dice.randint(26, 34))]
    # As notices at the foot of a page do, one sentence occurs on many pages, and several times on some.
    for _, lines in words.dice.sample(made, len(made) // 2):
        lines[-3:] = [made[0][1][-1]] * 3
    for empty in words.dice.sample(range(1, len(made) - 1), 2):
        made[empty] = ("", [])
    return made


def _padding(words: Words) -> str:
    return words.dice.randbytes(PADDING // 2).hex()


def _pdf(words: Words) -> Truth:
    pages = _pages(words, sentences=44)
    # Some pages are full to the lowest lines.
    for _, lines in words.dice.sample([page for page in pages if page[0]], 8):
        lines += [words.sentence() for _ in range(7)]
    made = [
        PdfPage(lines=[PdfLine(text=heading, size=14), *(PdfLine(text=line, size=7) for line in lines)])
        if heading
        else PdfPage()
        for heading, lines in pages
    ]  # fmt: skip
    data = PdfFile(pages=made, padding=words.dice.randbytes(PADDING)).to_bytes()
    return data, "page", page_texts(pages), {}


def _docx(words: Words) -> Truth:
    sections = [(words.heading(), [words.paragraph(4) for _ in range(6)]) for _ in range(words.dice.randint(24, 32))]
    grid = words.wide_grid(words.dice.randint(60, 90))
    blocks: list[tuple[str, str | tuple[tuple[str, ...], ...]]] = []
    for heading, lines in sections:
        blocks += [("h1", heading), *(("p", line) for line in lines)]
    data = docx(blocks=[*blocks, ("table", grid)], title="", author="", padding=_padding(words))
    text = " ".join((*page_texts(sections), cells(grid)))
    return data, "whole", [text], {"headings": tuple(heading for heading, _ in sections), "tables": (grid,)}


def _pptx(words: Words) -> Truth:
    pages = _pages(words, sentences=8)
    allowed = ("Slide", *(str(number) for number in range(1, len(pages) + 1)))
    return (
        pptx(slides=pages, title="", author="", padding=_padding(words)),
        "slide",
        page_texts(pages),
        {"allowed": allowed},
    )


def _xlsx(words: Words) -> Truth:
    sheets = {words.word().capitalize(): words.wide_grid(words.dice.randint(420, 640)) for _ in range(2)}
    data = xlsx(sheets=sheets, merges={}, title="", author="")
    truth = {"allowed": tuple(sheets), "tables": tuple(sheets.values())}
    return data, "sheet", [cells(grid) for grid in sheets.values()], truth


def _csv(words: Words) -> Truth:
    grid = words.wide_grid(words.dice.randint(2000, 2600))
    written = io.StringIO(newline="")
    # The last cell of a line is not quoted: a reader may look for the ends of records in blocks.
    csv.writer(written).writerows((*row[:-2], row[-1], row[-2]) for row in grid)
    grid = tuple((*row[:-2], row[-1], row[-2]) for row in grid)
    return written.getvalue().encode(), "sheet", [cells(grid)], {"tables": (grid,)}


def _tsv(words: Words) -> Truth:
    grid = words.wide_grid(words.dice.randint(1_200, 1_600))
    grid = tuple(tuple(cell.replace('"', "'") for cell in row) for row in grid)
    data = "".join("\t".join(row) + "\n" for row in grid)
    return data.encode(), "sheet", [cells(grid)], {"tables": (grid,)}


def _lines(words: Words) -> list[str]:
    lines = [words.paragraph(words.dice.randint(2, 5)) for _ in range(words.dice.randint(600, 800))]
    for place in words.dice.sample(range(len(lines)), 12):
        lines[place] = lines[0]
    for place in words.dice.sample(range(1, len(lines)), 12):
        # Marks whose plain digits would say something else.
        lines[place] += f" {words.short()}² 10⁶ 3½"
    return lines


def _txt(words: Words) -> Truth:
    lines = _lines(words)
    return ("\n\n".join(lines) + "\n").encode(), "whole", [" ".join(lines)], {}


def _sections(words: Words) -> list[tuple[str, list[str]]]:
    lines = _lines(words)
    return [(words.heading(), lines[at : at + 12]) for at in range(0, len(lines), 12)]


def _md(words: Words) -> Truth:
    sections = _sections(words)
    text = "\n\n".join(part for heading, lines in sections for part in (f"# {heading}", *lines)) + "\n"
    truth = {"headings": tuple(heading for heading, _ in sections)}
    return text.encode(), "whole", [" ".join(page_texts(sections))], truth


def _html(words: Words) -> Truth:
    sections = _sections(words)
    body = "".join(
        f"<h1>{heading}</h1>" + "".join(f"<p>{_raised(line.replace('&', '&amp;'))}</p>" for line in lines)
        for heading, lines in sections
    )
    truth = {"headings": tuple(heading for heading, _ in sections)}
    page = HTML.format(title=sections[0][0], body=body)
    return page.encode(), "whole", [" ".join(page_texts(sections))], truth


def _raised(line: str) -> str:
    """Raise the share in a line, as the mark of a footnote is."""
    return re.sub(r"(\d+) %", r"<sup>\1</sup> %", line, count=1)


def _epub(words: Words) -> Truth:
    """A book of several files, each of several chapters."""
    sections = _sections(words)
    files = [sections[at : at + 8] for at in range(0, len(sections), 8)]
    bodies = [
        "".join(f"<h1>{heading}</h1>" + "".join(f"<p>{escape(line)}</p>" for line in lines) for heading, lines in part)
        for part in files
    ]
    data = epub([chapter(part[0][0], body) for part, body in zip(files, bodies, strict=True)], title=sections[0][0])
    headings = tuple(heading for heading, _ in sections)
    truth = {"headings": headings, "allowed": (*BOOK_WORDS, *headings[0].split())}
    return data, "whole", [" ".join(page_texts(sections))], truth


def _rtf(words: Words) -> Truth:
    sections = _sections(words)
    body = [part for heading, lines in sections for part in (rtf_heading(heading), *map(rtf_paragraph, lines))]
    truth = {"headings": tuple(heading for heading, _ in sections)}
    return rtf(body, padding=_padding(words)), "whole", [" ".join(page_texts(sections))], truth


def _odt(words: Words) -> Truth:
    sections = _sections(words)
    body = "".join(
        f'<text:h text:outline-level="1">{heading}</text:h>'
        + "".join(f"<text:p>{escape(line)}</text:p>" for line in lines)
        for heading, lines in sections
    )
    truth = {"headings": tuple(heading for heading, _ in sections)}
    return odt(body), "whole", [" ".join(page_texts(sections))], truth


def _eml(words: Words) -> Truth:
    subject, lines = words.heading(), _lines(words)
    data, truth = mail(subject, lines, hours=words.dice.randint(2, 9))
    file = make_large_file(words)
    inside = truth_of([file])
    truth |= {"allowed": (*truth["allowed"], *inside["allowed"]), "attachments": inside["attachments"]}
    return attached(data, [file]), "whole", [" ".join(lines)], truth


def _sheaf(words: Words) -> Truth:
    pages = _pages(words, sentences=48)
    grid = words.wide_grid(words.dice.randint(420, 640))
    blocks: list[dict[str, list[list[Any]]]] = [
        {"blocks": [["h", heading], *(["p", line] for line in lines)] if heading else []} for heading, lines in pages
    ]
    texts = page_texts(pages)
    blocks[-1]["blocks"].append(["t", grid])
    texts[-1] = f"{texts[-1]} {cells(grid)}"
    headings = tuple(heading for heading, _ in pages if heading)
    name, data = make_large_file(words)
    inside = {"name": name, "media_type": "text/plain", "text": data.decode()}
    truth = {"headings": headings, "tables": (grid,), **truth_of([(name, data)])}
    return sheaf(pages=blocks, attachments=[inside]), "page", texts, truth


_WORD, _SLIDES, _SHEETS = (
    f"{OFFICE}.{kind}" for kind in ("wordprocessingml.document", "presentationml.presentation", "spreadsheetml.sheet")
)
LARGE_MAKERS: dict[str, tuple[str, Callable[[Words], Truth]]] = {
    "csv/large.csv": ("text/csv", _csv),
    "docx/large.docx": (_WORD, _docx),
    "eml/large.eml": ("message/rfc822", _eml),
    "epub/large.epub": (EPUB_TYPE, _epub),
    "html/large.html": ("text/html", _html),
    "md/large.md": ("text/markdown", _md),
    "odt/large.odt": (ODT_TYPE, _odt),
    "pdf/large.pdf": ("application/pdf", _pdf),
    "pptx/large.pptx": (_SLIDES, _pptx),
    "rtf/large.rtf": (RTF_TYPE, _rtf),
    "sheaf/large.sheaf": (SHEAF, _sheaf),
    "tsv/large.tsv": ("text/tab-separated-values", _tsv),
    "txt/large.txt": ("text/plain", _txt),
    "xlsx/large.xlsx": (_SHEETS, _xlsx),
}
"""Path → media type, and the function that makes the document."""
