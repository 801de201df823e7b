"""Convert markdown to plain text, block by block: the text that a reader of the rendered page sees (DIG-6)."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache
from typing import TYPE_CHECKING

from octavo_contracts import Table

from .endless_markup import with_little_endless_markup
from .html_parser import DROPPED, ContentHTMLParser

if TYPE_CHECKING:
    from collections.abc import Sequence

    from markdown_it import MarkdownIt
    from markdown_it.token import Token


MAX_NESTING = 120
"""Maximum nesting of quotes and lists that is parsed. The parser silently drops anything deeper."""

_DEEP = re.compile(
    r"(?m)^(?:[ \t]*(?:>|[-*+](?=[ \t])|\d{1,9}[.)](?=[ \t]))){40,}[ \t]*|^[ \t]{100,}(?:[-*+>]|\d{1,9}[.)])?[ \t]*"
)
"""Markers and indents nested so deeply that the parser would drop the line: they are removed and the text is kept."""


def plain_text(markdown: str) -> str:
    """Return the visible text of markdown, with a blank line between blocks and a space between table cells."""
    if _DEEP.search(markdown):
        markdown = _DEEP.sub("", markdown)
    try:
        return "\n\n".join(block for block in _blocks(_parser().parse(markdown)) if block.strip())
    except RecursionError:  # nesting that _DEEP does not match: keep the markup, lose no words
        return markdown


def tables_in(markdown: str) -> tuple[Table, ...]:
    """Return the pipe tables of markdown, with their cells as plain text."""
    if "|" not in markdown or _DEEP.search(markdown):
        return ()
    tables: list[Table] = []
    rows: list[tuple[str, ...]] = []
    cells: list[str] = []
    try:
        tokens = _parser().parse(markdown)
    except RecursionError:  # as in `plain_text`; such markdown is not searched for tables
        return ()
    for index, token in enumerate(tokens):
        if token.type == "table_open":
            rows = []
        elif token.type == "tr_open":
            cells = []
        elif token.type in ("th_open", "td_open"):
            cells.append(inline_text(tokens[index + 1]))
        elif token.type == "tr_close":
            rows.append(tuple(cells))
        elif token.type == "table_close":
            tables.append(Table(rows=tuple(rows)))
    return tuple(tables)


def parsed(markdown: str) -> list[Token]:
    """Return the tokens of markdown; none if it is nested too deeply to be parsed."""
    try:
        return _parser().parse(_DEEP.sub("", markdown))
    except RecursionError:  # as in `plain_text`
        return []


@cache
def _parser() -> MarkdownIt:
    from markdown_it import MarkdownIt

    return MarkdownIt("commonmark", {"html": True, "maxNesting": MAX_NESTING}).enable(["table", "strikethrough"])


def _blocks(tokens: Sequence[Token]) -> Iterator[str]:
    row: list[str] | None = None
    for token in tokens:
        if token.type == "tr_open":
            row = []
        elif token.type == "tr_close" and row is not None:
            yield " ".join(cell for cell in row if cell)
            row = None
        elif token.type == "inline":
            text = inline_text(token)
            if row is None:
                yield text
            else:
                row.append(text)
        elif token.type in ("fence", "code_block"):
            yield token.content
        elif token.type == "html_block":
            yield visible_text(token.content)


def inline_text(token: Token) -> str:
    """Return the visible text of a token of type `inline`."""
    return "".join(_inline(token.children or []))


def _inline(tokens: Sequence[Token]) -> Iterator[str]:
    for token in tokens:
        if token.type in ("text", "code_inline", "text_special"):
            yield token.content
        elif token.type in ("softbreak", "hardbreak"):
            yield "\n"
        elif token.type == "image":
            yield "".join(_inline(token.children or []))
        elif token.type == "html_inline" and token.content.lower().startswith(("<br", "<p", "<li", "<td", "<th")):
            yield " "


def visible_text(html: str) -> str:
    """Return the text nodes of an HTML fragment: a line break at each block element, nothing at inline elements."""
    reader = _TextReader()
    reader.feed(with_little_endless_markup(html))
    reader.close()
    return "".join(reader.pieces)


_INLINE = frozenset(
    [
        "a",
        "abbr",
        "b",
        "bdi",
        "bdo",
        "cite",
        "code",
        "data",
        "dfn",
        "del",
        "em",
        "font",
        "i",
        "ins",
        "kbd",
        "mark",
        "q",
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


class _TextReader(ContentHTMLParser):
    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        super().handle_starttag(tag, attrs)
        self._end_line(tag)

    def handle_endtag(self, tag: str) -> None:
        super().handle_endtag(tag)
        self._end_line(tag)

    def handle_data(self, data: str) -> None:
        if not self.is_dropping:
            self.pieces.append(data)

    def _end_line(self, tag: str) -> None:
        if tag not in _INLINE and tag not in DROPPED:
            self.pieces.append("\n")
