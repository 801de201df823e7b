"""When a page that was fetched plainly is not what a reader sees, so that a crawler has to render it (CNV-14)."""

from __future__ import annotations

from .looking import PageLook

MIN_MAIN_SHARE = 0.20
"""Below this share of the visible words, the main content is not the page's content."""
MAX_LINKED_SHARE = 0.60
"""Above this share of linked words, a page is menus for the most part."""
MIN_WORDS = 25
"""A page of fewer words has no body."""
SCRIPT_SHARE = 0.30
"""A page without a body and with this share of scripts is written by them."""


def doubts(look: PageLook, *, main_words: int, has_title: bool) -> tuple[str, ...]:
    """Why a page is better fetched by a crawler, in words; empty where it is good as it is.

    Args:
        look: at its markup.
        main_words: words of its main content, as the converter found it.
        has_title: whether the converter found a title.
    """
    found = []
    if look.words < MIN_WORDS:
        scripted = look.script_chars >= SCRIPT_SHARE * max(1, look.chars)
        found.append("its text is written by scripts" if scripted else "it has no body")
    else:
        if main_words < MIN_MAIN_SHARE * look.words:
            found.append(f"its main content is {main_words} of {look.words} words")
        if look.linked_words > MAX_LINKED_SHARE * look.words:
            found.append(f"{look.linked_words} of its {look.words} words are links")
    if not (look.title or has_title):
        found.append("it has no title")
    return tuple(found)
