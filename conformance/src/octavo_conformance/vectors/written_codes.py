"""Fresh tables of some hundred rows of what programs take for numbers: codes with zeros in front, long numbers, NA, True, 12E5."""

from __future__ import annotations

from collections.abc import Callable

from .ledgers import Grid, flowing, html_around, md_around, separated
from .sheaf_bytes import SHEAF, sheaf
from .truths import Truth, cells
from .words import Words


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


def _sheaf(words: Words) -> Truth:
    grid = _codes(words)
    return (
        sheaf(pages=[{"blocks": [["t", grid]]}]),
        "page",
        [cells(grid)],
        {"tables": (grid,), "has_figures": True},
    )


WRITTEN_CODES: dict[str, tuple[str, Callable[[Words], Truth]]] = {
    "csv/codes.csv": ("text/csv", separated(",", "\r\n", _codes)),
    "html/codes.html": ("text/html", flowing(html_around, grid_of=_codes)),
    "md/codes.md": ("text/markdown", flowing(md_around, grid_of=_codes)),
    "sheaf/codes.sheaf": (SHEAF, _sheaf),
    "tsv/codes.tsv": ("text/tab-separated-values", separated("\t", "\n", _codes)),
}
"""Path → media type, and the function that makes the document."""
