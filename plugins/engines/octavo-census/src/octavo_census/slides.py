"""Counts the parts of presentations (pptx, pptm)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from octavo_contracts import PartKind

from .charts import chart_text
from .package import Package, PackageError, attribute, local, relationship_id
from .parts import PartList
from .slide_lists import SlideLists, level_of, placeholder

if TYPE_CHECKING:
    from lxml.etree import _Element

_TITLES = ("title", "ctrTitle")


def count(package: Package, parts: PartList) -> None:
    """Add the parts of a presentation, slide by slide.

    Raises:
        PackageError: the presentation is damaged or beyond a limit.
    """
    mains = package.related("", "officeDocument") or ["ppt/presentation.xml"]
    relations = package.relations(mains[0])
    lists = SlideLists(package)
    for number, entry in enumerate(package.tree(mains[0]).iter("{*}sldId"), start=1):
        _, target, _ = relations.get(relationship_id(entry), ("", "", False))
        if package.has(target):
            _slide(package, target, number, parts, lists)


def _slide(package: Package, part: str, number: int, parts: PartList, lists: SlideLists) -> None:
    root = package.tree(part)
    relations = package.relations(part)
    for shape in root.iter("{*}sp"):
        for item in _shape(shape, number, parts):
            if lists.is_item(item, shape, part):
                parts.add(PartKind.LIST_ITEM, drawn_text(item), page=number, level=level_of(item))
    for table in root.iter("{*}tbl"):
        cells = [drawn_text(cell).strip() for cell in table.iter("{*}tc")]
        first = table.find("{*}tr")
        parts.add(PartKind.TABLE, "" if first is None else drawn_text(first), page=number)
        parts.add(PartKind.CELL, page=number, count=sum(map(bool, cells)))
    for link in root.iter("{*}hlinkClick"):
        _, target, external = relations.get(relationship_id(link), ("", "", False))
        run = link.getparent()
        holder = run.getparent() if run is not None else None
        if external and holder is not None and local(holder) == "r":
            parts.add(PartKind.LINK, drawn_text(holder), page=number, target=target)
    for picture in root.iter("{*}pic"):
        if described := attribute(picture.find("{*}nvPicPr/{*}cNvPr"), "descr").strip():
            parts.add(PartKind.IMAGE, described, page=number)
    for chart in root.iter("{*}chart"):
        _, target, _ = relations.get(relationship_id(chart), ("", "", False))
        if package.has(target):
            try:
                parts.add(PartKind.CHART, chart_text(package.tree(target)), page=number)
            except PackageError:
                parts.add(PartKind.CHART, page=number)
    for equation in root.iter("{*}oMath"):
        parts.add(PartKind.EQUATION, drawn_text(equation), page=number)
    for notes in package.related(part, "notesSlide"):
        for shape in package.tree(notes).iter("{*}sp"):
            if placeholder(shape) == "body" and (text := drawn_text(shape)).strip():
                parts.add(PartKind.NOTE, text, page=number)
    for comments in package.related(part, "comments"):
        for comment in package.tree(comments).iter("{*}cm"):
            if (text := comment.findtext("{*}text") or "").strip():
                parts.add(PartKind.COMMENT, text, page=number)


def _shape(shape: _Element, number: int, parts: PartList) -> list[_Element]:
    """Add a shape's heading or box; return its paragraphs that may be items of a list."""
    text = drawn_text(shape)
    properties = shape.find("{*}nvSpPr/{*}cNvPr")
    if not text.strip() or (properties is not None and properties.get("hidden") in ("1", "true")):
        return []
    kind = placeholder(shape)
    if kind in _TITLES:
        parts.add(PartKind.HEADING, text, page=number, level=1)
        return []
    if kind is None:
        parts.add(PartKind.TEXT_BOX, text, page=number)
    return [paragraph for paragraph in shape.iterfind("{*}txBody/{*}p") if drawn_text(paragraph).strip()]


def drawn_text(element: _Element) -> str:
    """Return the text of a shape or a part of one."""
    pieces = []
    for node in element.iter("{*}t", "{*}br", "{*}p"):
        pieces.append((node.text or "") if local(node) == "t" else " ")
    return "".join(pieces)
