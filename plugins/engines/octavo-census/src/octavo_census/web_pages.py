"""Counts the parts of web pages: of the main content, without menus and other frames of the page."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from octavo_contracts import PartKind

from .package import local
from .parts import PartList

if TYPE_CHECKING:
    from lxml.etree import _Element

_FRAME = frozenset(
    ["nav", "aside", "footer", "form", "button", "script", "style", "template", "noscript", "iframe", "svg", "select"]
)
"""Elements that are no content, with everything inside."""
_INLINE = frozenset(["b", "em", "font", "i", "small", "span", "strong", "u"])
"""Elements around words of a block."""
_HIDDEN_STYLE = re.compile(r"display\s*:\s*none|visibility\s*:\s*hidden", re.IGNORECASE)
_LEVEL = {f"h{level}": level for level in range(1, 7)}
_WEB = ("http://", "https://", "ftp://", "mailto:")
_MAX_DEPTH = 400


def count(data: bytes, parts: PartList) -> None:
    """Add the parts of a page's main content; nothing for a page that cannot be parsed.

    Where the page does not name its main content, a link that is all of its block may belong to a menu and is not counted.
    """
    page = parse_page(data)
    if page is not None:
        content = _content(page)
        count_body(content, parts, counts_lone_links=content is not page)


def parse_page(data: bytes) -> _Element | None:
    """Return the root element of a page; None if there is no markup."""
    from lxml import etree, html

    # A page without a declaration is read as UTF-8 if it is valid.
    encoding: str | None = "utf-8"
    try:
        data.decode("utf-8")
    except UnicodeDecodeError:
        encoding = None
    parser = html.HTMLParser(encoding=encoding, no_network=True, remove_comments=True, remove_pis=True)
    try:
        return html.document_fromstring(data, parser=parser)
    except (etree.ParserError, etree.XMLSyntaxError, ValueError):
        return None


def _content(page: _Element) -> _Element:
    """Return the element with the main content, where the page names exactly one."""
    for path in (".//main", ".//*[@role='main']", ".//article"):
        found = page.findall(path)
        if len(found) == 1:
            return found[0]
    return page


def count_body(top: _Element, parts: PartList, *, counts_lone_links: bool = True) -> None:
    """Add the parts below an element.

    Args:
        top: the element.
        parts: takes the parts.
        counts_lone_links: whether links outside tables that are all of their block count.
    """
    stack: list[tuple[_Element, bool, int]] = [(top, False, 0)]
    while stack:
        element, in_table, lists = stack.pop()
        name = local(element)
        if not name or name in _FRAME or _is_hidden(element):
            continue
        if counts_lone_links or in_table or name != "a" or not _is_alone(element):
            _element(element, name, parts, in_table=in_table, lists=lists)
        in_table = in_table or name in ("td", "th")
        lists += name in ("ul", "ol")
        if len(stack) < 100_000 and name not in ("pre", "math"):
            stack.extend((child, in_table, lists) for child in reversed(element))


def _is_alone(link: _Element) -> bool:
    """Return whether a link is all of its block."""
    block = link.getparent()
    while block is not None and local(block) in _INLINE:
        block = block.getparent()
    return block is not None and _text(block) == _text(link)


def _is_hidden(element: _Element) -> bool:
    return (
        element.get("hidden") is not None
        or element.get("aria-hidden") == "true"
        or _HIDDEN_STYLE.search(element.get("style", "")) is not None
    )


def _element(element: _Element, name: str, parts: PartList, *, in_table: bool, lists: int) -> None:
    if name in _LEVEL and not in_table:
        if text := _text(element):
            parts.add(PartKind.HEADING, text, level=_LEVEL[name])
    elif name == "li" and lists and not in_table:
        if text := _own_text(element):
            parts.add(PartKind.LIST_ITEM, text, level=lists)
    elif name == "table":
        _table(element, parts)
    elif name == "a" and element.get("href", "").strip().startswith(_WEB):
        if text := _text(element):
            parts.add(PartKind.LINK, text, target=element.get("href", "").strip())
    elif name == "img" and (described := element.get("alt", "").strip()):
        parts.add(PartKind.IMAGE, described)
    elif name == "math":
        parts.add(PartKind.EQUATION, _text(element))
    elif name == "pre" and not in_table:
        if text := _text(element):
            parts.add(PartKind.CODE_BLOCK, text)
    elif name == "blockquote" and not in_table and (text := _text(element)):
        parts.add(PartKind.QUOTE, text)


def _table(table: _Element, parts: PartList) -> None:
    """Add a table of data: one with header cells or a caption. Other tables often only lay a page out."""
    has_heads = next(table.iter("th"), None) is not None or table.find("caption") is not None
    is_layout = table.get("role") in ("presentation", "none") or next(table.iterancestors("table"), None) is not None
    cells = [cell for cell in table.iter("td", "th") if _text(cell)]
    if has_heads and not is_layout and len(cells) > 1 and next(table.iterdescendants("table"), None) is None:
        first = next((row for row in table.iter("tr") if _text(row)), None)
        parts.add(PartKind.TABLE, "" if first is None else _text(first))
        parts.add(PartKind.CELL, "" if first is None else _text(first), count=len(cells))


def _own_text(item: _Element) -> str:
    """Return the text of a list item before its first inner list or table."""
    pieces: list[str] = [item.text or ""]
    for child in item:
        if local(child) in ("ul", "ol", "table", "dl"):
            break
        pieces += [_text(child), child.tail or ""]
    return " ".join("".join(pieces).split())


def _text(element: _Element) -> str:
    """Return the beginning of an element's visible text."""
    pieces: list[str] = []
    length = 0
    for node in element.iter():
        if length > 1000:
            break
        name = local(node)
        if name and name not in ("script", "style", "template", "annotation", "annotation-xml"):
            pieces.append(node.text or "")
        if node is not element:
            pieces.append(node.tail or "")
        length += sum(map(len, pieces[-2:]))
    return " ".join("".join(pieces).split())
