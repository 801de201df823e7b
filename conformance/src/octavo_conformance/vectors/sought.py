"""Documents with what a plugin's own code names: its texts, what its patterns match, and more parts than its numbers say."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from html import escape
from typing import Any
from unicodedata import bidirectional

from ..code_constants import CodeConstants
from .book_bytes import BOOK_WORDS, EPUB_TYPE, ODT_TYPE, chapter, epub, odt, odt_table
from .grids import html_table, md_table
from .model import GoldenVector, words_of
from .office_bytes import docx, pptx, xlsx
from .pdf_bytes import PdfFile, PdfLine, PdfPage
from .rtf_bytes import RTF_TYPE, rtf, rtf_heading, rtf_link, rtf_paragraph, rtf_table, rtf_written
from .sheaf_bytes import SHEAF, sheaf
from .sought_blocks import Block, Grid, flat_lines, headed_grid, sought_blocks, sought_texts, words_told
from .truths import HTML, OFFICE, Truth, cells, mail, page_texts
from .words import Words

_MOST_PAGES, _PAGE_LINES, _SLIDE_LINES, _LINE = 40, 24, 8, 90
"""Pages of a document, lines of a page and of a slide, letters of a line, at most."""
_RIGHT = {"R", "AL", "AN"}
_NUMBERS = tuple(str(number) for number in range(1, 62))
"""What a converter may write before the items of a list without marks."""


def _told(blocks: Sequence[Block], *allowed: str) -> dict[str, Any]:
    links = tuple(content for kind, content in blocks if kind == "link")
    return {
        "headings": tuple(content for kind, content in blocks if kind == "h"),
        "tables": tuple(content for kind, content in blocks if kind == "table"),
        "links": links,
        "allowed": (*allowed, *(part for _, target in links for part in words_of(target))),
    }


def _joined(blocks: Sequence[Block], write: dict[str, Callable[[Any], str]], between: str = "") -> str:
    return between.join(write[kind](content) for kind, content in blocks)


_MD: dict[str, Callable[[Any], str]] = {
    "h": lambda text: f"# {text}",
    "p": lambda text: text,
    "items": lambda texts: "\n".join(f"- {text}" for text in texts),
    "link": lambda link: f"[{link[0]}]({link[1]})",
    "table": md_table,
}
_HTML: dict[str, Callable[[Any], str]] = {
    "h": lambda text: f"<h1>{escape(text)}</h1>",
    "p": lambda text: f"<p>{escape(text)}</p>",
    "items": lambda texts: f"<ul>{''.join(f'<li>{escape(text)}</li>' for text in texts)}</ul>",
    "link": lambda link: f'<p><a href="{link[1]}">{escape(link[0])}</a></p>',
    "table": html_table,
}
_ODT: dict[str, Callable[[Any], str]] = {
    "h": lambda text: f'<text:h text:outline-level="1">{escape(text)}</text:h>',
    "p": lambda text: f"<text:p>{escape(text)}</text:p>",
    "items": lambda texts: (
        "<text:list>"
        + "".join(f"<text:list-item><text:p>{escape(text)}</text:p></text:list-item>" for text in texts)
        + "</text:list>"
    ),
    "link": lambda link: (
        f'<text:p><text:a xlink:type="simple" xlink:href="{link[1]}">{escape(link[0])}</text:a></text:p>'
    ),
    "table": odt_table,
}
_RTF: dict[str, Callable[[Any], str]] = {
    "h": rtf_heading,
    "p": rtf_paragraph,
    "items": lambda texts: "\n".join(map(rtf_paragraph, texts)),
    "link": lambda link: rtf_written(rtf_link(*link)),
    "table": rtf_table,
}


def _txt(words: Words, constants: CodeConstants) -> Truth:
    lines = flat_lines(sought_blocks(words, constants, tables=False))
    return ("\n\n".join(lines) + "\n").encode(), "whole", [" ".join(lines)], {}


def _md(words: Words, constants: CodeConstants) -> Truth:
    blocks = sought_blocks(words, constants)
    return _joined(blocks, _MD, "\n\n").encode() + b"\n", "whole", [words_told(blocks)], _told(blocks)


def _html(words: Words, constants: CodeConstants) -> Truth:
    blocks = sought_blocks(words, constants)
    page = HTML.format(title=blocks[0][1], body=_joined(blocks, _HTML))
    return page.encode(), "whole", [words_told(blocks)], _told(blocks)


def _epub(words: Words, constants: CodeConstants) -> Truth:
    blocks = sought_blocks(words, constants)
    title = blocks[0][1]
    data = epub([chapter(title, _joined(blocks, _HTML))], title=title)
    return data, "whole", [words_told(blocks)], _told(blocks, *BOOK_WORDS, *title.split())


def _docx(words: Words, constants: CodeConstants) -> Truth:
    blocks = sought_blocks(words, constants)
    written: list[Block] = []
    for kind, content in blocks:
        if kind == "items":
            written += [("bullet", (0, text)) for text in content]
        else:
            written.append(("h1" if kind == "h" else kind, content))
    return docx(blocks=written, title="", author=""), "whole", [words_told(blocks)], _told(blocks)


def _odt(words: Words, constants: CodeConstants) -> Truth:
    blocks = sought_blocks(words, constants)
    return odt(_joined(blocks, _ODT)), "whole", [words_told(blocks)], _told(blocks, *_NUMBERS)


def _rtf(words: Words, constants: CodeConstants) -> Truth:
    blocks = sought_blocks(words, constants)
    return rtf([_joined(blocks, _RTF, "\n")]), "whole", [words_told(blocks)], _told(blocks)


def _pages(words: Words, constants: CodeConstants, *, lines: int) -> list[tuple[str, list[str]]]:
    """Make pages of a heading and lines, more of them than a number of the code says."""
    lines_told = flat_lines(sought_blocks(words, constants, tables=False))
    # The order of letters written from the right is another one on a page than in a text.
    told = [line for line in lines_told if len(line) < _LINE and not _RIGHT.intersection(map(bidirectional, line))]
    pages = [(words.heading(), told[at : at + lines]) for at in range(0, len(told), lines)]
    most = max((number + 1 for number in constants.numbers if number < _MOST_PAGES), default=0)
    more = [(words.heading(), [words.line(4)]) for _ in range(most - len(pages))]
    return [*pages[:-1], *more, *pages[-1:]]


def _pdf(words: Words, constants: CodeConstants) -> Truth:
    pages = _pages(words, constants, lines=_PAGE_LINES)
    made = [PdfPage(lines=[PdfLine(text=heading, size=20), *map(_pdf_line, lines)]) for heading, lines in pages]
    return PdfFile(pages=made).to_bytes(), "page", page_texts(pages), {}


def _pdf_line(line: str) -> PdfLine:
    try:
        line.encode("cp1252")
    except UnicodeEncodeError:
        return PdfLine(text=line, size=5, unicode=True)  # all letters of this font are as wide as they are high
    return PdfLine(text=line, size=9)


def _pptx(words: Words, constants: CodeConstants) -> Truth:
    pages = _pages(words, constants, lines=_SLIDE_LINES)
    listed = len(pages)
    pages += [
        (words.heading(), list(content))
        for kind, content in sought_blocks(words, constants, tables=False)
        if kind == "items"
    ]
    data = pptx(slides=pages, title="", author="", bulleted=range(listed + 1, len(pages) + 1))
    allowed = ("Slide", *(str(number) for number in range(1, len(pages) + 1)))
    return data, "slide", page_texts(pages), {"allowed": allowed}


def _xlsx(words: Words, constants: CodeConstants) -> Truth:
    blocks = sought_blocks(words, constants)
    lines = flat_lines([block for block in blocks if block[0] != "table"])
    first: Grid = ((words.word(), words.word()), *((line, words.word()) for line in lines))
    grids = [first, *(content for kind, content in blocks if kind == "table")]
    sheets = {words.word().capitalize(): grid for grid in grids}
    data = xlsx(sheets=sheets, merges={}, title="", author="")
    return data, "sheet", [cells(grid) for grid in grids], {"allowed": tuple(sheets), "tables": tuple(grids)}


def _records(words: Words, constants: CodeConstants) -> Grid:
    grid = headed_grid(words, sought_texts(words, constants), constants.numbers)
    rest = [""] * (len(grid[0]) - 2)
    lines = flat_lines(sought_blocks(words, constants, tables=False))
    return (*grid, *((line, words.word(), *rest) for line in lines))


def _csv(words: Words, constants: CodeConstants) -> Truth:
    grid = _records(words, constants)
    data = "".join(",".join(f'"{cell}"' for cell in row) + "\r\n" for row in grid)
    return data.encode(), "sheet", [cells(grid)], {"tables": (grid,)}


def _tsv(words: Words, constants: CodeConstants) -> Truth:
    grid = _records(words, constants)
    data = "".join("\t".join(row) + "\n" for row in grid)
    return data.encode(), "sheet", [cells(grid)], {"tables": (grid,)}


def _eml(words: Words, constants: CodeConstants) -> Truth:
    lines = flat_lines(sought_blocks(words, constants, tables=False))
    data, truth = mail(words.heading(), lines)
    return data, "whole", [" ".join(lines)], truth


def _sheaf(words: Words, constants: CodeConstants) -> Truth:
    blocks = sought_blocks(words, constants)
    written: list[list[Any]] = []
    for kind, content in blocks:
        match kind:
            case "items":
                written += [["p", text] for text in content]
            case "link":
                written.append(["a", *content])
            case "table":
                written.append(["t", content])
            case _:
                written.append([kind, content])
    return sheaf(pages=[{"blocks": written}]), "page", [words_told(blocks)], _told(blocks)


_MAKERS: dict[str, tuple[str, Callable[[Words, CodeConstants], Truth]]] = {
    "csv/sought.csv": ("text/csv", _csv),
    "docx/sought.docx": (f"{OFFICE}.wordprocessingml.document", _docx),
    "eml/sought.eml": ("message/rfc822", _eml),
    "epub/sought.epub": (EPUB_TYPE, _epub),
    "html/sought.html": ("text/html", _html),
    "md/sought.md": ("text/markdown", _md),
    "odt/sought.odt": (ODT_TYPE, _odt),
    "pdf/sought.pdf": ("application/pdf", _pdf),
    "pptx/sought.pptx": (f"{OFFICE}.presentationml.presentation", _pptx),
    "rtf/sought.rtf": (RTF_TYPE, _rtf),
    "sheaf/sought.sheaf": (SHEAF, _sheaf),
    "tsv/sought.tsv": ("text/tab-separated-values", _tsv),
    "txt/sought.txt": ("text/plain", _txt),
    "xlsx/sought.xlsx": (f"{OFFICE}.spreadsheetml.sheet", _xlsx),
}
"""Path → media type, and the function that makes the document."""


def make_sought(seed: int, constants: CodeConstants, media_types: Sequence[str]) -> list[GoldenVector]:
    """Make a document of each format with what a plugin's own code names.

    Args:
        seed: the same seed gives the same documents.
        constants: of the plugin's code.
        media_types: of the formats.
    """
    return [
        _vector(path, media_type, make(Words(seed), constants))
        for path, (media_type, make) in _MAKERS.items()
        if media_type in media_types
    ]


def _vector(path: str, media_type: str, made: Truth) -> GoldenVector:
    data, kind, pages, truth = made
    about = "A document with what the plugin's code names."
    return GoldenVector.of(path, media_type, data, about=about, kind=kind, pages=pages, has_figures=True, **truth)
