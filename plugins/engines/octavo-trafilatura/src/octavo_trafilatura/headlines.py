"""Puts a page's headline above its content where the content begins without one."""

from __future__ import annotations

import re

from lxml import html
from octavo_contracts import DocumentMetadata
from octavo_contracts.authoring import markdown

from .body import Rendered, plain_text
from .shape import body_of, count_words, is_furniture

_WORD = re.compile(r"\w+")
_HEADING = re.compile(r"(?m)^#{1,6} (.*)$")
_TARGET = re.compile(r"\]\([^)\s]*\)")
_FIRST_LINES = 6
SAME_SHARE = 0.6
"""Two headlines with at least this share of common words are one."""


def with_headline(
    rendered: Rendered, root: html.HtmlElement, metadata: DocumentMetadata, *, is_article: bool
) -> Rendered:
    """Return the content with the page's `h1` above it, or, for an article without one, its title.

    Nothing is added if a heading of the content has these words, or one of its first lines has them in their order and few others.
    """
    title = metadata.title or ""
    headline = _headline(root, title)
    if not headline and is_article and title:
        headline = title
    if not headline or _stands_in(headline, rendered.markdown):
        return rendered
    heading = f"# {markdown.escape(headline)}"
    return Rendered(f"{heading}\n\n{rendered.markdown}" if rendered.markdown else heading, rendered.tables)


def _headline(root: html.HtmlElement, title: str) -> str:
    """The `h1` that is the title, else the `h2` that is it, else the only `h1` outside a site's header and menus."""
    found = [(heading, plain_text(heading)) for heading in body_of(root).iter("h1")]
    found = [(heading, text) for heading, text in found if text]
    alike = [text for _, text in found if _share(text, title) >= SAME_SHARE]
    if alike:
        return max(alike, key=lambda text: _share(text, title))
    if wanted := _squeezed(title):
        second = (plain_text(heading) for heading in body_of(root).iter("h2"))
        if same := next((text for text in second if _squeezed(text) == wanted), ""):
            return same
    own = [
        text
        for heading, text in found
        if count_words(text) > 1 and not any(is_furniture(holder) for holder in heading.iterancestors())
    ]
    return own[0] if len(own) == 1 else ""


def _stands_in(headline: str, content: str) -> bool:
    if any(_share(headline, heading) >= SAME_SHARE for heading in _HEADING.findall(content)):
        return True
    lines = [line for line in _TARGET.sub("]", content).split("\n", _FIRST_LINES) if line.strip()][:_FIRST_LINES]
    return any(_says(headline, line) for line in lines)


def _says(headline: str, line: str) -> bool:
    """Return whether a line has the words of the headline in their order, and few others."""
    said = _squeezed(headline)
    return bool(said) and said in _squeezed(line) and count_words(line) <= 2 * count_words(headline)


def _squeezed(text: str) -> str:
    """Return the letters and digits of a text in lower case."""
    return "".join(filter(str.isalnum, text.casefold()))


def _share(text: str, other: str) -> float:
    """The share of a text's words that another text has."""
    words = {word.casefold() for word in _WORD.findall(text)}
    given = {word.casefold() for word in _WORD.findall(other)}
    return len(words & given) / len(words) if words else 0.0
