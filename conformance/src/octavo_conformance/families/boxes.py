"""Compares the boxes of texts with the lines of a page."""

from __future__ import annotations

from octavo_contracts import Conversion

from ..vectors import GoldenVector, words_of


def misplaced(conversion: Conversion, vector: GoldenVector) -> list[str]:
    """Return the texts of boxes that lie on none of the lines with their words, or on a line without any."""
    return [
        f"page {page.number}: {box.text[:60]!r} at {box.box.top:.0f}..{box.box.bottom:.0f}"
        for page, lines in zip(conversion.pages, vector.expected.baselines, strict=False)
        for box in page.boxes
        if box.text.strip() and not _fits(set(words_of(box.text)), (box.box.top, box.box.bottom), lines)
    ]


def _fits(words: set[str], extent: tuple[float, float], lines: tuple[tuple[float, str], ...]) -> bool:
    top, bottom = extent
    # A baseline lies within the box of its letters, or just below it if no letter goes down.
    covered = [text for baseline, text in lines if top < baseline - 2 and baseline <= bottom + 2]
    return bool(covered) and all(words & set(words_of(text)) for text in covered)
