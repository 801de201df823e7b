"""Converts HTML to canonical text: markup is parsed first, so that `a &lt; b` keeps its meaning (DIG-6).

For pages that a research host has as HTML. Documents are handled by converters, which are much more thorough.
"""

from __future__ import annotations

from octavo_text.canonical import CanonicalText, canonical_body, join_bodies
from octavo_text.deadline import checkpoint
from octavo_text.endless_markup import without_endless_markup
from octavo_text.html_parser import ContentHTMLParser

_INLINE = frozenset(
    [
        "a",
        "abbr",
        "acronym",
        "b",
        "bdi",
        "bdo",
        "big",
        "cite",
        "code",
        "data",
        "del",
        "dfn",
        "em",
        "font",
        "i",
        "ins",
        "kbd",
        "label",
        "mark",
        "q",
        "rb",
        "rp",
        "rt",
        "rtc",
        "ruby",
        "s",
        "samp",
        "small",
        "span",
        "strike",
        "strong",
        "sub",
        "sup",
        "time",
        "tt",
        "u",
        "var",
        "wbr",
    ]
)
_BREAKING = frozenset(
    [
        "address",
        "article",
        "aside",
        "blockquote",
        "body",
        "caption",
        "center",
        "dd",
        "details",
        "dialog",
        "div",
        "dl",
        "dt",
        "fieldset",
        "figcaption",
        "figure",
        "footer",
        "form",
        "h1",
        "h2",
        "h3",
        "h4",
        "h5",
        "h6",
        "head",
        "header",
        "hr",
        "html",
        "li",
        "main",
        "nav",
        "ol",
        "p",
        "pre",
        "section",
        "summary",
        "table",
        "tr",
        "ul",
        "title",
    ]
)
"""Elements that begin a block of the text; other elements that are not inline, such as cells or line breaks, only
separate words."""


def canonical_html(markup: str) -> CanonicalText:
    """Return the canonical text of HTML with the starts of its blocks.

    Entities are decoded only in text; block elements separate words, inline elements do not; scripts, styles, templates
    and `noscript` content are dropped. Markup that never closes is text.
    """
    reader = _TextReader()
    reader.feed(without_endless_markup(markup))
    reader.close()
    return join_bodies([canonical_body("".join(reader.pieces))], paginated=False)


class _TextReader(ContentHTMLParser):
    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        checkpoint()
        super().handle_starttag(tag, attrs)
        self._edge(tag)

    def handle_endtag(self, tag: str) -> None:
        super().handle_endtag(tag)
        self._edge(tag)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self._edge(tag)

    def handle_data(self, data: str) -> None:
        if not self.is_dropping:
            # Line ends in the markup are white space; inserted blank lines separate blocks.
            self.pieces.append(data.replace("\n", " ").replace("\r", " "))

    def _edge(self, tag: str) -> None:
        if tag in _BREAKING:
            self.pieces.append("\n\n")
        elif tag not in _INLINE:
            self.pieces.append(" ")
