"""Counts the parts of workbooks (xlsx, xlsm): cells by a scan of the bytes, the rest from small parts."""

from __future__ import annotations

import re

from octavo_contracts import PartKind

from .charts import chart_text
from .package import Package, attribute, link_target, relationship_id
from .parts import PartList
from .slides import drawn_text

_VALUE = re.compile(rb"<(?:\w+:)?(?:v|t)(?: [^<>]{0,200})?>[^<]")
"""A value, or a text inside a cell, that is not empty."""
_LINK = re.compile(rb"<(?:\w+:)?hyperlink [^<>]{1,4000}>")
_ID = re.compile(rb"\b\w+:id=[\"']([^\"']{1,200})[\"']")
_LOCATION = re.compile(rb"\blocation=[\"']([^\"']{1,200})[\"']")
"""A place in the target, which is stored apart from it."""

_THREADED = "[Threaded comment]"


def count(package: Package, parts: PartList) -> None:
    """Add the parts of a workbook, sheet by sheet.

    Raises:
        PackageError: the workbook is damaged or beyond a limit.
    """
    mains = package.related("", "officeDocument") or ["xl/workbook.xml"]
    relations = package.relations(mains[0])
    for number, sheet in enumerate(package.tree(mains[0]).iter("{*}sheet"), start=1):
        kind, part, _ = relations.get(relationship_id(sheet), ("", "", False))
        if package.has(part):
            _sheet(package, part, number, parts, is_grid=kind == "worksheet")


def _sheet(package: Package, part: str, number: int, parts: PartList, *, is_grid: bool) -> None:
    relations = package.relations(part)
    if is_grid:
        data = package.read(part)
        parts.add(PartKind.CELL, page=number, count=sum(1 for _ in _VALUE.finditer(data)))
        for link in _LINK.finditer(data):
            named = _ID.search(link[0])
            _, target, external = relations.get(named[1].decode("utf-8", "replace") if named else "", ("", "", False))
            if external:
                place = _LOCATION.search(link[0])
                fragment = place[1].decode("utf-8", "replace") if place else ""
                parts.add(PartKind.LINK, page=number, target=link_target(target, fragment))
    for comments in package.related(part, "comments"):
        for comment in package.tree(comments).iter("{*}comment"):
            text = drawn_text(comment)
            if text.startswith(_THREADED):
                # A copy for older programs: a notice, and the comment behind a label.
                text = text.partition("Comment:")[2]
            if text.strip():
                parts.add(PartKind.COMMENT, text, page=number)
    for drawing in package.related(part, "drawing"):
        root = package.tree(drawing)
        for shape in root.iter("{*}sp"):
            if (text := drawn_text(shape)).strip():
                parts.add(PartKind.TEXT_BOX, text, page=number)
        for picture in root.iter("{*}pic"):
            if described := attribute(next(picture.iter("{*}cNvPr"), None), "descr").strip():
                parts.add(PartKind.IMAGE, described, page=number)
        for chart in package.related(drawing, "chart"):
            parts.add(PartKind.CHART, chart_text(package.tree(chart)), page=number)
