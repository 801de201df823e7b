"""Fresh documents: their words are generated when the suite runs, so that no plugin can know them in advance.

The golden vectors are published with their expected content, which a plugin could return without reading them. It knows
as little about a fresh document as about a user's. The same seed gives the same documents.
"""

from __future__ import annotations

import hashlib
import random
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cache
from typing import Any

from octavo_contracts import PageKind

from .golden import HEADER_WORDS
from .model import Expected, GoldenVector
from .office_bytes import docx, pptx, xlsx
from .pdf_bytes import PdfFile, PdfLine, PdfPage
from .sheaf_bytes import SHEAF, sheaf

_OFFICE = "application/vnd.openxmlformats-officedocument"
SEEDS = 1_000_000
"""Upper bound of seeds, so that they are short enough to type."""

Truth = tuple[bytes, PageKind, Sequence[str], Mapping[str, Any]]


class _Words:
    """Generates made-up words without repetition.

    Args:
        seed: seed of the random numbers.
    """

    def __init__(self, seed: int) -> None:
        self.dice = random.Random(seed)
        self._used: set[str] = set()

    def word(self) -> str:
        """Generate a word of two or three syllables in the Latin alphabet."""
        while True:
            syllables = self.dice.choices("bdfgklmnprstvz", k=self.dice.randint(2, 3))
            made = "".join(consonant + self.dice.choice("aeiou") for consonant in syllables)
            if made not in self._used:
                self._used.add(made)
                return made

    def line(self, count: int = 9) -> str:
        """Generate a line of prose."""
        return " ".join(self.word() for _ in range(count)).capitalize()

    def heading(self) -> str:
        """Generate a heading of two capitalised words."""
        return f"{self.word()} {self.word()}".title()

    def foreign(self) -> str:
        """Generate a word of ideographs and one of Cyrillic letters."""
        return " ".join(
            "".join(chr(self.dice.randint(*of)) for _ in range(4)) for of in ((0x4E00, 0x9FA0), (0x430, 0x438))
        )

    def lines(self) -> list[str]:
        """Generate three lines of prose and one in other scripts."""
        return [self.line(), self.line(), self.line(), f"{self.line(4)} {self.foreign()}"]

    def grid(self) -> tuple[tuple[str, ...], ...]:
        """Generate a table: a header, and rows of a word and two numbers."""
        head = tuple(self.word().capitalize() for _ in range(3))
        rows = [(self.word(), str(self.dice.randint(1000, 9999)), self.word()) for _ in range(self.dice.randint(2, 5))]
        return (head, *rows)

    def pages(self) -> list[tuple[str, list[str]]]:
        """Generate three to five pages of a heading and lines; one page between the first and the last is empty."""
        made = [(self.heading(), self.lines()) for _ in range(self.dice.randint(3, 5))]
        made[self.dice.randint(1, len(made) - 2)] = ("", [])
        return made


@cache
def make_fresh(seed: int) -> tuple[GoldenVector, ...]:
    """Generate one document per format for a run, `FAMILY/fresh.EXTENSION`.

    Args:
        seed: the same seed gives the same documents.
    """
    return tuple(_made(seed))


def _made(seed: int) -> Iterator[GoldenVector]:
    for path, (media_type, make) in _MAKERS.items():
        data, kind, pages, truth = make(_Words(seed))
        yield GoldenVector(
            path=path,
            media_type=media_type,
            about="A document of made-up words.",
            sha256=hashlib.sha256(data).hexdigest(),
            expected=Expected(page_kind=kind, pages=tuple(pages), **truth),
            data=data,
        )


def _page_texts(pages: Sequence[tuple[str, Sequence[str]]]) -> list[str]:
    return [" ".join((heading, *lines)).strip() for heading, lines in pages]


def _pdf(words: _Words) -> Truth:
    pages = words.pages()
    made = [
        PdfPage(lines=[PdfLine(text=heading, size=24), *(PdfLine(text=line, unicode=not line.isascii()) for line in lines)])
        if heading
        else PdfPage()
        for heading, lines in pages
    ]  # fmt: skip
    return PdfFile(pages=made).to_bytes(), "page", _page_texts(pages), {}


