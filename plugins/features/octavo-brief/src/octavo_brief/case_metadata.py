"""Readers of the metadata of case files, for profiles that ask for them: case number, court, jurisdiction (ENG-23)."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace

from octavo_text.canonical import CanonicalText

from .courts import CourtCaption, court_caption
from .quoting import lines_of

_PAGES = 2
_OPENING = 20_000
"""Code points of a page's markdown that are read: a caption stands at the beginning."""
_AREA = re.compile(
    r"\b(?:(?:(?:northern|southern|eastern|western|central|middle)\s+)?district\s+of\s+(?!columbia\s+court)[a-z]+(?:\s+(?!court|division)[a-z]+){0,3}"
    r"|(?:state|commonwealth|county|province|city)\s+of\s+[a-z]+(?:\s+(?!court|division|county)[a-z]+){0,3}"
    r"|(?:first|second|third|fourth|fifth|sixth|seventh|eighth|ninth|tenth|eleventh|federal|[a-z]+)\s+circuit|england\s+and\s+wales|scotland)\b",
    re.IGNORECASE,
)
"""The area of a court, in its name."""


def case_number(text: CanonicalText, markdown_pages: Sequence[str]) -> str | None:
    """Return the number of the case in the caption, as written."""
    caption = _caption(text, markdown_pages)
    return caption.case_number.value if caption is not None and caption.case_number is not None else None


def court(text: CanonicalText, markdown_pages: Sequence[str]) -> str | None:
    """Return the court of the caption, as written."""
    caption = _caption(text, markdown_pages)
    return caption.court.value if caption is not None and caption.court is not None else None


def jurisdiction(text: CanonicalText, markdown_pages: Sequence[str]) -> str | None:
    """Return the area that the court's name states, such as a district or a state, as written."""
    named = court(text, markdown_pages)
    found = _AREA.search(named) if named is not None else None
    return found.group() if found is not None else None


def _caption(text: CanonicalText, markdown_pages: Sequence[str]) -> CourtCaption | None:
    opening = replace(text, pages=text.pages[:_PAGES])
    pages = [page[:_OPENING] for page in markdown_pages[:_PAGES]]
    return court_caption(text, lines_of(opening, pages)) if len(pages) == len(opening.pages) else None
