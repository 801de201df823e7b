"""Feet of pages with their numbers: a reader may leave out the last line of a page, which it takes for a running foot."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final

from octavo_contracts import Page

from .heading_lines import headings_in
from .words import words

MAX_WORDS: Final = 8
"""Most words of a foot."""
FEWEST: Final = 2
"""Fewest readings, the first one included, that have the foot as a line of its own."""
_NUMBERED: Final = re.compile(r"[^\d|]*\b\d{1,4}\b(?:[^\d|.,]+\b\d{1,4}\b)?[^\d|]*")
"""A line with the number of its page, and perhaps the number of pages."""


def with_foot(page: Page, others: Sequence[Page]) -> Page:
    """Return a page with the foot that its reader left out; with the same foot in several readings it is on the page.

    Args:
        page: complete, with its text.
        others: the same page by other readers; the last line of the first one is the foot.
    """
    line = _last_line(others[0].markdown) if others else ""
    foot = words(line)
    if len(foot) > MAX_WORDS or not _NUMBERED.fullmatch(line) or headings_in(line):
        return page
    having = sum(any(words(one) == foot for one in other.markdown.split("\n")) for other in others)
    if having < FEWEST or _has_run(words(page.markdown), foot) or _has_run(words(page.text or ""), foot):
        return page
    text = f"{page.text.rstrip()}\n\n{line}" if page.text else line
    return page.model_copy(update={"markdown": f"{page.markdown.rstrip()}\n\n{line}", "text": text})


def _last_line(markdown: str) -> str:
    return next((line.strip() for line in reversed(markdown.split("\n")) if line.strip()), "")


def _has_run(found: Sequence[str], wanted: Sequence[str]) -> bool:
    """Return whether words follow each other among others."""
    return any(found[at : at + len(wanted)] == wanted for at in range(len(found) - len(wanted) + 1))
