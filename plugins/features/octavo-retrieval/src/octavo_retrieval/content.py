"""Assembles pages into content within a token budget, cut at page boundaries (RET-1, RET-12)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from octavo_context.tokens import count_tokens, prefix_within
from octavo_contracts.locators import page_separator

from .models import Format, PageExcerpt
from .opened import OpenedDocument, OpenedPage

_LEAST_OF_A_CUT = 0.5
"""A page longer than the budget is cut at the last break in the second half of the part that fits."""


@dataclass
class Filled:
    """Content assembled from pages.

    Attributes:
        content: text of the pages, joined by page separators.
        excerpts: location of each page.
        left: pages that did not fit.
        rest_of_page: number of characters returned of a single truncated page; None if only whole pages are returned.
    """

    content: str = ""
    excerpts: list[PageExcerpt] = field(default_factory=list)
    left: list[int] = field(default_factory=list)
    rest_of_page: int | None = None

    @property
    def pages(self) -> tuple[int, ...]:
        """Numbers of the included pages."""
        return tuple(one.page for one in self.excerpts)


def fill(opened: OpenedDocument, pages: Sequence[int], *, form: Format, max_tokens: int, offset: int = 0) -> Filled:
    """Assemble the leading pages that fit into a token budget.

    A single page that exceeds the budget is cut at a paragraph, a line or a word.

    Args:
        opened: the document.
        pages: page numbers.
        form: text or markdown.
        max_tokens: token budget.
        offset: characters of the first page to skip.
    """
    filled = Filled()
    left = max_tokens
    for place, number in enumerate(pages):
        page = opened.pages[number - 1]
        whole = page.markdown if form == "markdown" else page.text
        start = min(offset, len(whole)) if place == 0 else 0
        body = whole[start:]
        joint = page_separator(number) if filled.excerpts else ""
        cost = count_tokens(joint + body)
        if cost > left:
            if filled.excerpts:
                filled.left = list(pages[place:])
                return filled
            body = _cut(body, left)
            filled.rest_of_page = start + len(body)
        _append(filled, opened, page, joint=joint, body=body, start=start, form=form)
        left -= cost
        if filled.rest_of_page is not None:
            filled.left = list(pages[place + 1 :])
            return filled
    return filled


def _append(
    filled: Filled, opened: OpenedDocument, page: OpenedPage, *, joint: str, body: str, start: int, form: Format
) -> None:
    begin = len(filled.content) + len(joint)
    filled.content += joint + body
    end = start + len(body)
    is_text = form == "text"
    filled.excerpts.append(
        PageExcerpt(
            page=page.number,
            label=page.label,
            start=begin,
            end=begin + len(body),
            locator=page.locator(start, end) if is_text else page.locator(0, len(page.text)),
            markdown_span=None if is_text else page.markdown_span(start, end),
            confidence=opened.confidence(page.number),
        )
    )


def _cut(body: str, tokens: int) -> str:
    """The leading part of a page that fits into the budget."""
    fits = prefix_within(body, tokens)
    floor = int(fits * _LEAST_OF_A_CUT)
    for mark in ("\n\n", "\n", ". ", " "):
        place = body.rfind(mark, floor, fits)
        if place > 0:
            return body[: place + len(mark)]
    return body[:fits]
