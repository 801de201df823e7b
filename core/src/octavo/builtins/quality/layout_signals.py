"""Signs of loss in fixed layouts: features of the pages that the conversion lacks."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import pairwise

from octavo_text.word_statistics import MIN_WORDS, apart, formulas, missing, words

from .evidence_pairs import Pair

SHORT_LINE = 25
"""Lines with fewer characters are labels, cells or parts of formulas, not running text."""


def on_pages(seen: Sequence[Pair], *, pages: int) -> dict[str, float]:
    """Compute the signs of loss on the pages of a fixed layout.

    Signs about the structure of a page are divided by the square root of the number of pages: a document of one page
    may be just its table, one of a hundred pages is its text.

    Args:
        seen: the inspected pages, at least one.
        pages: number of pages of the document.
    """

    def share(of: Callable[[Pair], float]) -> float:
        return sum(map(of, seen)) / len(seen)

    in_short = max(1, pages) ** -0.5
    found = {
        "fixed_layout": 1.0,
        "rows_off": in_short * share(_rows_off),
        "short_tables_lost": in_short if any(pair.lost_its_tables for pair in seen) else 0.0,
        "headings_lost": in_short * share(lambda pair: pair.lost_its_headings),
        "short_lines": in_short * share(lambda pair: _short_lines(pair.sight.text)),
        "lone_letters": in_short * share(lambda pair: _lone_letters(pair.sight.text)),
        "pictures": share(lambda pair: pair.sight.picture_share),
        "formulas": min(1.0, share(lambda pair: formulas(pair.sight.text))),
    }
    read = [(words(pair.sight.text), words(pair.text)) for pair in seen]
    read = [(source, given) for source, given in read if len(source) >= MIN_WORDS]
    if read:
        found["words_missing"] = sum(missing(source, given) for source, given in read) / len(read)
        order = [missing(list(pairwise(source)), list(pairwise(given))) for source, given in read]
        found["disorder"] = sum(order) / len(read)
    return found


def _rows_off(pair: Pair) -> float:
    """Return the relative difference between converted rows and rows on the page; a whole document may have more."""
    if not pair.shows_a_table or (pair.is_whole and pair.rows >= pair.sight.table_rows):
        return 0.0
    return apart(pair.sight.table_rows, pair.rows)


def _short_lines(text: str) -> float:
    """Return the share of lines that are too short for running text."""
    lines = [line for line in map(str.strip, text.splitlines()) if line]
    return sum(len(line) < SHORT_LINE for line in lines) / len(lines) if lines else 0.0


def _lone_letters(text: str) -> float:
    """Return five times the share of single letters: they come from formulas, and from words split into letters."""
    found = text.split()
    if not found:
        return 0.0
    return min(1.0, 5 * sum(len(word) == 1 and word.isalpha() and word not in "aAI" for word in found) / len(found))
