"""Fresh documents with a table without rules on each page, two columns of which stand close to each other, or far apart."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from ..pdf_writer import PdfFile, PdfPage, show_text
from .model import GoldenVector
from .once import generated_once
from .sheaf_bytes import SHEAF, sheaf
from .words import Words

COLUMNS = 5
_GAPS = (-0.8, 0.0, 0.8, 2.0, 12.0)
"""Points between the widest text of the first column and the second column of a page."""
_SIZE, _ROW = 11, 18
"""Size of the letters, and height of a row, in points."""
_NUMBERS = (300.0, 360.0, 420.0)
"""Where the columns of numbers begin."""
_NAME = 11
"""Letters of a name in the first column."""
_WIDTHS = {
    **dict.fromkeys("il", 0.222),
    **dict.fromkeys("ft ", 0.278),
    "r": 0.333,
    **dict.fromkeys("kszv", 0.5),
    "m": 0.833,
}
"""Widths of letters of Helvetica, in sizes of the font; the others have at most `_OTHERS`."""
_OTHERS, _CAPITALS = 0.556, 0.722


@generated_once
def make_close_columns(seed: int, media_types: Sequence[str]) -> list[GoldenVector]:
    """Make the documents; each table has `COLUMNS` columns.

    Args:
        seed: the same seed gives the same documents.
        media_types: of the formats.
    """
    return [make(Words(seed)) for media_type, make in _MAKERS.items() if media_type in media_types]


def _grid(words: Words) -> list[tuple[str, ...]]:
    year = words.dice.randint(1990, 2020)
    head = (words.word().capitalize(), words.word().capitalize(), str(year), str(year + 1), str(year + 2))
    return [
        head,
        *(
            (_name(words), words.word().capitalize(), *(str(words.dice.randint(100, 999)) for _ in _NUMBERS))
            for _ in range(6)
        ),
    ]


def _name(words: Words) -> str:
    """Generate a name of eleven letters: no row has more space behind it than the others."""
    return next(name for name in iter(words.heading, None) if len(name) == _NAME)


def _width(text: str) -> float:
    return _SIZE * sum(_CAPITALS if letter.isupper() else _WIDTHS.get(letter, _OTHERS) for letter in text)


def _pdf(words: Words) -> GoldenVector:
    pages, texts = [], []
    for gap in words.dice.sample(_GAPS, len(_GAPS)):
        grid = _grid(words)
        starts = (72.0, 72 + max(_width(row[0]) for row in grid) + gap, *_NUMBERS)
        content = b"".join(
            show_text(cell, round(starts[column], 1), 722 - _ROW * place, size=_SIZE)
            for place, row in enumerate(grid)
            for column, cell in enumerate(row)
        )
        pages.append(PdfPage(content, width=595, height=842))
        texts.append(" ".join(cell for row in grid for cell in row))
    return _vector("pdf", "application/pdf", PdfFile(pages).to_bytes(), texts)


def _sheaf(words: Words) -> GoldenVector:
    grids = [_grid(words) for _ in _GAPS]
    texts = [" ".join(cell for row in grid for cell in row) for grid in grids]
    return _vector("sheaf", SHEAF, sheaf(pages=[{"blocks": [["t", grid]]} for grid in grids]), texts)


def _vector(family: str, media_type: str, data: bytes, texts: Sequence[str]) -> GoldenVector:
    return GoldenVector.of(
        f"{family}/close-columns.{family}",
        media_type,
        data,
        about="A document with a table without rules on each page.",
        kind="page",
        pages=texts,
    )


_MAKERS: dict[str, Callable[[Words], GoldenVector]] = {"application/pdf": _pdf, SHEAF: _sheaf}
