"""Walks Docling's tree of a document in reading order and writes drafts of pages."""

from __future__ import annotations

import re
from typing import Any, Final

from octavo_contracts import BoundingBox, Box, HiddenText
from octavo_contracts.authoring import escape, escape_line_starts, fence

from .boxes import kind_of, place_of
from .draft import Draft
from .formats import Format
from .inlines import inline, join
from .tables import markdown_of, table_of

PAGE_GROUPS: Final = ("sheet", "slide", "chapter")
"""Groups right under the root that are pages, in formats that have slides or sheets."""
DEEPEST_HEADING: Final = 6
_COMMENT = re.compile(
    r"\[(?:author: (?P<author>[^,\]]*))?(?:, )?(?:time: (?P<time>[^\]]*))?\]: (?P<text>.*)", re.DOTALL
)
_SLIDE_COMMENT = re.compile(r"comment-slide(\d+)-")
_TICKS = {"checkbox_selected": "[x] ", "checkbox_unselected": "[ ] "}


class PageWriter:
    """Writes the drafts of one document.

    Args:
        document: Docling's `DoclingDocument`.
        form: the document's format.

    Attributes:
        left_out: how many texts of running headers, footers and page furniture were passed over.
    """

    def __init__(self, document: Any, form: Format) -> None:
        self._document = document
        self._form = form
        self._drafts: dict[int, Draft] = {}
        self._page = 1
        self._indent = ""
        owners = [*document.tables, *document.pictures]
        self._captions = {reference.cref for owner in owners for reference in owner.captions}
        self.left_out = 0
        for number, page in document.pages.items():
            draft = self._draft(number)
            if form.scale is not None and page.size.width > 0 and page.size.height > 0:
                draft.width = round(page.size.width * form.scale, 2)
                draft.height = round(page.size.height * form.scale, 2)

    def drafts(self, *, sheets: tuple[str, ...] = ()) -> list[Draft]:
        """The document's pages, without gaps.

        Args:
            sheets: names of all sheets, for a format in whose tree they are no groups.
        """
        for number, name in enumerate(sheets, start=1):
            self._draft(number).label = name
        in_pages = self._form.page in ("slide", "sheet")
        groups = [node for node in self._children(self._document.body) if in_pages and _label(node) in PAGE_GROUPS]
        order = {node.self_ref: number for number, node in enumerate(groups, start=1)}
        for node in self._children(self._document.body):
            if node.self_ref in order:
                self._page_group(node, order[node.self_ref])
            else:
                self._write(node)
        for draft in map(self._draft, range(1, len(sheets) + 1)):
            if draft.blocks:
                draft.blocks.insert(0, (f"## {escape(draft.label or '')}", False))
        last = max(self._drafts, default=1)
        return [self._draft(number) for number in range(1, last + 1)]

    def _draft(self, number: int) -> Draft:
        return self._drafts.setdefault(number, Draft(number=number))

    def _children(self, node: Any) -> list[Any]:
        return [reference.resolve(self._document) for reference in node.children]

    def _page_group(self, group: Any, number: int) -> None:
        self._page = number
        draft = self._draft(number)
        layers = {_layer(node) for node in self._below(group)} - {"notes"}
        draft.is_hidden = layers == {"invisible"}
        if self._form.page == "sheet":
            draft.label = group.name
            if any(_layer(node) != "notes" for node in self._below(group)):
                draft.add(f"## {escape(group.name)}")
        for child in self._children(group):
            self._write(child)

    def _below(self, node: Any) -> list[Any]:
        return [one for child in self._children(node) for one in (child, *self._below(child))]

    def _write(self, node: Any) -> None:
        """Write a node and what is under it, each item on its own page; a caption is written with what it is of."""
        if node.self_ref in self._captions:
            return
        provenance = next(iter(getattr(node, "prov", None) or ()), None)
        if provenance is not None:
            self._page = provenance.page_no
        draft = self._draft(self._page)
        label, layer = _label(node), _layer(node)
        if label == "comment_section":
            self._comments(node)
        elif layer == "invisible" and not draft.is_hidden:
            self._hide(node, draft)
        elif layer == "furniture":
            self._furniture(node, label, draft)
        elif layer == "notes":
            draft.notes.append(escape_line_starts(inline(node)))
        else:
            self._visible(node, label, draft, provenance)

    def _visible(self, node: Any, label: str, draft: Draft, provenance: Any) -> None:
        box = self._place(provenance)
        if box is not None:
            draft.boxes.append(Box(kind=kind_of(label), box=box, text=getattr(node, "text", "")))
        if label in ("table", "document_index"):
            self._table(node.data, draft, caption=self._caption(node), box=box)
            self._note_pictures(node, draft)
            return
        if label in ("picture", "chart"):
            self._picture(node, draft)
        elif label == "list":
            self._list(node)
            return
        elif label == "inline":
            draft.add(escape_line_starts(self._line(node)))
            return
        elif getattr(node, "text", None) is not None:
            self._text(node, label, draft)
        for child in self._children(node):
            self._write(child)

    def _text(self, node: Any, label: str, draft: Draft) -> None:
        if label in ("title", "section_header"):
            level = 1 if label == "title" else min(DEEPEST_HEADING, node.level + 1)
            text = " ".join(self._heading(node).split())
            if text:
                draft.add(f"{'#' * level} {text}")
                if self._form.page == "slide" and draft.label is None:
                    draft.label = " ".join(node.text.split()) or None
        elif label == "list_item":
            self._item(node, "- ")
        elif label == "code":
            draft.add(fence(node.text))
        elif label == "formula":
            draft.add(f"$$\n{node.text}\n$$" if node.text else "")
        else:
            draft.add(_TICKS.get(label, "") + escape_line_starts(inline(node)))

    def _heading(self, node: Any) -> str:
        return str(escape(node.text)).replace("\\\n", " ")

    def _list(self, group: Any) -> None:
        """A list: its items, numbered as the document says or from 1."""
        number = 0
        for child in self._children(group):
            if _label(child) != "list_item" or _layer(child) != "body":
                self._write(child)
                continue
            number += 1
            said = re.match(r"\d{1,9}", child.marker or "")
            number = int(said[0]) if child.enumerated and said else number
            self._item(child, f"{number}. " if child.enumerated else "- ")

    def _item(self, node: Any, marker: str) -> None:
        """An item of a list with the lists inside it."""
        provenance = next(iter(node.prov or ()), None)
        if provenance is not None:
            self._page = provenance.page_no
        draft = self._draft(self._page)
        if (box := self._place(provenance)) is not None and not (draft.boxes and draft.boxes[-1].box == box):
            draft.boxes.append(Box(kind="line", box=box, text=node.text))
        children = self._children(node)
        pieces = [inline(node)] if node.text else []
        rest = children
        if not node.text and children and _label(children[0]) in ("inline", "text"):
            first, *rest = children
            pieces = [self._line(first) if _label(first) == "inline" else inline(first)]
        draft.add(f"{self._indent}{marker}{escape_line_starts(join(pieces))}".rstrip(), tight=True)
        outside, self._indent = self._indent, self._indent + " " * len(marker)
        for child in rest:
            self._write(child)
        self._indent = outside

    def _line(self, group: Any) -> str:
        """The pieces of an inline group as one line."""
        pieces = []
        for child in self._children(group):
            if _layer(child) not in ("body", "furniture") and not self._draft(self._page).is_hidden:
                self._write(child)
            elif _label(child) == "inline":
                pieces.append(self._line(child))
            elif getattr(child, "text", None) is not None:
                pieces.append(inline(child))
            else:
                self._write(child)
        return join(pieces)

    def _table(self, data: Any, draft: Draft, *, caption: str | None, box: BoundingBox | None) -> None:
        table = table_of(data, self._document, caption=caption, box=box)
        if caption:
            draft.add(escape_line_starts(escape(caption)))
        if table is not None:
            draft.tables.append(table)
            draft.add(markdown_of(table))

    def _caption(self, node: Any) -> str | None:
        texts = (reference.resolve(self._document).text for reference in node.captions)
        return " ".join(" ".join(texts).split()) or None

    def _picture(self, node: Any, draft: Draft) -> None:
        """A picture as a reference, and a chart with the numbers it was drawn from."""
        draft.has_images = True
        caption = self._caption(node)
        chart = getattr(getattr(node, "meta", None), "tabular_chart", None)
        draft.add(f"![{escape(caption or '')}](image)")
        if chart is not None and chart.chart_data is not None:
            self._table(chart.chart_data, draft, caption=None, box=None)

    def _note_pictures(self, node: Any, draft: Draft) -> None:
        draft.has_images = draft.has_images or any(_label(one) == "picture" for one in self._below(node))

    def _hide(self, node: Any, draft: Draft) -> None:
        text = " ".join(getattr(one, "text", "") or "" for one in (node, *self._below(node))).strip()
        if text:
            draft.hidden.append(HiddenText(text=text, why="hidden_style"))

    def _furniture(self, node: Any, label: str, draft: Draft) -> None:
        """Footnotes follow the text; running headers, footers and what surrounds a web page's content are counted."""
        if label == "footnote":
            draft.notes.append(escape_line_starts(inline(node)))
        elif getattr(node, "text", "") and label != "title":  # a web page's title is metadata
            self.left_out += 1
        for child in self._children(node):
            if _layer(child) == "furniture":
                self._furniture(child, _label(child), draft)
            else:
                self._write(child)

    def _comments(self, group: Any) -> None:
        slide = _SLIDE_COMMENT.match(group.name)
        draft = self._draft(int(slide[1]) if slide else self._sheet_of(group.name))
        for node in self._below(group):
            if said := getattr(node, "text", ""):
                draft.comments.append(_comment(said))

    def _sheet_of(self, name: str) -> int:
        """The page of the sheet that a comment's group names; the first one in formats without sheets."""
        found = (draft.number for draft in self._drafts.values() if name.startswith(f"comment-{draft.label}-"))
        return next(found, 1)

    def _place(self, provenance: Any) -> BoundingBox | None:
        if provenance is None or self._form.scale is None:
            return None
        page = self._document.pages.get(provenance.page_no)
        height = page.size.height if page is not None else 0.0
        return place_of(provenance, scale=self._form.scale, page_height=height)


def _label(node: Any) -> str:
    return str(node.label.value)


def _layer(node: Any) -> str:
    return str(node.content_layer.value)


def _comment(said: str) -> str:
    """A comment as an item of a list; Docling writes its author and time in front of it."""
    match = _COMMENT.match(said)
    author, time, text = (match["author"] or "", match["time"] or "", match["text"]) if match else ("", "", said)
    who = ", ".join(escape(part) for part in (author, time[:10]) if part)
    return f"- Comment{' by ' if author else ', ' if who else ''}{who}: {escape(' '.join(text.split()))}"
