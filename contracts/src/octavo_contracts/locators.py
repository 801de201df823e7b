"""Locators: positions of quotations in a canonical text (DIG-3, R-2).

`char:10-20` counts code points from the start of the canonical text. `page:3:char:10-20` counts them from
the start of page 3's body. Pages count from 1, offsets from 0, ends are exclusive. Only this module knows the
syntax of locators and the separators between pages.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Self

from pydantic import Field, model_validator

from ._model import Model, Span

# At most 18 digits: no text is longer, and Python refuses to parse numbers of thousands of digits.
_LOCATOR = re.compile(r"(?:page:([1-9][0-9]{0,17}):)?char:(0|[1-9][0-9]{0,17})-(0|[1-9][0-9]{0,17})", re.ASCII)
_SEPARATOR = re.compile(r"\n\n---PAGE ([1-9][0-9]{0,17})---\n\n", re.ASCII)


class LocatorError(ValueError):
    """A locator that is malformed or points outside its text."""


class Locator(Model):
    """A position in a canonical text."""

    page: int | None = Field(
        default=None, ge=1, description="Page from 1; if null, offsets count from the start of the text."
    )
    start: int = Field(ge=0, description="First code point, from 0.")
    end: int = Field(ge=0, description="One past the last code point.")

    @model_validator(mode="after")
    def _ordered(self) -> Self:
        if self.end < self.start:
            raise ValueError(f"end {self.end} is before start {self.start}")
        return self

    @classmethod
    def parse(cls, text: str) -> Self:
        """Parse `char:S-E` or `page:N:char:S-E`.

        Raises:
            LocatorError: the text has another form, or its end is before its start.
        """
        match = _LOCATOR.fullmatch(text)
        if match is None:
            raise LocatorError(f"{text!r} is not a locator; expected 'char:START-END' or 'page:N:char:START-END'")
        page, start, end = (None if group is None else int(group) for group in match.groups())
        assert start is not None
        assert end is not None
        if end < start:
            raise LocatorError(f"{text!r} ends before it starts")
        return cls(page=page, start=start, end=end)

    def __str__(self) -> str:
        place = f"char:{self.start}-{self.end}"
        return place if self.page is None else f"page:{self.page}:{place}"


def page_separator(page: int) -> str:
    """Return the separator between the bodies of pages `page - 1` and `page` (DIG-7)."""
    return f"\n\n---PAGE {page}---\n\n"


def page_spans(text: str) -> tuple[Span, ...]:
    """Return the spans of the page bodies of a canonical text, in page order.

    Page bodies have no line breaks (canonicalisation collapses white space), so a document cannot forge a separator.
    A text without separators is one page.
    """
    spans: list[Span] = []
    start = 0
    for match in _SEPARATOR.finditer(text):
        if int(match.group(1)) != len(spans) + 2:
            continue
        spans.append(Span(start=start, end=match.start()))
        start = match.end()
    spans.append(Span(start=start, end=len(text)))
    return tuple(spans)


def resolve_span(text: str, locator: Locator | str, *, pages: Sequence[Span] | None = None) -> Span:
    """Resolve a locator to a span in offsets of the whole text.

    Args:
        text: an archived canonical text.
        locator: the place.
        pages: `page_spans(text)`, for a caller with many locators of one text; None: they are computed where they are needed.

    Raises:
        LocatorError: the locator is malformed, names no page of the text, or ends after the end of the page or text.
    """
    place = Locator.parse(locator) if isinstance(locator, str) else locator
    base, length = 0, len(text)
    if place.page is not None:
        pages = page_spans(text) if pages is None else pages
        if place.page > len(pages):
            raise LocatorError(f"{place} names page {place.page}; the text has {len(pages)}")
        base, length = pages[place.page - 1].start, pages[place.page - 1].end - pages[place.page - 1].start
    if place.end > length:
        raise LocatorError(f"{place} ends past the {'page' if place.page else 'text'}'s {length} code points")
    return Span(start=base + place.start, end=base + place.end)


def resolve_locator(text: str, locator: Locator | str, *, pages: Sequence[Span] | None = None) -> str:
    """Return the slice of an archived canonical text that a locator refers to. Use it to verify a quotation (R-2).

    Args:
        text: see `resolve_span`.
        locator: see `resolve_span`.
        pages: see `resolve_span`.

    Raises:
        LocatorError: the locator is malformed, names no page of the text, or ends after the end of the page or text.
    """
    return resolve_span(text, locator, pages=pages).of(text)
