"""Parses a page to a tree that is never deeper than `MAX_DEPTH`."""

from __future__ import annotations

import re
from typing import NamedTuple

from lxml import etree, html
from octavo_contracts import ContentTooLarge

MAX_DEPTH = 120
"""Deepest element kept. libxml2 stops reading at 256 and loses the rest of the page; we unwrap tags before that."""

MAX_ATTRIBUTES = 5_000
"""Most attributes of one element: libxml2 compares each with each."""

# Possessive: a flood of unclosed tags must not be read over and over.
_TAG = re.compile(r"<(/?)([A-Za-z][^\s/<>]*+)[^<>]*+>")
_VOID = frozenset(
    "area base br col embed hr img input link meta param source track wbr".split()  # noqa: SIM905 - names read better as words
)
_RAW = re.compile(r"(?is)<!--.*?(?:-->|\Z)|<(script|style)\b[^<>]*+>.*?(?:</\1\s*>|\Z)")
_REACH = 16
"""How many open elements an end tag may close at once; bounds the search in a page of stray end tags."""
_SIBLINGS = frozenset(("p", "li", "dt", "dd", "tr", "td", "th", "option"))


_LONG_TAG = re.compile(r"<[A-Za-z][^<>]{20000,}+")
_QUOTED = re.compile(r"\"[^\"]*+\"|'[^']*+'")
_DATA_URI = re.compile(r"(data:[\w/+.;=-]{0,100},)[^\"'\s<>]{1000,}+")


class Parsed(NamedTuple):
    """A parsed page.

    Attributes:
        root: the `html` element; comments and processing instructions are gone.
        flattened: whether tags were unwrapped because they nested deeper than `MAX_DEPTH`.
        cut: libxml2's message where it stopped before the end, else None.
    """

    root: html.HtmlElement
    flattened: bool
    cut: str | None


def parse(text: str) -> Parsed | None:
    """Parse a page, or None where there is not one element in it.

    Args:
        text: the page's characters. Pictures written into it as data URIs are dropped: they are no text, and
            libxml2 stops at an attribute of ten million characters.

    Raises:
        ContentTooLarge: an element has more than `MAX_ATTRIBUTES` attributes.
    """
    text = _DATA_URI.sub(r"\1", text)
    if any(len(_QUOTED.sub("", tag).split()) > MAX_ATTRIBUTES for tag in _LONG_TAG.findall(text)):
        raise ContentTooLarge(f"an element has more than {MAX_ATTRIBUTES} attributes", plugin="trafilatura")
    root, cut = _parse(text)
    if root is None:
        return None
    if _depth(root) <= MAX_DEPTH:
        return Parsed(root, flattened=False, cut=cut)
    root, cut = _parse(_flatten(text))
    return None if root is None else Parsed(root, flattened=True, cut=cut)


def _parse(text: str) -> tuple[html.HtmlElement | None, str | None]:
    parser = html.HTMLParser(
        encoding="utf-8", no_network=True, huge_tree=False, remove_comments=True, remove_pis=True, recover=True
    )
    try:
        root = html.document_fromstring(text.encode("utf-8", errors="replace"), parser=parser)
    except etree.ParserError:  # lxml's way of saying that the document is empty
        return None, None
    fatal = [entry.message for entry in parser.error_log if entry.type_name == "ERR_RESOURCE_LIMIT"]
    return root, fatal[0] if fatal else None


def _depth(root: html.HtmlElement) -> int:
    deepest = depth = 0
    for event, _ in etree.iterwalk(root, events=("start", "end")):
        depth += 1 if event == "start" else -1
        deepest = max(deepest, depth)
    return deepest


def _flatten(text: str) -> str:
    """Replace each tag that opens below `MAX_DEPTH` by a space, and its end tag with it: the text stays."""
    text = _RAW.sub(" ", text)
    stack: list[str] = []
    pieces: list[str] = []
    position = 0
    for match in _TAG.finditer(text):
        name = match[2].lower()
        pieces.append(text[position : match.start()])
        position = match.end()
        if name in _VOID:
            pieces.append(match[0])
        elif match[1]:
            # An end tag closes what stands open inside its element; one without its start tag is dropped.
            reach = next((back for back in range(1, min(len(stack), _REACH) + 1) if stack[-back] == name), 0)
            if reach:
                del stack[-reach:]
                pieces.append(match[0] if len(stack) < MAX_DEPTH - 1 else " ")
        else:
            if stack and stack[-1] == name and name in _SIBLINGS:
                stack.pop()
            stack.append(name)
            pieces.append(match[0] if len(stack) < MAX_DEPTH else " ")
    pieces.append(text[position:])
    return "".join(pieces)
