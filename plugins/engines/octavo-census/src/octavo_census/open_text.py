"""Counts the parts of OpenDocument texts (odt)."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from octavo_contracts import PartKind

from .package import Package, PackageError, attribute, local
from .parts import PartList

if TYPE_CHECKING:
    from lxml.etree import _Element

_APART = ("note", "annotation", "tracked-changes", "text-box", "table")


def count(package: Package, parts: PartList) -> None:
    """Add the parts of a document.

    Raises:
        PackageError: the document is damaged or beyond a limit.
    """
    root = package.tree("content.xml")
    body = root.find("{*}body")
    if body is None:
        raise PackageError("the document has no body")
    parents = _parent_styles(root, package)
    for element in body.iter("{*}h", "{*}p"):
        _paragraph(element, parents, parts)
    for table in body.iter("{*}table"):
        cells = [cell for cell in table.iter("{*}table-cell") if _text(cell).strip()]
        if len(cells) > 1:
            first = next(table.iter("{*}table-row"), None)
            parts.add(PartKind.TABLE, "" if first is None else _text(first))
            parts.add(PartKind.CELL, count=len(cells))
    for link in body.iter("{*}a"):
        target = attribute(link, "href")
        if "://" in target or target.startswith("mailto:"):
            parts.add(PartKind.LINK, _text(link), target=target)
    for kind, tag in ((PartKind.NOTE, "note-body"), (PartKind.COMMENT, "annotation"), (PartKind.TEXT_BOX, "text-box")):
        for element in body.iter(f"{{*}}{tag}"):
            text = " ".join(_text(one) for one in element.iter("{*}p", "{*}h"))
            if text.strip() and not _is_caption_box(element, kind):
                parts.add(kind, text)
    for region in body.iter("{*}changed-region"):
        for deleted in region.iter("{*}deletion"):
            if (text := " ".join(_text(one) for one in deleted.iter("{*}p", "{*}h"))).strip():
                parts.add(PartKind.CHANGE, text)
    for picture in body.iter("{*}frame"):
        described = picture.findtext("{*}desc") or picture.findtext("{*}title") or ""
        if picture.find("{*}image") is not None and described.strip():
            parts.add(PartKind.IMAGE, described)
    _objects(body, package, parts)


def _is_caption_box(element: _Element, kind: PartKind) -> bool:
    """Return whether a text box holds a picture with its caption, as the word processor makes them."""
    return kind is PartKind.TEXT_BOX and next(element.iter("{*}image"), None) is not None


def _parent_styles(root: _Element, package: Package) -> dict[str, str]:
    styles = {attribute(one, "name"): attribute(one, "parent-style-name") for one in root.iter("{*}style")}
    if package.has("styles.xml"):
        for one in package.tree("styles.xml").iter("{*}style"):
            styles.setdefault(attribute(one, "name"), attribute(one, "parent-style-name"))
    return styles


def _paragraph(element: _Element, parents: dict[str, str], parts: PartList) -> None:
    text = _text(element)
    ancestors = [local(one) for one in element.iterancestors()]
    if not text.strip() or any(name in _APART for name in ancestors):
        return
    style = attribute(element, "style-name")
    names = {style, parents.get(style, "")}
    if local(element) == "h" or "Title" in names:
        level = attribute(element, "outline-level")
        parts.add(PartKind.HEADING, text, level=int(level) if level.isdigit() and level != "0" else 1)
    elif "list-item" in ancestors:
        is_first = element.getparent() is not None and element.getprevious() is None
        if is_first:
            parts.add(PartKind.LIST_ITEM, text, level=ancestors.count("list-item"))
    elif any(re.match("Quotations|Quote", name) for name in names):
        parts.add(PartKind.QUOTE, text)
    elif any(name.startswith("Preformatted") for name in names):
        parts.add(PartKind.CODE_BLOCK, text)


def _objects(body: _Element, package: Package, parts: PartList) -> None:
    for holder in body.iter("{*}object"):
        inside = next((one for one in holder if local(one) == "math"), None)
        name = attribute(holder, "href").removeprefix("./")
        if inside is None and package.has(f"{name}/content.xml"):
            try:
                inside = package.tree(f"{name}/content.xml")
            except PackageError:
                continue
        if inside is None:
            continue
        if local(inside) == "math":
            parts.add(PartKind.EQUATION)
        elif next(inside.iter("{*}chart"), None) is not None:
            cells = (one for one in inside.iter("{*}p") if (one.text or "").strip())
            first = next(cells, None)
            parts.add(PartKind.CHART, "" if first is None else first.text or "")


def _text(element: _Element) -> str:
    """Return an element's own text: without notes, comments and text boxes inside it.

    Where a formula, a picture or a note interrupts the text, markdown has something of its own: the longest piece between
    them is returned.
    """
    pieces: list[str] = []

    def walk(one: _Element) -> None:
        pieces.append(one.text or "")
        for child in one:
            name = local(child)
            if name in ("s", "tab", "line-break", "p"):
                pieces.append(" ")
            if name and name not in _APART and name != "frame":
                walk(child)
            elif name:
                pieces.append("\0")
            pieces.append(child.tail or "")

    walk(element)
    return max("".join(pieces).split("\0"), key=len)
