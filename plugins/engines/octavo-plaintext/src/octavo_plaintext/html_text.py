"""Converts the HTML of mail bodies to markdown and separates hidden parts.

Mail lays itself out with nested tables, so cells are read one after the other; only a table with header cells
or a visible border becomes a pipe table.
"""

from __future__ import annotations

import re
from typing import NamedTuple
from urllib.parse import unquote

from octavo_contracts import HiddenText, Table
from octavo_contracts.authoring import markdown

from .html_hidden import take_hidden
from .html_tree import SILENT, Node, parse

_BLOCK_NAMES = (
    "html address article aside blockquote center dd div dl dt fieldset figure figcaption footer form h1 h2 h3 h4 h5 h6 "
    "header hr li main nav ol p pre section table tbody td tfoot th thead tr ul caption"
)
_BLOCKS = frozenset(_BLOCK_NAMES.split())
_MARKS = {"b": "**", "strong": "**", "i": "*", "em": "*", "del": "~~", "s": "~~", "strike": "~~"}
_LINKED = re.compile(r"^(?:https?:|mailto:|ftp:|tel:)", re.IGNORECASE)


class HtmlText(NamedTuple):
    """HTML read.

    Attributes:
        markdown: what a reader sees.
        tables: data tables, in order.
        hidden: what a reader does not see.
    """

    markdown: str
    tables: tuple[Table, ...]
    hidden: tuple[HiddenText, ...]


def html_to_markdown(text: str) -> HtmlText:
    """Convert the HTML of a mail; never fails.

    Args:
        text: the markup, decoded.
    """
    root = parse(text)
    hidden = take_hidden(root)
    writer = _Writer()
    blocks = writer.blocks(root)
    return HtmlText("\n\n".join(blocks), tuple(writer.tables), hidden)


def plain_text_of(text: str) -> str:
    """Return the text of HTML on one line, without its marks.

    Args:
        text: the markup, decoded.
    """
    return markdown.collapse(_raw_text(parse(text))).strip()


class _Writer:
    """One rendering: the tables met and the emphasis that is open."""

    def __init__(self) -> None:
        self.tables: list[Table] = []
        self._marks: set[str] = set()

    def blocks(self, node: Node) -> list[str]:
        """The blocks inside an element; loose text between blocks makes paragraphs."""
        found: list[str] = []
        loose: list[str] = []
        for child in node.children:
            if isinstance(child, str):
                loose.append(markdown.escape(markdown.collapse(child)))
            elif child.tag in SILENT:
                continue
            elif _holds_block(child):
                found += [*_paragraphs(loose), *self._block(child)]
                loose = []
            else:
                loose.append(self._inline(child))
        return [*found, *_paragraphs(loose)]

    def _block(self, node: Node) -> list[str]:
        match node.tag:
            case "h1" | "h2" | "h3" | "h4" | "h5" | "h6":
                text = " ".join(" ".join(self.blocks(node)).replace("\\\n", " ").split())
                return [f"{'#' * int(node.tag[1])} {text}"] if text else []
            case "ul" | "ol":
                return self._list(node)
            case "blockquote":
                inner = "\n\n".join(self.blocks(node))
                return ["\n".join(f"> {line}".rstrip() for line in inner.split("\n"))] if inner else []
            case "pre":
                text = _raw_text(node)
                return [markdown.fence(text)] if text.strip() else []
            case "hr":
                return ["---"]
            case "table":
                return self._table(node)
            case _:
                return self.blocks(node)

    def _inline(self, node: Node) -> str:
        if node.tag == "br":
            return "\\\n"
        if node.tag == "img":
            alt = markdown.collapse(node.attributes.get("alt", "")).strip() or _attached_picture(node)
            return f"[Image: {markdown.escape(alt)}]" if alt else ""
        if node.tag in {"code", "tt", "kbd", "samp"}:
            return markdown.code_span(_raw_text(node))
        mark = _MARKS.get(node.tag, "")
        opens = bool(mark) and mark not in self._marks
        self._marks |= {mark} if opens else set()
        inner = "".join(
            markdown.escape(markdown.collapse(child)) if isinstance(child, str) else self._inline(child)
            for child in node.children
            if isinstance(child, str) or child.tag not in SILENT
        )
        self._marks -= {mark} if opens else set()
        if node.tag == "a":
            return _link(node.attributes.get("href", "").strip(), inner)
        return markdown.wrap(inner, mark) if opens and "\n" not in inner else inner

    def _list(self, node: Node) -> list[str]:
        items: list[str] = []
        for child in node.children:
            item = Node("li", children=[child]) if isinstance(child, str) or child.tag != "li" else child
            blocks = self.blocks(item)
            if not blocks:
                continue
            marker = f"{len(items) + 1}. " if node.tag == "ol" else "- "
            text = blocks[0]
            for block in blocks[1:]:
                text += ("\n" if re.match(r"- |\d+\. ", block) else "\n\n") + block
            indent = " " * len(marker)
            items.append(marker + "\n".join(indent + line if line else line for line in text.split("\n")).lstrip(" "))
        return ["\n".join(items)] if items else []

    def _table(self, node: Node) -> list[str]:
        rows = [[cell for cell in _elements(row) if cell.tag in {"td", "th"}] for row in _rows(node)]
        headed = any(cell.tag == "th" for row in rows for cell in row)
        bordered = node.attributes.get("border", "0") not in {"", "0"}
        nested = any(_find(cell, "table") for row in rows for cell in row)
        if not (headed or bordered) or nested or max((len(row) for row in rows), default=0) < 2:
            return self.blocks(node)
        width = max(len(row) for row in rows)
        texts = [[" ".join(_raw_text(cell).split()) for cell in row] + [""] * (width - len(row)) for row in rows]
        self.tables.append(Table(rows=tuple(tuple(row) for row in texts), header_rows=1))
        shown = [[" ".join(self.blocks(cell)).replace("\\\n", " ") for cell in row] for row in rows]
        return [markdown.pipe_table(shown)]


