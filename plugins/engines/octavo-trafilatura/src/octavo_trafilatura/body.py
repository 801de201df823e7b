"""Render a tree of HTML elements as markdown and tables, everything a reader sees, in order."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field

from lxml import html
from octavo_contracts import Table
from octavo_contracts.authoring import markdown

from . import tables

_SKIPPED_NAMES = (
    "script style noscript template head svg canvas object embed iframe audio video map "
    "button select input textarea datalist progress meter dialog"
)
SKIPPED = frozenset(_SKIPPED_NAMES.split())
"""Elements without text of the document: code, embedded things, controls."""

_INLINE_NAMES = (
    "a abbr acronym b bdi bdo big br cite code data del dfn em font i img ins kbd label mark math nobr q s samp small "
    "span strike strong sub sup time tt u var wbr picture source ruby rb rt rp output annotation semantics"
)
_INLINE = frozenset(_INLINE_NAMES.split())
_MARKS = {"b": "**", "strong": "**", "em": "*", "i": "*", "del": "~~", "s": "~~", "strike": "~~"}
_CODE = frozenset(("code", "kbd", "samp", "tt"))
_LANGUAGE = re.compile(r"(?:^|\s)(?:language|lang|highlight-source)-([\w+#.-]{1,20})")
_LINK = re.compile(r"^(?:https?:|mailto:|ftp:|tel:|/|\.|\?|[\w%~-]+(?:[./?#]|$))", re.IGNORECASE)
_FOREIGN_SCHEME = re.compile(r"^(?!https?:|mailto:|ftp:|tel:)[a-z][a-z0-9+.-]*:", re.IGNORECASE)


@dataclass
class Rendered:
    """What a tree became.

    Attributes:
        markdown: blocks with an empty line between them.
        tables: data tables in reading order, cells as plain text.
    """

    markdown: str = ""
    tables: list[Table] = field(default_factory=list)


def render(root: html.HtmlElement, *, skip: frozenset[html.HtmlElement] = frozenset()) -> Rendered:
    """Render an element with all it holds.

    Args:
        root: the element.
        skip: elements to leave out, with what they hold.
    """
    writer = _Writer(skip=skip)
    blocks = writer.blocks(root)
    return Rendered("\n\n".join(blocks), writer.tables)


def plain_text(element: html.HtmlElement, *, skip: frozenset[html.HtmlElement] = frozenset()) -> str:
    """The element's text on one line; block elements are separated by a space, inline ones by nothing (DIG-6)."""
    return markdown.collapse("".join(_strings(element, skip))).strip()


def _strings(element: html.HtmlElement, skip: frozenset[html.HtmlElement]) -> Iterator[str]:
    yield element.text or ""
    for child in element:
        if child.tag not in SKIPPED and child not in skip:
            edge = "" if child.tag in _INLINE and child.tag != "br" else " "
            yield edge
            yield from _strings(child, skip)
            yield edge
        yield child.tail or ""


