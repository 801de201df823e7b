"""Counts the parts of presentations (pptx, pptm)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from octavo_contracts import PartKind

from .charts import chart_text
from .package import Package, PackageError, attribute, local, relationship_id
from .parts import PartList

if TYPE_CHECKING:
    from lxml.etree import _Element

_TITLES = ("title", "ctrTitle")
_OUTLINES = ("", "body", "obj")
"""Kinds of placeholders whose paragraphs have bullets unless they say otherwise."""


def count(package: Package, parts: PartList) -> None:
    """Add the parts of a presentation, slide by slide.

    Raises:
        PackageError: the presentation is damaged or beyond a limit.
    """
    mains = package.related("", "officeDocument") or ["ppt/presentation.xml"]
    relations = package.relations(mains[0])
    for number, entry in enumerate(package.tree(mains[0]).iter("{*}sldId"), start=1):
        _, target, _ = relations.get(relationship_id(entry), ("", "", False))
        if package.has(target):
            _slide(package, target, number, parts)


def _slide(package: Package, part: str, number: int, parts: PartList) -> None:
    root = package.tree(part)
    relations = package.relations(part)
    bare = {
        _index(shape)
        for layout in package.related(part, "slideLayout")
        for shape in package.tree(layout).iter("{*}sp")
        if shape.find("{*}txBody/{*}lstStyle/{*}lvl1pPr/{*}buNone") is not None
    }
    for shape in root.iter("{*}sp"):
        _shape(shape, number, parts, has_bullets=_placeholder(shape) in _OUTLINES and _index(shape) not in bare)
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
            if _placeholder(shape) == "body" and (text := drawn_text(shape)).strip():
                parts.add(PartKind.NOTE, text, page=number)
    for comments in package.related(part, "comments"):
        for comment in package.tree(comments).iter("{*}cm"):
            if (text := comment.findtext("{*}text") or "").strip():
                parts.add(PartKind.COMMENT, text, page=number)


def _shape(shape: _Element, number: int, parts: PartList, *, has_bullets: bool) -> None:
    text = drawn_text(shape)
    properties = shape.find("{*}nvSpPr/{*}cNvPr")
    if not text.strip() or (properties is not None and properties.get("hidden") in ("1", "true")):
        return
    kind = _placeholder(shape)
    if kind in _TITLES:
        parts.add(PartKind.HEADING, text, page=number, level=1)
        return
    if kind is None:
        parts.add(PartKind.TEXT_BOX, text, page=number)
    for paragraph in shape.iterfind("{*}txBody/{*}p"):
        words = drawn_text(paragraph)
        if words.strip() and _is_bulleted(paragraph, by_default=has_bullets):
            level = attribute(paragraph.find("{*}pPr"), "lvl")
            parts.add(PartKind.LIST_ITEM, words, page=number, level=int(level) + 1 if level.isdigit() else 1)


def _placeholder(shape: _Element) -> str | None:
    """Return the kind of a shape's placeholder, '' for the default kind; None for a shape that is no placeholder."""
    holder = shape.find("{*}nvSpPr/{*}nvPr/{*}ph")
    return None if holder is None else holder.get("type", "")


def _index(shape: _Element) -> str:
    holder = shape.find("{*}nvSpPr/{*}nvPr/{*}ph")
    return "" if holder is None else holder.get("idx", "0")


def _is_bulleted(paragraph: _Element, *, by_default: bool) -> bool:
    properties = paragraph.find("{*}pPr")
    if properties is not None:
        if properties.find("{*}buNone") is not None:
            return False
        if properties.find("{*}buChar") is not None or properties.find("{*}buAutoNum") is not None:
            return True
    return by_default


def drawn_text(element: _Element) -> str:
    """Return the text of a shape or a part of one."""
    pieces = []
    for node in element.iter("{*}t", "{*}br", "{*}p"):
        pieces.append((node.text or "") if local(node) == "t" else " ")
    return "".join(pieces)
