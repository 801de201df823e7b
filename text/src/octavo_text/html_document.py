"""HTML from markdown: a page that runs no script and loads nothing, whatever the document holds."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import cache
from html import escape
from typing import TYPE_CHECKING

from .endless_markup import with_little_endless_markup
from .html_parser import DROPPED, ContentHTMLParser

if TYPE_CHECKING:
    from collections.abc import MutableMapping

    from markdown_it import MarkdownIt
    from markdown_it.renderer import RendererProtocol
    from markdown_it.token import Token
    from markdown_it.utils import OptionsDict

_HEAD = """<!doctype html>
<html>
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'">
<title>{title}</title>
<style>table {{ border-collapse: collapse }} td, th {{ border: 1px solid #999; padding: .2em .5em }}</style>
</head>
<body>
"""
_TAIL = "</body>\n</html>\n"
_KEPT = frozenset(
    [
        "b",
        "blockquote",
        "br",
        "caption",
        "code",
        "dd",
        "del",
        "div",
        "dl",
        "dt",
        "em",
        "h1",
        "h2",
        "h3",
        "h4",
        "h5",
        "h6",
        "hr",
        "i",
        "ins",
        "kbd",
        "li",
        "mark",
        "ol",
        "p",
        "pre",
        "s",
        "small",
        "span",
        "strong",
        "sub",
        "sup",
        "table",
        "tbody",
        "td",
        "tfoot",
        "th",
        "thead",
        "tr",
        "u",
        "ul",
    ]
)
"""Elements of a document's own HTML that are kept, without their attributes."""
_SPANS = ("colspan", "rowspan")
_LINK = re.compile(r"(?:https?|mailto|tel):|[#/?.\w-]*(?:[/?#]|$)", re.IGNORECASE)
"""Links that are kept: of the web, of mail and telephone, and relative ones."""


def html_document(pages: Sequence[tuple[int | None, str]], *, title: str) -> str:
    """A whole HTML document, each page of the source in a `<section id="page-N">`.

    Images are replaced by their descriptions, and scripts, forms and attributes of the document's own HTML are removed:
    opening the file connects to nothing.

    Args:
        pages: the number and the markdown of each page; None for a document without pages.
        title: the document's title.
    """
    bodies = [
        html_fragment(markdown)
        if number is None
        else f'<section id="page-{number}">\n{html_fragment(markdown)}</section>\n'
        for number, markdown in pages
    ]
    return "".join((_HEAD.format(title=escape(title)), *bodies, _TAIL))


def html_fragment(markdown: str) -> str:
    """The body of an HTML document, as `html_document` makes it; its tags may be unbalanced where the document's are.

    Args:
        markdown: the markdown of a page or of a whole document.
    """
    from .markdown import plain_text

    try:
        return str(_renderer().render(markdown))
    except RecursionError:  # nested deeper than any document that a person wrote: its text is kept
        return f"<pre>{escape(plain_text(markdown))}</pre>\n"


@cache
def _renderer() -> MarkdownIt:
    from markdown_it import MarkdownIt

    made = MarkdownIt("commonmark", {"html": True}).enable(["table", "strikethrough"])
    made.validateLink = lambda url: _LINK.match(url.strip()) is not None  # type: ignore[method-assign]  # its documented hook
    made.add_render_rule("html_block", _own_html)
    made.add_render_rule("html_inline", _own_html)
    made.add_render_rule("image", _description)
    return made


def _own_html(
    renderer: RendererProtocol,
    tokens: Sequence[Token],
    index: int,
    options: OptionsDict,
    env: MutableMapping[str, object],
) -> str:
    return safe_fragment(tokens[index].content)


def _description(
    renderer: RendererProtocol,
    tokens: Sequence[Token],
    index: int,
    options: OptionsDict,
    env: MutableMapping[str, object],
) -> str:
    said = "".join(token.content for token in tokens[index].children or [])
    return f"<em>[{escape(said)}]</em>" if said.strip() else ""


def safe_fragment(html: str) -> str:
    """A piece of HTML with the elements of a text alone: no scripts, no forms, no attributes but the spans of cells."""
    reader = _SafeReader()
    reader.feed(with_little_endless_markup(html))
    reader.close()
    return "".join(reader.pieces)


class _SafeReader(ContentHTMLParser):
    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        super().handle_starttag(tag, attrs)
        if tag in _KEPT and not self.is_dropping:
            spans = "".join(
                f' {name}="{value}"' for name, value in attrs if name in _SPANS and value and value.isdecimal()
            )
            self.pieces.append(f"<{tag}{spans}>")

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if tag not in DROPPED:
            self.handle_starttag(tag, attrs)

    def handle_endtag(self, tag: str) -> None:
        super().handle_endtag(tag)
        if tag in _KEPT and not self.is_dropping:
            self.pieces.append(f"</{tag}>")

    def handle_data(self, data: str) -> None:
        if not self.is_dropping:
            self.pieces.append(escape(data, quote=False))
