"""Counts the parts of Word documents (docx, docm)."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

from octavo_contracts import PartKind

from .charts import chart_text
from .package import Package, PackageError, attribute, link_target, local, relationship_id
from .parts import PartList

if TYPE_CHECKING:
    from lxml.etree import _Element

_HEADING_NAME = re.compile(r"(?:heading|überschrift|titre) ?(\d)$|title$")
_CODE_NAME = re.compile(r"(?:source ?code|code|html preformatted|preformatted text|verbatim)$")
_QUOTE_NAME = re.compile(r"(?:intense quote|quote|block ?text|quotations?)$")
_FIELD_LINK = re.compile(r'\s*HYPERLINK\s+"([^"]+)"')
_MAX_CHAIN = 12
_CUTS = ("{*}oMath", "{*}footnoteReference", "{*}endnoteReference", "{*}drawing", "{*}pict")


@dataclass(frozen=True, kw_only=True)
class _Style:
    name: str
    based_on: str
    level: int | None
    is_list: bool


def count(package: Package, parts: PartList) -> None:
    """Add the parts of a document.

    Raises:
        PackageError: the document is damaged or beyond a limit.
    """
    mains = package.related("", "officeDocument") or ["word/document.xml"]
    main = mains[0]
    root = package.tree(main)
    styles = _styles(package, main)
    for paragraph in root.iter("{*}p"):
        if _is_word(paragraph):
            _paragraph(paragraph, styles, parts)
    _tables(root, parts)
    _links(root, package, main, parts)
    _drawings(root, package, main, parts)
    for equation in root.iter("{*}oMath"):
        if next(equation.iterancestors("{*}oMath"), None) is None:
            parts.add(PartKind.EQUATION, "".join(node.text or "" for node in equation.iter("{*}t")))
    _changes(root, parts)
    for kind, tag in (("footnotes", "footnote"), ("endnotes", "endnote")):
        for part in package.related(main, kind):
            for note in package.tree(part).iter(f"{{*}}{tag}"):
                if attribute(note, "type") in ("", "normal") and (text := _text(note)).strip():
                    parts.add(PartKind.NOTE, text)
    for part in package.related(main, "comments"):
        for comment in package.tree(part).iter("{*}comment"):
            if (text := _text(comment)).strip():
                parts.add(PartKind.COMMENT, text)


def _is_word(paragraph: _Element) -> bool:
    return "wordprocessingml" in str(paragraph.tag)


def _styles(package: Package, main: str) -> dict[str, _Style]:
    found = {}
    for part in package.related(main, "styles")[:1]:
        for style in package.tree(part).iter("{*}style"):
            found[attribute(style, "styleId")] = _Style(
                name=attribute(style.find("{*}name"), "val").lower(),
                based_on=attribute(style.find("{*}basedOn"), "val"),
                level=_outline(style.find("{*}pPr")),
                is_list=_numbered(style.find("{*}pPr")) is not None,
            )
    return found


def _outline(properties: _Element | None) -> int | None:
    value = attribute(properties.find("{*}outlineLvl"), "val") if properties is not None else ""
    return int(value) + 1 if value.isdigit() and int(value) < 6 else None  # markdown has six levels


def _numbered(properties: _Element | None) -> int | None:
    """Return the level of a numbered or bulleted paragraph, from 1; None for any other."""
    number = properties.find("{*}numPr") if properties is not None else None
    if number is None or attribute(number.find("{*}numId"), "val") in ("", "0"):
        return None
    level = attribute(number.find("{*}ilvl"), "val")
    return int(level) + 1 if level.isdigit() else 1


def _chain(name: str, styles: dict[str, _Style]) -> Iterator[_Style]:
    for _ in range(_MAX_CHAIN):
        style = styles.get(name)
        if style is None:
            return
        yield style
        name = style.based_on


def _paragraph(paragraph: _Element, styles: dict[str, _Style], parts: PartList) -> None:
    text = _text(paragraph)
    if not text.strip():
        return
    properties = paragraph.find("{*}pPr")
    chain = list(_chain(attribute(properties.find("{*}pStyle"), "val") if properties is not None else "", styles))
    in_table = next(paragraph.iterancestors("{*}tc"), None) is not None
    in_box = next(paragraph.iterancestors("{*}txbxContent"), None) is not None
    if in_table or in_box:
        return  # markdown has no headings and lists in cells; text boxes are searched for as a whole
    level = _outline(properties)
    for style in chain:
        named = _HEADING_NAME.match(style.name)
        if named:
            level = level or int(named[1] or 1)
        level = level or style.level
    if level is not None:
        parts.add(PartKind.HEADING, text, level=level)
        return
    names = [style.name for style in chain]
    if any(_CODE_NAME.match(name) for name in names):
        parts.add(PartKind.CODE_BLOCK, text)
    elif any(_QUOTE_NAME.match(name) for name in names):
        parts.add(PartKind.QUOTE, text)
    else:
        listed = _numbered(properties)
        is_off = properties is not None and attribute(properties.find("{*}numPr/{*}numId"), "val") == "0"
        if listed is None and not is_off and any(style.is_list for style in chain):
            listed = 1
        if listed is not None:
            parts.add(PartKind.LIST_ITEM, text, level=listed)


def _text(element: _Element) -> str:
    """Return the visible text of a part of a document: without deleted and hidden text and text boxes.

    Of a text with formulas or references to notes, which each converter writes in its own way, the longest piece between
    them is returned.
    """
    pieces = []
    for node in element.iter("{*}t", "{*}tab", "{*}br", "{*}p", *_CUTS):
        name = local(node)
        if name != "t":
            pieces.append(" " if name in ("tab", "br", "p") else "\0")
        elif "wordprocessingml" in str(node.tag) and not _is_apart(node, element):
            pieces.append(node.text or "")
    return max("".join(pieces).split("\0"), key=len)


def _is_apart(node: _Element, top: _Element) -> bool:
    for ancestor in node.iterancestors():
        if ancestor is top:
            return False
        name = local(ancestor)
        if name in ("moveFrom", "del", "txbxContent"):
            return True
        if name == "r" and (vanish := ancestor.find("{*}rPr/{*}vanish")) is not None:
            return attribute(vanish, "val") not in ("0", "false", "off")
    return False


def _tables(root: _Element, parts: PartList) -> None:
    for table in root.iter("{*}tbl"):
        cells = [_text(cell).strip() for cell in table.iterfind("{*}tr/{*}tc")]
        full = sum(map(bool, cells))
        if full > 1:  # a frame around one text is no table
            first = table.find("{*}tr")
            parts.add(PartKind.TABLE, "" if first is None else _text(first))
            parts.add(PartKind.CELL, count=full)


def _links(root: _Element, package: Package, main: str, parts: PartList) -> None:
    relations = package.relations(main)
    for link in root.iter("{*}hyperlink"):
        _, target, external = relations.get(relationship_id(link), ("", "", False))
        if external and _text(link).strip():
            parts.add(PartKind.LINK, _text(link), target=link_target(target, attribute(link, "anchor")))
    for code in root.iter("{*}instrText"):
        if found := _FIELD_LINK.match(code.text or ""):
            parts.add(PartKind.LINK, target=found[1])


def _drawings(root: _Element, package: Package, main: str, parts: PartList) -> None:
    relations = package.relations(main)
    for box in root.iter("{*}txbxContent"):
        if next(box.iterancestors("{*}txbxContent"), None) is None and (text := _text(box)).strip():
            parts.add(PartKind.TEXT_BOX, text)
    for picture in root.iter("{*}docPr"):
        drawing, described = picture.getparent(), picture.get("descr", "").strip()
        if drawing is not None and described and next(drawing.iter("{*}blip"), None) is not None:
            parts.add(PartKind.IMAGE, described)
    for chart in root.iter("{*}chart"):
        _, target, _ = relations.get(relationship_id(chart), ("", "", False))
        if package.has(target):
            try:
                parts.add(PartKind.CHART, chart_text(package.tree(target)))
            except PackageError:
                parts.add(PartKind.CHART)


def _changes(root: _Element, parts: PartList) -> None:
    for change in root.iter("{*}ins", "{*}moveTo", "{*}del", "{*}moveFrom"):
        if "wordprocessingml" not in str(change.tag):
            continue
        deleted = local(change) in ("del", "moveFrom")
        tags = ("{*}delText", "{*}t") if deleted else ("{*}t",)
        text = "".join(node.text or "" for node in change.iter(*tags))
        if text.strip():
            parts.add(PartKind.CHANGE, text)
