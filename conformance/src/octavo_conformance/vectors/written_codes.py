"""Fresh tables of some hundred rows of what programs take for numbers: codes with zeros in front, long numbers, NA, True, 12E5."""

from __future__ import annotations

from collections.abc import Callable

from .grids import html_table, md_table
from .model import words_of
from .sheaf_bytes import SHEAF, sheaf
from .truths import HTML, Truth, cells
from .words import Words

Grid = tuple[tuple[str, ...], ...]


def _codes(words: Words) -> Grid:
    """Generate a table with a column for each kind: a code, a country, an account, a whole number or nothing, an article, a flag, a word."""
    n, pick = words.dice.randint, words.dice.choice
    head = tuple(words.word().capitalize() for _ in range(7))
    rows = [
        (
            f"{n(1, 999):05}",
            pick(("NA", "NO", "DE", "ON")),
            str(n(10**18, 10**19 - 1)),
            str(n(1, 99)) if row % 9 else "",
            f"{n(1, 99)}E{n(1, 9)}",
            pick(("True", "FALSE", "nan", "None", "null")),
            words.word(),
        )
        for row in range(n(320, 420))
    ]
    return (head, *rows)


def _separated(between: str, end: str) -> Callable[[Words], Truth]:
    def make(words: Words) -> Truth:
        grid = _codes(words)
        data = "".join(between.join(row) + end for row in grid).encode()
        return data, "sheet", [cells(grid)], {"tables": (grid,), "has_figures": True}

    return make


def _flowing(write: Callable[[str, Grid, str], bytes]) -> Callable[[Words], Truth]:
    def make(words: Words) -> Truth:
        grid, before, behind = _codes(words), words.line(), words.line()
        truth = {"tables": (grid,), "has_figures": True, "allowed": tuple(words_of(before))}
        return write(before, grid, behind), "whole", [f"{before} {cells(grid)} {behind}"], truth

    return make


def _html(before: str, grid: Grid, behind: str) -> bytes:
    return HTML.format(title=before, body=f"<p>{before}</p>{html_table(grid)}<p>{behind}</p>").encode()


def _md(before: str, grid: Grid, behind: str) -> bytes:
    return f"{before}\n\n{md_table(grid)}\n\n{behind}\n".encode()


def _sheaf(words: Words) -> Truth:
    grid = _codes(words)
    return (
        sheaf(pages=[{"blocks": [["t", grid]]}]),
        "page",
        [cells(grid)],
        {"tables": (grid,), "has_figures": True},
    )


WRITTEN_CODES: dict[str, tuple[str, Callable[[Words], Truth]]] = {
    "csv/codes.csv": ("text/csv", _separated(",", "\r\n")),
    "html/codes.html": ("text/html", _flowing(_html)),
    "md/codes.md": ("text/markdown", _flowing(_md)),
    "sheaf/codes.sheaf": (SHEAF, _sheaf),
    "tsv/codes.tsv": ("text/tab-separated-values", _separated("\t", "\n")),
}
"""Path → media type, and the function that makes the document."""
