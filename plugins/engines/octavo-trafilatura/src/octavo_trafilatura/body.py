"""Render a tree of HTML elements as markdown and tables, everything a reader sees, in order."""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterator
from dataclasses import dataclass, field

from lxml import html
from octavo_contracts import Table
from octavo_contracts.authoring import markdown
from octavo_contracts.authoring.mathml import formula

from . import tables
from .script_formulas import script_formula

_SKIPPED_NAMES = (
    "script style noscript template head svg canvas object embed iframe audio video map "
    "button select input textarea datalist progress meter dialog"
)
SKIPPED = frozenset(_SKIPPED_NAMES.split())
"""Elements without text of the document: code, embedded things, controls."""

_BLOCK_NAMES = (
    "html body address article aside blockquote caption center col colgroup dd details dir div dl dt fieldset figcaption figure "
    "footer form frameset h1 h2 h3 h4 h5 h6 header hgroup hr legend li listing main menu nav ol optgroup option p pre search section "
    "summary table tbody td tfoot th thead tr ul xmp"
)
_BLOCKS = frozenset(_BLOCK_NAMES.split())
"""Elements that stand on lines of their own. All others, those of unknown names too, run on with the text around them."""

_MARKS = {"b": "**", "strong": "**", "em": "*", "i": "*", "del": "~~", "s": "~~", "strike": "~~"}
_LISTS = frozenset(("ul", "ol", "menu", "dir"))
_RAISED = frozenset(("sub", "sup"))
_CODE = frozenset(("code", "kbd", "samp", "tt"))
_LANGUAGE = re.compile(r"(?:^|\s)(?:language|lang|highlight-source)-([\w+#.-]{1,20})")
_LINK = re.compile(r"^(?:https?:|mailto:|ftp:|tel:|/|\.|\?|[\w%~-]+(?:[./?#]|$))", re.IGNORECASE)
_BREAK = "\0"
"""Stands for a break between the items of a list in a cell; no source has this character."""
_BREAKS = re.compile(r"\s*\0[\s\0]*")
_FOREIGN_SCHEME = re.compile(r"^(?!https?:|mailto:|ftp:|tel:)[a-z][a-z0-9+.-]*:", re.IGNORECASE)


_REPEATED_NAMES = frozenset(("katex-html", "MathJax_Preview", "mw-editsection"))
_DRAWN_NAMES = frozenset(("MathJax", "MathJax_Display", "MathJax_SVG", "MathJax_CHTML"))
"""Formulas as MathJax draws them; MathML inside or a script behind says what they are."""
_ANCHOR_SIGNS = frozenset(("", "#", "¶", "§", "🔗"))


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


def is_block(element: html.HtmlElement) -> bool:
    """Whether an element stands on lines of its own."""
    return element.tag in _BLOCKS


def plain_text(element: html.HtmlElement, *, skip: frozenset[html.HtmlElement] = frozenset()) -> str:
    """The element's text on one line; block elements are separated by a space, inline ones by nothing (DIG-6)."""
    return markdown.collapse("".join(_strings(element, skip))).strip()


def _strings(element: html.HtmlElement, skip: frozenset[html.HtmlElement]) -> Iterator[str]:
    yield element.text or ""
    for child in element:
        if child.tag not in SKIPPED and child not in skip:
            edge = " " if child.tag in _BLOCKS or child.tag == "br" else ""
            yield edge
            yield from _strings(child, skip)
            yield edge
        yield child.tail or ""


