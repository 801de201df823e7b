"""Compares the boxes of texts with the lines of a page."""

from __future__ import annotations

from itertools import zip_longest

from octavo_contracts import Conversion

from ..vectors import GoldenVector, words_of

BESIDE = 6.0
"""Points by which the left edge of a box may differ from that of its first letter."""


LINE_WORDS = 4
"""Words of a line that stands once on a page."""


def misplaced(conversion: Conversion, vector: GoldenVector) -> list[str]:
    """Return the texts of boxes that lie on none of the lines with their words, on a line without any, or beside its beginning."""
    known = zip_longest(vector.expected.baselines, vector.expected.starts)
    return [
        f"page {page.number}: {box.text[:60]!r} at {box.box.left:.0f}, {box.box.top:.0f}..{box.box.bottom:.0f}"
        for page, (lines, start) in zip(conversion.pages, known, strict=False)
        for box in page.boxes
        if box.text.strip()
        and not (
            _fits(set(words_of(box.text)), (box.box.top, box.box.bottom), lines)
            and _begins(words_of(box.text)[:2], box.box.left, start, lines)
        )
    ]


def _fits(words: set[str], extent: tuple[float, float], lines: tuple[tuple[float, str], ...]) -> bool:
    top, bottom = extent
    # A baseline lies within the box of its letters, or just below it if no letter goes down.
    covered = [text for baseline, text in lines if top < baseline - 2 and baseline <= bottom + 2]
    # A box of several lines lies on each of them; a line of few words may be said within another one.
    own = [text for _, text in lines if len(words_of(text)) >= LINE_WORDS and set(words_of(text)) <= words]
    return bool(covered) and all(words & set(words_of(text)) for text in covered) and set(own) <= set(covered)


def _begins(words: list[str], left: float, start: float | None, lines: tuple[tuple[float, str], ...]) -> bool:
    """Return whether a box lies at the beginning of the lines, if it has the beginning of one."""
    if start is None or not any(words_of(text)[: len(words)] == words for _, text in lines):
        return True
    return abs(left - start) < BESIDE
