"""Finds the structural parts of markdown: headings, list items, tables, links, equations, code, quotes (QLT-2)."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from html import escape, unescape
from typing import TYPE_CHECKING
from urllib.parse import unquote

from .markdown import parsed

if TYPE_CHECKING:
    from markdown_it.token import Token

_MATH = re.compile(
    r"\$\$.{1,4000}?\$\$|(?<![\\$\w])\$[^\s$](?:[^$\n]{0,2000}[^\s$\\])?\$(?!\d)|\\\(.|\\\[.|<math\b", re.DOTALL
)
"""TeX between dollars or backslashed brackets, or MathML."""
_TAG = re.compile(r"<(table|t[dh]|h[1-6]|li|pre|blockquote|img|a)\b([^<>]{0,4000})>", re.IGNORECASE)
_AFTER_TAG = re.compile(r"[^<]{0,400}")
_TARGET = re.compile(r"""\b(?:href|src)\s*=\s*["']?([^"'\s>]{1,2000})""", re.IGNORECASE)
_HTML_KINDS = {"li": "list_item", "pre": "code_block", "blockquote": "quote"}
_OPENINGS = {"heading_open": "heading", "list_item_open": "list_item", "blockquote_open": "quote"}


@dataclass(kw_only=True)
class MarkdownParts:
    """The structural parts of markdown.

    Attributes:
        texts: kind of part → the texts of the parts, in order: headings, list items, code blocks, quotes.
        targets: targets of links and images, percent-decoded.
        tables: number of tables.
        cells: number of table cells that are not empty.
        paragraphs: number of blocks of text that are neither cells nor within a heading, list or quote.
        images: number of images.
        equations: number of formulas.
    """

    texts: dict[str, list[str]] = field(default_factory=dict)
    targets: set[str] = field(default_factory=set)
    tables: int = 0
    cells: int = 0
    paragraphs: int = 0
    images: int = 0
    equations: int = 0


def markdown_parts(markdowns: Sequence[str]) -> MarkdownParts:
    """Return the parts of the pages of a conversion.

    Args:
        markdowns: markdown of each page.
    """
    parts = MarkdownParts()
    for markdown in markdowns:
        _read(parsed(markdown), parts)
        parts.equations += sum(1 for _ in _MATH.finditer(markdown)) if _may_have_math(markdown) else 0
    return parts


def link_key(target: str) -> str:
    """Return the form in which targets of links are compared."""
    return unquote(unescape(target)).strip().strip("<>").rstrip("/").casefold()


def _may_have_math(markdown: str) -> bool:
    return any(mark in markdown for mark in ("$", "\\(", "\\[", "<math"))


def _read(tokens: Sequence[Token], parts: MarkdownParts) -> None:
    waiting: list[str] = []
    is_cell = False
    for token in tokens:
        if token.type in _OPENINGS:
            waiting.append(_OPENINGS[token.type])
        elif token.type == "table_open":
            parts.tables += 1
        elif token.type in ("td_open", "th_open"):
            is_cell = True
        elif token.type in ("td_close", "th_close"):
            is_cell = False
        elif token.type in ("fence", "code_block"):
            _add(parts, ["code_block", *waiting], token.content)
            waiting = []
        elif token.type == "html_block":
            _read_html(token.content, parts)
        elif token.type == "inline":
            text = "".join(_inline(token.children or [], parts))
            parts.cells += is_cell and bool(text.strip())
            parts.paragraphs += not is_cell and not waiting and token.level == 1 and bool(text.strip())
            _add(parts, waiting, text)
            waiting = []


def _add(parts: MarkdownParts, kinds: Sequence[str], text: str) -> None:
    for kind in kinds:
        parts.texts.setdefault(kind, []).append(text)


def _inline(tokens: Sequence[Token], parts: MarkdownParts) -> Iterator[str]:
    for token, following in zip(tokens, (*tokens[1:], None), strict=False):
        if token.type in ("text", "code_inline", "text_special"):
            yield token.content
        elif token.type in ("softbreak", "hardbreak"):
            yield " "
        elif token.type == "image":
            parts.images += 1
            yield from _inline(token.children or [], parts)
        elif token.type == "html_inline":
            # The text of an element inside a line is a token of its own.
            after = following.content if following is not None and following.type == "text" else ""
            _read_html(token.content + escape(after), parts)
        if (target := token.attrGet("href") or token.attrGet("src")) is not None:
            parts.targets.add(link_key(str(target)))


def _read_html(html: str, parts: MarkdownParts) -> None:
    """Count the elements of HTML inside markdown. Linear: each tag is read once, with the text right behind it."""
    for found in _TAG.finditer(html):
        tag, attributes = found[1].lower(), found[2]
        after = _AFTER_TAG.match(html, found.end())
        text = unescape(after[0]) if after else ""
        parts.tables += tag == "table"
        parts.cells += tag in ("td", "th") and bool(text.strip() or html.startswith("<", found.end()))
        parts.images += tag == "img"
        if tag in _HTML_KINDS:
            _add(parts, (_HTML_KINDS[tag],), text)
        elif tag.startswith("h") and tag != "html":
            _add(parts, ("heading",), text)
        if (target := _TARGET.search(attributes)) is not None:
            parts.targets.add(link_key(target[1]))