class _Writer:
    """One rendering: what to skip, the emphasis that is open, the tables met so far."""

    def __init__(self, *, skip: frozenset[html.HtmlElement]) -> None:
        self._skip = skip
        self._open_marks: set[str] = set()
        self._in_cell = False
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
            case tag if tag in _LISTS:
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
            return formula(element)
        if tag == "script":
            return script_formula(element)
        if tag in _RAISED:
            return self._raised(element)
        if tag == "table":
            return self._inner_table(element)
        if tag in _LISTS and self._in_cell:
            return self._inner_list(element)
        if _is_drawn(element) and (inside := element.find(".//math")) is not None:
            return formula(inside)
        if tag == "q":
            return f"“{self._children(element)}”"
        if tag == "rt":
            return self._reading(element)
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

    def _raised(self, element: html.HtmlElement) -> str:
        """A sub- or superscript; markdown has no mark of its own for it."""
        inner = self._children(element)
        core = inner.strip()
        return _spaced(f"<{element.tag}>{core}</{element.tag}>", inner) if core and "\n" not in core else inner

    def _reading(self, element: html.HtmlElement) -> str:
        """The reading of a ruby text in brackets, unless the page has brackets of its own."""
        inner = self._children(element).strip()
        has_own = element.getparent() is not None and element.getparent().find("rp") is not None
        return inner if has_own or not inner else f"({inner})"

    def _children(self, element: html.HtmlElement) -> str:
        pieces = [markdown.escape(markdown.collapse(element.text or ""))]
        for child in element:
            if not self._skipped(child):
                inner = self.inline(child)
                pieces.append(f" {inner} " if child.tag in _BLOCKS else inner)
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
        number = _first_number(element)
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
        """A cell on one line: its blocks one after the other, a table inside row by row, a list item by item."""
        outer, self._in_cell = self._in_cell, True
        text = self._children(cell).replace("\\\n", " ")
        self._in_cell = outer
        return _BREAKS.sub(_BREAK, text).strip(_BREAK).replace(_BREAK, "<br>") if _BREAK in text else text

    def _inner_list(self, element: html.HtmlElement) -> str:
        """A list inside a cell, its items divided by `<br>`; a single item needs no mark."""
        items = [self.inline(child).strip() for child in _with_loose_text(element) if not self._skipped(child)]
        shown = list(filter(None, items))
        if len(shown) > 1:
            numbers = itertools.count(_first_number(element))
            marks = (f"{number}." if element.tag == "ol" else "-" for number in numbers)
            shown = [f"{mark} {item}" for mark, item in zip(marks, shown, strict=False)]
        return f"{_BREAK}{_BREAK.join(shown)}{_BREAK}" if shown else ""

    def _inner_table(self, table: html.HtmlElement) -> str:
        """A table inside a cell on one line."""
        rows = [[self._cell(cell).strip() for cell in tables.cells_of(row)] for row in tables.rows_of(table)]
        return "<br>".join(" / ".join(cell for cell in row if cell) for row in rows if any(row))

    def _is_inline(self, element: html.HtmlElement) -> bool:
        """An element that runs on and holds no block; sites put headings and paragraphs inside links and spans."""
        if element.tag in _BLOCKS:
            return False
        return element.tag == "math" or not any(child.tag in _BLOCKS for child in element.iterdescendants())

    def _skipped(self, element: html.HtmlElement) -> bool:
        if element.tag in SKIPPED:
            return not (element.tag == "script" and script_formula(element))
        return element in self._skip or _is_repeated(element)


def _with_loose_text(element: html.HtmlElement) -> Iterator[html.HtmlElement]:
    """The children of a list, and each text that stands between them as an item of its own."""
    for child, text in ((None, element.text), *((child, child.tail) for child in element)):
        if child is not None:
            yield child
        if text and text.strip():
            item = html.Element("li")
            item.text = text
            yield item


def _first_number(element: html.HtmlElement) -> int:
    """The number of the first item of a list."""
    start = element.get("start") or "1"
    return int(start) if start.isdecimal() and len(start) < 9 else 1


def _paragraph(pieces: list[str]) -> list[str]:
    text = re.sub(r" *\n *", "\n", re.sub(r" {2,}", " ", "".join(pieces))).strip()
    text = re.sub(r"(?:\\\n)*(?<!\\)\\$|^(?:\\\n)+", "", text).strip()
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


def _is_drawn(element: html.HtmlElement) -> bool:
    return any(name in _DRAWN_NAMES for name in (element.get("class") or "").split())


def _has_script(element: html.HtmlElement) -> bool:
    return any(script_formula(sibling) for sibling in element.itersiblings("script"))


def _is_repeated(element: html.HtmlElement) -> bool:
    """What says again what stands beside it: a formula drawn for the eye, a heading's link to itself, a wiki's link to edit."""
    names = (element.get("class") or "").split()
    if any(name in _REPEATED_NAMES for name in names) or (_is_drawn(element) and _has_script(element)):
        return True
    if element.tag != "a" or not (element.get("href") or "").startswith("#"):
        return False
    return markdown.collapse("".join(element.itertext())).strip("\u200b \ufeff") in _ANCHOR_SIGNS