def _holds_block(node: Node) -> bool:
    if node.tag in _BLOCKS:
        return True
    return any(
        not isinstance(child, str) and child.tag not in SILENT and _holds_block(child) for child in node.children
    )


def _attached_picture(node: Node) -> str:
    """The address of a picture that is attached to the mail: the caller knows its name."""
    source = node.attributes.get("src", "").strip()
    return unquote(source) if source.lower().startswith("cid:") else ""


def _link(url: str, label: str) -> str:
    """A link with its target; a label that is the target says it already."""
    text = label.strip()
    if (
        not text
        or "\n" in text
        or not _LINKED.match(url)
        or text.replace("\\", "") in {url, url.removeprefix("mailto:")}
    ):
        return label
    start = " " if label[:1].isspace() else ""
    return f"{start}{markdown.link(text, url)}{' ' if label[-1:].isspace() else ''}"


def _paragraphs(loose: list[str]) -> list[str]:
    """Paragraphs of loose inline text; two breaks in a row part them."""
    text = re.sub(r" *\n *", "\n", re.sub(r"[ \u00a0]+", " ", "".join(loose))).strip()
    parts = [part.strip().strip("\\").strip() for part in re.split(r"(?:\\\n){2,}", text)]
    return [markdown.escape_line_starts(re.sub(r"^(?:\\\n)+|(?:\\\n)+$", "", part)) for part in parts if part]


def _elements(node: Node) -> list[Node]:
    return [child for child in node.children if not isinstance(child, str)]


def _rows(table: Node) -> list[Node]:
    rows: list[Node] = []
    for child in _elements(table):
        rows += [child] if child.tag == "tr" else _rows(child) if child.tag in {"tbody", "thead", "tfoot"} else []
    return rows


def _find(node: Node, tag: str) -> bool:
    return any(child.tag == tag or _find(child, tag) for child in _elements(node))


def _raw_text(node: Node) -> str:
    pieces: list[str] = []
    for child in node.children:
        if isinstance(child, str):
            pieces.append(child)
        elif child.tag == "br":
            pieces.append("\n")
        elif child.tag not in SILENT:
            edge = " " if child.tag in _BLOCKS else ""
            pieces += [edge, _raw_text(child), edge]
    return "".join(pieces)
