"""Fresh documents with a table on each page, upright and landscape, whole sheets and cropped ones, and the place of each table."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from .model import GoldenVector
from .once import generated_once
from .pdf_bytes import PdfFile, PdfLine, PdfPage
from .sheaf_bytes import SHEAF, sheaf
from .sought_blocks import Grid
from .truths import cells
from .words import Words

SIZES = ((595, 842), (842, 595), (595, 842), (842, 595))
"""Width and height of each page; of PDF files the third and the fourth are cropped."""
_TOP, _ROW, _RULED_ROW = 72.0, 12.0, 18.0
"""Points from the upper edge of a page to its first line, of a line of a sheaf, and of a ruled row of a PDF file."""

Place = tuple[float, float]
"""Upper and lower edge of a table, in points from the upper edge of the page."""


@generated_once
def make_placed_tables(seed: int, media_types: Sequence[str]) -> list[tuple[GoldenVector, tuple[Place, ...]]]:
    """Make the documents, each with the place of the table of each of its pages.

    Args:
        seed: the same seed gives the same documents.
        media_types: of the formats.
    """
    return [make(seed) for media_type, make in _MAKERS.items() if media_type in media_types]


def _parts(words: Words) -> tuple[list[str], Grid]:
    """Generate the lines and the table of a page."""
    lines = [words.line(6) for _ in range(words.dice.randint(2, 4))]
    head = tuple(words.word().capitalize() for _ in range(3))
    rows = words.dice.randint(6, 10)
    return lines, (head, *((words.word(), str(words.dice.randint(1000, 9999)), words.word()) for _ in range(rows)))


def _pdf(seed: int) -> tuple[GoldenVector, tuple[Place, ...]]:
    words = Words(seed)
    pages, places, texts = [], [], []
    for number, size in enumerate(SIZES):
        lines, grid = _parts(words)
        page = PdfPage(lines=[PdfLine(text=line) for line in lines], size=size, table=grid)
        if number > 1:
            n = words.dice.randint
            margins, beyond, origin = (n(40, 90), n(70, 120)), (n(5, 60), n(40, 90)), (n(-40, 40), n(-60, 60))
            page = replace(page, margins=margins, beyond=beyond, origin=origin)
        top = _TOP + sum(line.size * page.leading for line in page.lines)
        pages.append(page)
        places.append((top, top + _RULED_ROW * len(grid)))
        texts.append(" ".join((*lines, cells(grid))))
    return _vector("pdf", "application/pdf", PdfFile(pages=pages).to_bytes(), texts), tuple(places)


def _sheaf(seed: int) -> tuple[GoldenVector, tuple[Place, ...]]:
    words = Words(seed)
    pages, places, texts = [], [], []
    for width, height in SIZES:
        lines, grid = _parts(words)
        pages.append({"blocks": [*(["p", line] for line in lines), ["t", grid]], "width": width, "height": height})
        top = _TOP + _ROW * len(lines)
        places.append((top, top + _ROW * len(grid)))
        texts.append(" ".join((*lines, cells(grid))))
    return _vector("sheaf", SHEAF, sheaf(pages=pages), texts), tuple(places)


def _vector(family: str, media_type: str, data: bytes, texts: Sequence[str]) -> GoldenVector:
    return GoldenVector.of(
        f"{family}/placed-tables.{family}",
        media_type,
        data,
        about="A document with a table on each page.",
        kind="page",
        pages=texts,
    )


_MAKERS = {"application/pdf": _pdf, SHEAF: _sheaf}
