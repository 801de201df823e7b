"""Converts the text of an OpenDocument file to markdown: paragraphs, headings, lists, notes and frames."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from typing import TYPE_CHECKING

from octavo_contracts import HiddenText, Table
from octavo_contracts.authoring import code_span, collapse, escape, escape_line_starts, link, wrap
from octavo_contracts.authoring.list_numbers import list_marker

from .grids import read_table
from .package import tag
from .remarks import Remark
from .styles import Styles

if TYPE_CHECKING:
    from lxml.etree import _Element

_LOWEST = 6
_BLANKS = re.compile(r" {2,}")
_ONLY_FORMULA = re.compile(r"\A\$([^$]+)\$\Z")
"""A paragraph that is a formula."""
_PARAGRAPH, _HEADING, _LIST, _TABLE = (tag(name) for name in ("text:p", "text:h", "text:list", "table:table"))
_BOX = tag("draw:text-box")
_TEXTS = (_PARAGRAPH, _HEADING)
_SPACES = (tag("text:s"), tag("text:tab"), tag("text:line-break"))
_PASSED_OVER = frozenset(
    tag(name)
    for name in ("office:forms", "office:annotation-end", "presentation:notes", "text:note-citation", "text:sequence-decls")
)  # fmt: skip
_WEB = ("http://", "https://", "mailto:", "ftp://")


class TextReader:
    """Reads the content of a text, a slide or a cell.

    Args:
        styles: the document's styles.
        white: whether white type counts as hidden.
        formulas: gives the formula of an embedded object as TeX, by its address; '' for any other object.

    Attributes:
        tables: the tables met, in order; one inside another's cell is part of that cell.
        hidden: text that cannot be seen, kept out.
        notes: footnotes and endnotes as markdown.
        comments: the annotations.
        changes: what was inserted and deleted with changes tracked.
        has_images: whether an image was met.
    """

    def __init__(self, styles: Styles, *, white: bool, formulas: Callable[[str], str]) -> None:
        self.tables: list[Table] = []
        self.hidden: list[HiddenText] = []
        self.notes: list[str] = []
        self.comments: list[Remark] = []
        self.changes: list[Remark] = []
        self.has_images = False
        self._styles = styles
        self._white = white
        self._formulas = formulas
        self._labels = styles.labels
        self._in_cell = False
        self._insertions: dict[str, _Element] = {}
        self._open: dict[str, list[str]] = {}

    def blocks(self, container: Iterable[_Element]) -> list[str]:
        """The elements as markdown blocks, empty ones left out."""
        return [block for element in container for block in self._block(element) if block]

    def _block(self, element: _Element) -> Iterator[str]:
        if element.tag in _TEXTS:
            yield self._paragraph(element)
            # Frames that are anchored in a paragraph follow it.
            for frame in element.iter(_BOX):
                if next(frame.iterancestors(_BOX, _PARAGRAPH, _HEADING), None) is element:
                    yield from self.blocks(frame)
        elif element.tag == _LIST and self._holds_heading(element):
            # Numbered headings are lists in the source; as list items they would lose their level.
            yield from (block for item in element for block in self.blocks(item))
        elif element.tag == _LIST:
            yield self._list(element)
        elif element.tag == _TABLE:
            yield self._table(element)
        elif element.tag == tag("text:tracked-changes"):
            self._read_changes(element)
        elif element.tag == tag("draw:image"):
            # A table or an object is followed by a picture of itself.
            if element.getprevious() is None and (holder := element.getparent()) is not None:
                self.has_images = True
                yield _picture(holder)
        elif element.tag == tag("office:annotation"):
            self._comment(element)
        elif element.tag == tag("draw:frame") and (formula := self._formula(element)):
            yield _ONLY_FORMULA.sub(r"$$\1$$", formula)
        elif isinstance(element.tag, str) and element.tag not in _PASSED_OVER:
            yield from self.blocks(element)

    def _paragraph(self, element: _Element) -> str:
        why = self._styles.hides(element.get(tag("text:style-name")), white=self._white and not self._in_cell)
        if why is not None:
            return self._hide(element, why)
        text = _ONLY_FORMULA.sub(r"$$\1$$", _BLANKS.sub(" ", self._inline(element)).strip())
        level = self._level(element)
        if level is None or not text:
            return escape_line_starts(text)
        label = self._heading_label(element)
        return f"{'#' * min(_LOWEST, level)} {f'{escape(label)} ' if label else ''}{text}"

    def _heading_label(self, element: _Element) -> str | None:
        """The number of a heading: its own, or that of the list item that begins with it."""
        item = element.getparent()
        if item is None or element in self._labels or item.find("*") is not element:
            return self._labels.get(element)
        return self._labels.get(item)

    def _level(self, element: _Element) -> int | None:
        """The level of a heading, by its element or by its style; None for any other paragraph, and in cells."""
        if self._in_cell:
            return None
        if element.tag == _PARAGRAPH:
            return self._styles.heading(element.get(tag("text:style-name")))
        level = element.get(tag("text:outline-level"), "1")
        return int(level) if level.isdecimal() else 1

    def _holds_heading(self, element: _Element) -> bool:
        return any(self._level(one) is not None for one in element.iter(*_TEXTS))

    def _inline(self, element: _Element) -> str:
        pieces = [self._said(element.text)]
        for child in element:
            pieces += [self._child(child), self._said(child.tail)]
        return "".join(pieces)

    def _said(self, text: str | None) -> str:
        for insertion in self._open.values():
            insertion.append(text or "")
        return escape(collapse(text or ""))

    def _child(self, child: _Element) -> str:
        name = child.tag
        if name in _SPACES:
            return self._said(" ")
        if name == tag("text:span"):
            why = self._styles.hides(child.get(tag("text:style-name")), white=self._white and not self._in_cell)
            return self._span(child) if why is None else self._hide(child, why)
        if name == tag("text:a"):
            text, url = self._inline(child), child.get(tag("xlink:href"), "")
            return link(text, url) if text.strip() and url.lower().startswith(_WEB) else text
        if name == tag("text:note"):
            return self._note(child)
        if name == tag("office:annotation"):
            return self._comment(child)
        if name in (tag("text:change-start"), tag("text:change-end")):
            return self._mark(child)
        if name in (tag("text:hidden-text"), tag("text:hidden-paragraph")):
            return self._hide(child, "hidden_style")
        if name == tag("draw:frame"):
            self.has_images = self.has_images or child.find(tag("draw:image")) is not None
            return self._formula(child) or _picture(child)  # its text is in a separate block
        return self._inline(child) if isinstance(name, str) and name not in _PASSED_OVER else ""

    def _formula(self, frame: _Element) -> str:
        """The formula of a frame as TeX between dollars; '' for a frame that holds something else."""
        drawn = frame.find(tag("draw:object"))
        tex = self._formulas(drawn.get(tag("xlink:href"), "")) if drawn is not None else ""
        return f"${tex}$" if tex else ""

    def _span(self, element: _Element) -> str:
        text = self._inline(element)
        # The mark of a note is raised by its style, too; in markdown it is a mark of its own.
        style = element.get(tag("text:style-name"))
        if not text.strip() or next(element.iter(tag("text:note")), None) is not None:
            return text
        if self._styles.is_code(style) and not len(element):
            return code_span(element.text or "")
        if script := self._styles.script(style):
            text = f"<{script}>{text}</{script}>"
        for mark in reversed(self._styles.marks(style) if self._is_apart(element) else ()):
            text = wrap(text, mark)
        return text

    def _is_apart(self, element: _Element) -> bool:
        """Whether emphasis of a span can be seen: outside headings, and beside blanks or punctuation, as markdown needs it."""
        paragraph = next(element.iterancestors(*_TEXTS), None)
        if paragraph is None or self._level(paragraph) is not None:
            return False
        said = text_of(element)
        text = "".join(map(str, element.itertext()))
        before = text[:1] if text[:1].isspace() else _neighbour(element, after=False)
        after = text[-1:] if text[-1:].isspace() else _neighbour(element, after=True)
        return bool(said) and said[0].isalnum() and said[-1].isalnum() and not before.isalnum() and not after.isalnum()

    def _hide(self, element: _Element, why: str) -> str:
        text = text_of(element) or element.get(tag("text:string-value"), "")
        if text.strip():
            self.hidden.append(HiddenText.model_validate({"text": text.strip(), "why": why}))
        return ""

    def _note(self, element: _Element) -> str:
        self.notes.append("")
        place = len(self.notes)
        body = element.find(tag("text:note-body"))
        self.notes[place - 1] = " ".join(self.blocks(body)) if body is not None else ""
        return f"[^{place}]"

    def _comment(self, element: _Element) -> str:
        text = " ".join(text_of(paragraph) for paragraph in element.iter(_PARAGRAPH))
        if text.strip():
            self.comments.append(_remark("Comment", element, text))
        return ""

    def _read_changes(self, element: _Element) -> None:
        for region in element.iter(tag("text:changed-region")):
            if (insertion := region.find(tag("text:insertion"))) is not None:
                self._insertions[region.get(tag("text:id"), "")] = insertion
            if (deletion := region.find(tag("text:deletion"))) is not None:
                text = " ".join(text_of(one) for one in deletion.iter(*_TEXTS))
                if text.strip():
                    self.changes.append(_remark("Deleted", deletion, text))

    def _mark(self, element: _Element) -> str:
        identifier = element.get(tag("text:change-id"), "")
        if element.tag == tag("text:change-start") and identifier in self._insertions:
            self._open[identifier] = []
        elif identifier in self._open:
            text = "".join(self._open.pop(identifier))
            if text.strip():
                self.changes.append(_remark("Inserted", self._insertions[identifier], text))
        return ""

    def _list(self, element: _Element) -> str:
        lines = []
        for item in element:
            if item.tag not in (tag("text:list-item"), tag("text:list-header")):
                continue
            inner = []
            for child in item:
                if child.tag == _LIST:
                    inner.append(self._list(child))
                else:
                    inner += self._block(child)
            body = "\n".join(filter(None, inner))
            if item.tag == tag("text:list-header") or not body:
                lines.append(body)
                continue
            # An item with only a nested list is replaced by that list; a cell is a single line.
            bare = self._in_cell or all(child.tag == _LIST for child in item)
            label = self._labels.get(item)
            mark = "" if bare else f"{list_marker(label)} " if label else "- "
            indent = " " * (2 * (not self._in_cell) if not mark or mark.startswith("- ") else len(mark))
            lines.append(f"{mark or indent}{body.replace(chr(10), chr(10) + indent)}")
        return "\n".join(filter(None, lines))

    def _table(self, element: _Element) -> str:
        if self._in_cell:
            return escape(text_of(element))
        self._in_cell = True
        try:
            markdown, table = read_table(element, lambda cell: " ".join(self.blocks(cell)), text_of)
        finally:
            self._in_cell = False
        if table is not None:
            self.tables.append(table)
        return markdown


def _picture(frame: _Element) -> str:
    """An image with its alternative text; '' without one, and for a frame that holds something else."""
    image = frame.find("*")
    told = collapse(frame.findtext(tag("svg:desc")) or frame.findtext(tag("svg:title")) or "").strip()
    if image is None or image.tag != tag("draw:image") or not told:
        return ""
    return "!" + link(escape(told), image.get(tag("xlink:href"), "").rpartition("/")[2] or "image")


def _neighbour(element: _Element, *, after: bool) -> str:
    """The character beside a span; a blank at the ends of a paragraph and beside a space that is an element."""
    parent = element.getparent()
    beside = element.getnext() if after else element.getprevious()
    if after and element.tail:
        return element.tail[0]
    if not after and (
        between := ((parent.text if parent is not None else "") if beside is None else beside.tail) or ""
    ):
        return between[-1]
    text = "".join(map(str, beside.itertext())) if beside is not None else ""
    return (text[0] if after else text[-1]) if text else " "


def text_of(element: _Element) -> str:
    """All text of an element, seen or not, comments apart; paragraphs are parted by a blank."""
    pieces: list[str] = []
    _gather(element, pieces)
    return collapse("".join(pieces)).strip()


def _gather(element: _Element, pieces: list[str]) -> None:
    if element.tag in _SPACES or element.tag in _TEXTS:
        pieces.append(" ")
    pieces.append(element.text or "")
    for child in element:
        if isinstance(child.tag, str) and child.tag not in (tag("office:annotation"), tag("text:note-citation")):
            _gather(child, pieces)
        pieces.append(child.tail or "")


def _remark(kind: str, element: _Element, text: str) -> Remark:
    author = next((node.text or "" for node in element.iter(tag("dc:creator"))), "")
    date = next((node.text or "" for node in element.iter(tag("dc:date"))), "")
    # A comment without a date gets one of zeros.
    return Remark(kind=kind, author=author, date="" if date.startswith("0000") else date[:10], text=text)