def _docx(words: _Words) -> Truth:
    heading, lines, grid = words.heading(), words.lines(), words.grid()
    blocks: list[Any] = [("h1", heading), *(("p", line) for line in lines), ("table", grid)]
    data = docx(blocks=blocks, title="", author="")
    return data, "whole", [" ".join((heading, *lines, _cells(grid)))], {"headings": (heading,), "tables": (grid,)}


def _pptx(words: _Words) -> Truth:
    pages = words.pages()
    allowed = ("Slide", *(str(number) for number in range(1, len(pages) + 1)))
    return pptx(slides=pages, title="", author=""), "slide", _page_texts(pages), {"allowed": allowed}


def _xlsx(words: _Words) -> Truth:
    sheets = {words.word().capitalize(): words.grid() for _ in range(words.dice.randint(2, 3))}
    truth = {"allowed": tuple(sheets), "tables": tuple(sheets.values())}
    return (
        xlsx(sheets=sheets, merges={}, title="", author=""),
        "sheet",
        [_cells(grid) for grid in sheets.values()],
        truth,
    )


def _csv(words: _Words) -> Truth:
    grid = words.grid()
    return "".join(",".join(row) + "\r\n" for row in grid).encode(), "sheet", [_cells(grid)], {"tables": (grid,)}


def _txt(words: _Words) -> Truth:
    lines = words.lines()
    return ("\n\n".join(lines) + "\n").encode(), "whole", [" ".join(lines)], {}


def _md(words: _Words) -> Truth:
    heading, lines = words.heading(), words.lines()
    text = "\n\n".join((f"# {heading}", *lines)) + "\n"
    return text.encode(), "whole", [" ".join((heading, *lines))], {"headings": (heading,)}


def _html(words: _Words) -> Truth:
    heading, lines = words.heading(), words.lines()
    body = f"<h1>{heading}</h1>" + "".join(f"<p>{line}</p>" for line in lines)
    page = (
        f'<!DOCTYPE html><html lang="en"><head><meta charset="utf-8"><title>{heading}</title></head>'
        f"<body><article>{body}</article></body></html>"
    )
    return page.encode(), "whole", [" ".join((heading, *lines))], {"headings": (heading,)}


def _eml(words: _Words) -> Truth:
    subject, lines = words.heading(), words.lines()
    mail = (
        "From: Ada Quay <ada@example.org>\r\nTo: Ben Pier <ben@example.org>\r\n"
        f"Subject: {subject}\r\nDate: Thu, 01 Jan 2026 10:00:00 +0000\r\nMessage-ID: <1@example.org>\r\n"
        "MIME-Version: 1.0\r\nContent-Type: text/plain; charset=utf-8\r\nContent-Transfer-Encoding: 8bit\r\n\r\n"
        + "\r\n\r\n".join(lines)
        + "\r\n"
    )
    return mail.encode(), "whole", [" ".join(lines)], {"allowed": (*HEADER_WORDS, *subject.split())}


def _sheaf(words: _Words) -> Truth:
    pages = words.pages()
    blocks = [
        {"blocks": [["h", heading], *(["p", line] for line in lines)] if heading else []} for heading, lines in pages
    ]
    return sheaf(pages=blocks), "page", _page_texts(pages), {}


def _cells(grid: Sequence[Sequence[str]]) -> str:
    return " ".join(cell for row in grid for cell in row)


_MAKERS: dict[str, tuple[str, Callable[[_Words], Truth]]] = {
    "csv/fresh.csv": ("text/csv", _csv),
    "docx/fresh.docx": (f"{_OFFICE}.wordprocessingml.document", _docx),
    "eml/fresh.eml": ("message/rfc822", _eml),
    "html/fresh.html": ("text/html", _html),
    "md/fresh.md": ("text/markdown", _md),
    "pdf/fresh.pdf": ("application/pdf", _pdf),
    "pptx/fresh.pptx": (f"{_OFFICE}.presentationml.presentation", _pptx),
    "sheaf/fresh.sheaf": (SHEAF, _sheaf),
    "txt/fresh.txt": ("text/plain", _txt),
    "xlsx/fresh.xlsx": (f"{_OFFICE}.spreadsheetml.sheet", _xlsx),
}
FRESH_PATHS = frozenset(_MAKERS)
"""Paths of the fresh documents, the same in every run, so that an expectations file can name them."""
