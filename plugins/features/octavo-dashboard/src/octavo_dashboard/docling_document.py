"""A converted document in the JSON form of Docling: titles, headings, paragraphs, lists, code and tables in order.

Docling's client library asks its server for this form and makes markdown of it. Emphasis and links are left out: the form
has them per paragraph only.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from octavo_text.markdown import inline_text, parsed, visible_text

if TYPE_CHECKING:
    from markdown_it.token import Token

SCHEMA_VERSION = "1.0.0"
"""Version of the form: readers accept every earlier minor version of theirs."""
_BODY = "#/body"


def docling_document(markdown: str, *, name: str) -> dict[str, Any]:
    """Return a document in Docling's form, as the members of a JSON object.

    Args:
        markdown: the markdown of the document.
        name: its name without an extension.
    """
    writer = _Writer()
    writer.write(parsed(markdown))
    return {
        "schema_name": "DoclingDocument",
        "version": SCHEMA_VERSION,
        "name": name,
        "furniture": _group("#/furniture", name="_root_", layer="furniture"),
        "body": _group(_BODY, name="_root_") | {"children": writer.children_of_body},
        "groups": writer.groups,
        "texts": writer.texts,
        "pictures": [],
        "tables": writer.tables,
        "key_value_items": [],
        "form_items": [],
        "pages": {},
    }


class _Writer:
    """Makes the items of a document from the tokens of its markdown."""

    def __init__(self) -> None:
        self.groups: list[dict[str, Any]] = []
        self.texts: list[dict[str, Any]] = []
        self.tables: list[dict[str, Any]] = []
        self.children_of_body: list[dict[str, str]] = []
        self._parents: list[dict[str, Any]] = []
        """The open lists and list items, outermost first."""
        self._item: dict[str, Any] | None = None
        """The open list item that has no text yet."""

    def write(self, tokens: Sequence[Token]) -> None:
        """Add the items of a document or of a part of it."""
        index = 0
        while index < len(tokens):
            token = tokens[index]
            if token.type == "heading_open":
                self._heading(int(token.tag[1:]), inline_text(tokens[index + 1]))
                index += 2
            elif token.type == "table_open":
                end = next(at for at in range(index, len(tokens)) if tokens[at].type == "table_close")
                self._table(tokens[index:end])
                index = end
            elif token.type in ("bullet_list_open", "ordered_list_open"):
                self._open_list()
            elif token.type == "list_item_open":
                self._open_item(f"{token.info}{token.markup}" if token.info else "")
            elif token.type in ("list_item_close", "bullet_list_close", "ordered_list_close"):
                self._parents.pop()
                self._item = None
            elif token.type == "inline":
                self._paragraph(inline_text(token))
            elif token.type in ("fence", "code_block"):
                self._add_text("code", token.content.rstrip("\n"), captions=[], references=[], footnotes=[])
            elif token.type == "html_block":
                self._paragraph(visible_text(token.content))
            index += 1

    def _heading(self, level: int, text: str) -> None:
        if level == 1:
            self._add_text("title", text)
        else:
            self._add_text("section_header", text, level=level - 1)

    def _paragraph(self, text: str) -> None:
        if self._item is not None:
            self._item |= {"text": text, "orig": text}
            self._item = None
        else:
            self._add_text("text", text)

    def _open_list(self) -> None:
        self._item = None
        group = _group(f"#/groups/{len(self.groups)}", name="list", label="list")
        self._attach(group)
        self.groups.append(group)
        self._parents.append(group)

    def _open_item(self, marker: str) -> None:
        self._add_text("list_item", "", enumerated=bool(marker), marker=marker)
        self._item = self.texts[-1]
        self._parents.append(self._item)

    def _add_text(self, label: str, text: str, **members: Any) -> None:
        text = text.strip("\n")
        if label != "list_item" and not text.strip():
            return
        self._item = None
        item = _item(f"#/texts/{len(self.texts)}", label) | {"orig": text, "text": text} | members
        self._attach(item)
        self.texts.append(item)

    def _table(self, tokens: Sequence[Token]) -> None:
        cells: list[dict[str, Any]] = []
        row = column = columns = -1
        for index, token in enumerate(tokens):
            if token.type == "tr_open":
                row, column = row + 1, -1
            elif token.type in ("th_open", "td_open"):
                column += 1
                columns = max(columns, column)
                text = inline_text(tokens[index + 1])
                cells.append(_cell(row, column, text, is_header=token.type == "th_open"))
        self._item = None
        table = _item(f"#/tables/{len(self.tables)}", "table")
        data = {"table_cells": cells, "num_rows": row + 1, "num_cols": columns + 1}
        table |= {"captions": [], "references": [], "footnotes": [], "data": data, "annotations": []}
        self._attach(table)
        self.tables.append(table)

    def _attach(self, item: dict[str, Any]) -> None:
        """Add an item to the innermost open list or list item, else to the body."""
        parent = self._parents[-1] if self._parents else None
        item["parent"] = {"$ref": parent["self_ref"] if parent else _BODY}
        children = parent["children"] if parent else self.children_of_body
        children.append({"$ref": item["self_ref"]})


def _group(ref: str, *, name: str, label: str = "unspecified", layer: str = "body") -> dict[str, Any]:
    return {"self_ref": ref, "children": [], "content_layer": layer, "name": name, "label": label}


def _item(ref: str, label: str) -> dict[str, Any]:
    return {"self_ref": ref, "children": [], "content_layer": "body", "label": label, "prov": []}


def _cell(row: int, column: int, text: str, *, is_header: bool) -> dict[str, Any]:
    return {
        "row_span": 1,
        "col_span": 1,
        "start_row_offset_idx": row,
        "end_row_offset_idx": row + 1,
        "start_col_offset_idx": column,
        "end_col_offset_idx": column + 1,
        "text": text,
        "column_header": is_header,
        "row_header": False,
        "row_section": False,
    }