class _Writer:
    """One rendering: what to skip, the emphasis that is open, the tables met so far."""

    def __init__(self, *, skip: frozenset[html.HtmlElement]) -> None:
        self._skip = skip
        self._open_marks: set[str] = set()
        self.tables: list[Table] = []

    def blocks(self, element: html.HtmlElement) -> list[str]:
        """The blocks inside an element; loose text and inline elements between blocks make paragraphs."""
        found: list[str] = []
        loose = [markdown.escape(markdown.collapse(element.text or ""))]
        for child in element:
            if not self._skipped(child):
                if self._is_inline(child):
                    loose.append(self.inline(child))
                else:
                    found += _paragraph(loose)
                    loose = []
                    found += self._block(child)
            loose.append(markdown.escape(markdown.collapse(child.tail or "")))
        return found + _paragraph(loose)

    def _block(self, element: html.HtmlElement) -> list[str]:
        match element.tag:
            case "h1" | "h2" | "h3" | "h4" | "h5" | "h6":
                text = markdown.collapse(self._children(element).replace("\\\n", " ")).strip()
                return [f"{'#' * int(element.tag[1])} {text}"] if text else []
            case "ul" | "ol" | "menu" | "dir":
                return self._list(element)
            case "dl":
                return self._definitions(element)
            case "pre" | "listing" | "xmp":
                return self._code_block(element)
            case "blockquote":
                inner = "\n\n".join(self.blocks(element))
                return ["\n".join(f"> {line}".rstrip() for line in inner.split("\n"))] if inner else []
            case "table":
                return self._table(element)
            case "hr":
                return ["---"]
            case _:
                return self.blocks(element)

    def inline(self, element: html.HtmlElement) -> str:
        """An inline element as markdown."""
        tag = element.tag
        if tag == "br":
            return "\\\n"
        if tag == "img":
            return self._image(element)
        if tag in _CODE:
            return _spaced(markdown.code_span(plain_text(element)), "".join(element.itertext()))
        if tag == "math":
            return _formula(element)
        if tag in _MARKS:
            return self._marked(element, _MARKS[tag])
        inner = self._children(element)
        return self._link(element, inner) if tag == "a" else inner

    def _marked(self, element: html.HtmlElement, mark: str) -> str:
        """Emphasis; within emphasis of the same kind it would close the outer one."""
        if mark in self._open_marks:
            return self._children(element)
        self._open_marks.add(mark)
        inner = self._children(element)
        self._open_marks.remove(mark)
        return inner if "\n" in inner else markdown.wrap(inner, mark)

    def _children(self, element: html.HtmlElement) -> str:
        pieces = [markdown.escape(markdown.collapse(element.text or ""))]
        for child in element:
            if not self._skipped(child):
                inner = self.inline(child)
                pieces.append(inner if child.tag in _INLINE else f" {inner} ")
            pieces.append(markdown.escape(markdown.collapse(child.tail or "")))
        return "".join(pieces)

    def _link(self, element: html.HtmlElement, label: str) -> str:
        url = (element.get("href") or "").strip()
        usable = _LINK.match(url) and not _FOREIGN_SCHEME.match(url)
        text = label.strip()
        if not usable or not text or "\n" in text:
            return label
        return _spaced(markdown.link(text, url), label)

    def _image(self, element: html.HtmlElement) -> str:
        alt = markdown.collapse(element.get("alt") or "").strip()
        url = (element.get("src") or "").strip()
        if not alt:
            return ""
        if not url or _FOREIGN_SCHEME.match(url):
            return f"[Image: {markdown.escape(alt)}]"
        return "!" + markdown.link(markdown.escape(alt), url)

    def _list(self, element: html.HtmlElement) -> list[str]:
        ordered = element.tag == "ol"
        start = element.get("start") or "1"
        number = int(start) if start.isdecimal() and len(start) < 9 else 1
        items: list[str] = []
        for child in _with_loose_text(element):
            if self._skipped(child):
                continue
            nested = child.tag in {"ul", "ol"}
            if nested and items:  # a list put beside its item instead of inside it
                items[-1] += "\n" + _indented("\n".join(self._block(child)), 3 if ordered else 2)
                continue
            blocks = self._block(child) if nested else self.blocks(child)
            if blocks:
                items.append(_item(blocks, f"{number}. " if ordered else "- "))
                number += 1
        return ["\n".join(items)] if items else []

    def _definitions(self, element: html.HtmlElement) -> list[str]:
        children = element.xpath("./dt|./dd|./div/dt|./div/dd")
        if len(children) != len(element.xpath("./*[not(self::div)]|./div/*")) or tables.has_loose_text(element):
            return self.blocks(element)
        items: list[str] = []
        for child in children:
            if self._skipped(child):
                continue
            blocks = self.blocks(child)
            if blocks and child.tag == "dt":
                items.append(_item([markdown.wrap(blocks[0].replace("**", ""), "**"), *blocks[1:]], "- "))
            elif blocks:
                items.append(_indented(_item(blocks, "- "), 2))
        return ["\n".join(items)] if items else []

    def _code_block(self, element: html.HtmlElement) -> list[str]:
        for br in element.iter("br"):
            br.tail = "\n" + (br.tail or "")
        text = "".join(element.itertext())
        if not text.strip():
            return []
        holders = [element, *element.iter("code")]
        language = next((match[1] for node in holders if (match := _LANGUAGE.search(node.get("class") or ""))), "")
        return [markdown.fence(text, language=language)]

    def _table(self, element: html.HtmlElement) -> list[str]:
        if not tables.is_data(element):
            return self.blocks(element)
        cells = [row for row in tables.grid(element) if any(cell is not None for cell in row)]
        caption = element.find("caption")
        title = plain_text(caption, skip=self._skip) if caption is not None else ""
        texts = [tuple("" if cell is None else plain_text(cell, skip=self._skip) for cell in row) for row in cells]
        if not any(any(row) for row in texts):
            return []
        self.tables.append(
            Table(rows=tuple(texts), header_rows=min(tables.header_rows(element), len(texts)), caption=title or None)
        )
        shown = [["" if cell is None else self._cell(cell) for cell in row] for row in cells]
        pipe = markdown.pipe_table(shown)
        return [markdown.escape_line_starts(markdown.escape(title)), pipe] if title else [pipe]

    def _cell(self, cell: html.HtmlElement) -> str:
        """A cell on one line: its blocks one after the other."""
        return self._children(cell).replace("\\\n", " ")

    def _is_inline(self, element: html.HtmlElement) -> bool:
        """An inline element that holds no block; sites put headings and paragraphs inside links and spans."""
        if element.tag not in _INLINE or element.tag == "math":
            return bool(element.tag == "math")
        return all(child.tag in _INLINE or child.tag in SKIPPED for child in element.iterdescendants())

    def _skipped(self, element: html.HtmlElement) -> bool:
        return element.tag in SKIPPED or element in self._skip


