"""Hypothesis strategies for documents, canonical texts and locators, for authors' and consumers' own tests.

Needs hypothesis: `pip install octavo-conformance[strategies]`.
"""

from __future__ import annotations

from hypothesis import strategies as st
from octavo_contracts import Conversion, Locator, Page, page_spans
from octavo_text.canonical import canonical_body, join_bodies

ASTRAL = "🚀👩‍👩‍👧𝒜漢字שלוםé\u0301"
"""Characters whose offsets differ between code points, UTF-16 units and bytes."""


def page_texts() -> st.SearchStrategy[str]:
    """Texts of pages: paragraphs, odd white space, astral characters, control characters, lone surrogates, nothing."""
    letters = st.characters(codec=None) | st.sampled_from(ASTRAL) | st.sampled_from(" \t\n\r\u00a0\u2028")
    return st.text(letters, max_size=200)


@st.composite
def canonical_texts(draw: st.DrawFn, *, max_pages: int = 5) -> str:
    """Canonical texts as the core archives them, of one page or several."""
    bodies = [canonical_body(text) for text in draw(st.lists(page_texts(), min_size=1, max_size=max_pages))]
    return join_bodies(bodies, paginated=len(bodies) > 1).text


@st.composite
def conversions(draw: st.DrawFn, *, max_pages: int = 5) -> Conversion:
    """Conversions that follow the contract: pages 1..n, or one `whole` page. Texts hold no lone surrogates."""
    texts = [
        text.encode("utf-8", "replace").decode()
        for text in draw(st.lists(page_texts(), min_size=1, max_size=max_pages))
    ]
    if len(texts) == 1 and draw(st.booleans()):
        return Conversion(pages=(Page(number=1, kind="whole", markdown=texts[0], text=texts[0]),), paginated=False)
    pages = tuple(Page(number=n, markdown=text, text=text) for n, text in enumerate(texts, start=1))
    return Conversion(pages=pages, paginated=True)


@st.composite
def locators(draw: st.DrawFn, text: str) -> Locator:
    """Locators inside a canonical text, relative to a page or to its start.

    Args:
        draw: given by hypothesis.
        text: the canonical text.
    """
    pages = page_spans(text)
    page = draw(st.none() | st.integers(1, len(pages)))
    size = len(text) if page is None else pages[page - 1].end - pages[page - 1].start
    start = draw(st.integers(0, size))
    return Locator(page=page, start=start, end=draw(st.integers(start, size)))
