"""Converts Pandoc's block nodes to markdown."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import Any

from octavo_contracts import Table
from octavo_contracts.authoring import code_span, escape_line_starts, fence
from octavo_contracts.authoring.list_numbers import list_marker, number_in_form

from .attributes import hides
from .inlines import HARD_BREAK, InlineWriter, Node, plain, raw_text
from .tables import read_table

_LOWEST = 6
_FORMS = {
    "LowerAlpha": "lowerLetter",
    "UpperAlpha": "upperLetter",
    "LowerRoman": "lowerRoman",
    "UpperRoman": "upperRoman",
}
"""Pandoc's styles of numbers that are no decimals → names of their forms."""
_BLANKS = re.compile(r" {2,}")
_LISTS = frozenset(("BulletList", "OrderedList"))
_LISTED_LINE = re.compile(r"(^|\\\n)(?:\\(-)|(\d{1,9})\\([.)]))(?= )")
"""A line of a paragraph that looks like an item of a list, and was escaped for it; in a cell it can be none."""
_LINE_ENDS = re.compile(r"\s*\n\s*")


class BlockWriter:
    """Writes a document's blocks.

    Args:
        shift: levels that headings stand below what Pandoc says.
        alternatives: see `InlineWriter`.

    Attributes:
        inlines: the writer of what stands in lines; holds remarks, notes and hidden text.
        tables: the tables met, in order; one inside another's cell is part of that cell.
    """

    def __init__(self, *, shift: int = 0, alternatives: Mapping[str, list[str]] = MappingProxyType({})) -> None:
        self.inlines = InlineWriter(self.markdown, alternatives=alternatives)
        self.tables: list[Table] = []
        self._shift = shift
        self._in_cell = False

    def markdown(self, blocks: list[Node]) -> str:
        """Blocks, parted by empty lines."""
        return "\n\n".join(filter(None, map(self._one, self.inlines.seen(blocks))))

    def below(self, blocks: list[Node]) -> str:
        """Blocks whose headings stand one level lower than elsewhere in the document."""
        self._shift += 1
        try:
            return self.markdown(blocks)
        finally:
            self._shift -= 1

    def _one(self, node: Node) -> str:
        if "labels" in node:
            return self._labelled(node)
        method: Callable[[Any], str] = getattr(self, f"_{node['t'].lower()}")
        return method(node.get("c"))

    def _para(self, content: list[Node]) -> str:
        text = _BLANKS.sub(" ", self.inlines.markdown(content)).strip(" ")
        while text.endswith(HARD_BREAK):  # white space is stripped without the line end that makes it a break
            text = text.removesuffix(HARD_BREAK).rstrip(" ")
        while text.startswith(HARD_BREAK):
            text = text.removeprefix(HARD_BREAK).lstrip(" ")
        return escape_line_starts(text.strip())

    _plain = _para

    def _lineblock(self, content: list[list[Node]]) -> str:
        return HARD_BREAK.join(map(self._para, content))

    def _codeblock(self, content: list[Any]) -> str:
        if self._in_cell:
            return code_span(content[1])
        languages = [name for name in content[0][1] if name.isalnum()]
        return fence(content[1], language=languages[0] if languages else "") if content[1].strip() else ""

    def _rawblock(self, content: list[str]) -> str:
        text, form = raw_text(content).strip(), content[0]
        # Pandoc calls a notebook's raw cells "ipynb", which is no language and which the notebook does not say.
        return fence(text, language=form if form.isalnum() and form != "ipynb" else "") if text else ""

    def _blockquote(self, content: list[Node]) -> str:
        return "\n".join(f"> {line}".rstrip() for line in self.markdown(content).splitlines())

    def _orderedlist(self, content: list[Any]) -> str:
        (start, style, delimiter), items = content
        mark = ")" if delimiter["t"] == "OneParen" else "."
        if form := _FORMS.get(style["t"]):
            label = "({})" if delimiter["t"] == "TwoParens" else f"{{}}{mark}"
            return self._list(items, lambda place: f"{list_marker(label.format(number_in_form(start + place, form)))} ")
        # Negative numbers are no list in markdown, nor those of ten digits.
        first = start if 0 <= start < 10**8 else 1
        return self._list(items, lambda place: f"{first + place}{mark} ")

    def _bulletlist(self, content: list[Any]) -> str:
        return self._list(content, lambda place: "- ")

    def _labelled(self, node: Node) -> str:
        """A list whose labels are known, see `ShownLabels`."""
        items = node["c"] if node["t"] == "BulletList" else node["c"][1]
        if any(map(_holds_heading, (block for item in items for block in item))):
            return "\n\n".join(self._beside(label, item) for label, item in zip(node["labels"], items, strict=True))
        markers = [f"{list_marker(label)} " if label else "- " for label in node["labels"]]
        return self._list(items, markers.__getitem__)

    def _beside(self, label: str | None, blocks: list[Node]) -> str:
        """Write an item of a list that holds headings: markdown has no list there, so the label stands before the text."""
        text = self.markdown(blocks)
        return f"{list_marker(label)} {text}" if label and text else text

    def _list(self, items: list[list[Node]], marker: Callable[[int], str]) -> str:
        if any(_holds_heading(block) for blocks in items for block in blocks):
            # Numbered headings are lists in the source; as list items they would lose their level.
            return "\n\n".join(filter(None, (self._one(block) for blocks in items for block in blocks)))
        lines = []
        for place, blocks in enumerate(items):
            mark = marker(place)
            tight = all(block["t"] in ("Plain", "BulletList", "OrderedList") for block in blocks)
            body = ("\n" if tight else "\n\n").join(filter(None, map(self._one, blocks)))
            # A label that is no number in markdown is part of the text behind the bullet.
            indented = body.replace("\n", "\n" + " " * (2 if mark.startswith("- ") else len(mark)))
            lines.append("\n".join(line.rstrip() for line in f"{mark}{indented}".split("\n")))
        loose = any(block["t"] == "Para" for blocks in items for block in blocks)
        return ("\n\n" if loose else "\n").join(lines)

    def _definitionlist(self, content: list[Any]) -> str:
        blocks = []
        for term, definitions in content:
            blocks.append(f"**{self.inlines.markdown(term).strip()}**")
            blocks += [self.markdown(definition) for definition in definitions]
        return "\n\n".join(filter(None, blocks))

    def _header(self, content: list[Any]) -> str:
        level, attributes, inlines = content
        if hides(attributes):
            return self.inlines.hide(plain(inlines, hidden=True))
        text = self.inlines.markdown(inlines).replace(HARD_BREAK, " ").strip()
        return f"{'#' * min(_LOWEST, level + self._shift)} {text}" if text else ""

    def _horizontalrule(self, _content: None) -> str:
        return "" if self._in_cell else "---"

    def _null(self, _content: None) -> str:
        return ""

    def _div(self, content: list[Any]) -> str:
        attributes, blocks = content
        if hides(attributes):
            return self.inlines.hide(plain(blocks, hidden=True))
        return self.markdown(blocks)

    def _figure(self, content: list[Any]) -> str:
        _, caption, blocks = content
        shown, said = self.markdown(blocks), self.markdown(caption[1])
        return shown if said in shown else f"{shown}\n\n{said}"

    def _table(self, content: list[Any]) -> str:
        if self._in_cell:
            return plain(content)
        self._in_cell = True
        try:
            markdown, table = read_table(content, self._cell)
        finally:
            self._in_cell = False
        if table is not None:
            self.tables.append(table)
        said = self.markdown(content[1][1])
        return "\n\n".join(filter(None, (said, markdown)))

    def _cell(self, blocks: list[Node]) -> str:
        """A cell on one line: a list item by item."""
        lines = [""]
        for block in self.inlines.seen(blocks):
            shown = _LISTED_LINE.sub(_listed, self._one(block)).replace(HARD_BREAK, " ").strip()
            if block["t"] in _LISTS:
                lines += [*_LINE_ENDS.split(shown), ""]
            else:
                lines[-1] = f"{lines[-1]} {shown}".strip()
        return "<br>".join(filter(None, lines))


def _listed(line: re.Match[str]) -> str:
    return f"{'<br>' if line[1] else ''}{line[2] or f'{line[3]}{line[4]}'}"


def _holds_heading(block: Node) -> bool:
    """Whether a block is a heading, or a list with one among its items."""
    if block["t"] in ("BulletList", "OrderedList"):
        items = block["c"] if block["t"] == "BulletList" else block["c"][1]
        return any(_holds_heading(inner) for blocks in items for inner in blocks)
    return bool(block["t"] == "Header")