def _with_loose_text(element: html.HtmlElement) -> Iterator[html.HtmlElement]:
    """The children of a list, and each text that stands between them as an item of its own."""
    for child, text in ((None, element.text), *((child, child.tail) for child in element)):
        if child is not None:
            yield child
        if text and text.strip():
            item = html.Element("li")
            item.text = text
            yield item


def _paragraph(pieces: list[str]) -> list[str]:
    text = re.sub(r" *\n *", "\n", re.sub(r" {2,}", " ", "".join(pieces))).strip()
    text = re.sub(r"(?:\\\n)+$|^(?:\\\n)+|\\$", "", text).strip()
    # Two breaks in a row are how old pages part their paragraphs.
    parts = re.split(r"(?:\\\n){2,}", text)
    return [markdown.escape_line_starts(part.strip()) for part in parts if part.strip()]


def _item(blocks: list[str], marker: str) -> str:
    """A list item; a nested list follows its item closely, every other block after an empty line."""
    text = blocks[0]
    for block in blocks[1:]:
        text += ("\n" if re.match(r"(?:- |\d+\. )", block) else "\n\n") + block
    return marker + _indented(text, len(marker)).lstrip(" ")


def _indented(text: str, width: int) -> str:
    return "\n".join(" " * width + line if line else line for line in text.split("\n"))


def _spaced(markup: str, original: str) -> str:
    """Give markup the outer blanks of the text it was made of."""
    if not markup:
        return " " if original else ""
    return (" " if original[:1].isspace() else "") + markup + (" " if original[-1:].isspace() else "")


def _formula(element: html.HtmlElement) -> str:
    """The TeX that a formula carries, else its signs."""
    tex = element.xpath('.//*[local-name()="annotation"][@encoding="application/x-tex"]')
    text = markdown.collapse(tex[0].text_content() if tex else element.get("alttext") or "").strip()
    if text:
        return f"${text}$"
    return markdown.escape(markdown.collapse(element.text_content()))
