"""Counts the parts of workbooks (xlsx, xlsm): cells by a scan of the bytes, the rest from small parts."""

from __future__ import annotations

import re

from octavo_contracts import PartKind

from .charts import chart_text
from .package import Package, PackageError, attribute, link_target, parse_xml, relationship_id
from .parts import PartList
from .slides import drawn_text

_VALUE = re.compile(rb"<(?:\w+:)?v(?: [^<>]{0,200})?>[^<]")
"""A value that is not empty; of a text that cells share, it is the number."""
_OWN_TEXT = re.compile(rb"<(?:\w+:)?is>((?:(?!</(?:\w+:)?is>).){0,100000})", re.DOTALL)
"""The text of a cell that shares it with no other, in one run or in several."""
_SHARED = re.compile(rb"<(?:\w+:)?c(?= )[^<>]{0,400}\bt=[\"']s[\"'][^<>]{0,400}>\s*<(?:\w+:)?v>\s*(\d{1,9})\s*<")
_TEXT = re.compile(rb"<(?:\w+:)?t(?: [^<>]{0,200})?>\s{0,1000}[^<\s]")
_BLANK = re.compile(rb"<(?:\w+:)?(?:si|t)(?: [^<>]{0,200})?(?:/>|>\s{0,1000}</)")
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
    blank = _blank_texts(package, mains[0])
    for number, sheet in enumerate(package.tree(mains[0]).iter("{*}sheet"), start=1):
        kind, part, _ = relations.get(relationship_id(sheet), ("", "", False))
        if package.has(part):
            if kind == "worksheet":
                _cells(package, part, number, parts, blank)
            _drawn(package, part, number, parts)


def _blank_texts(package: Package, main: str) -> frozenset[bytes]:
    """The numbers of the shared texts that show nothing: a cell that names one of them looks empty."""
    blank = set()
    for part in package.related(main, "sharedStrings"):
        try:
            # Parsed only where it is worth it: there may be a million texts.
            data = package.read(part)
            texts = parse_xml(data).iter("{*}si") if _BLANK.search(data) else ()
        except PackageError:  # the cells are counted all the same
            return frozenset()
        for number, text in enumerate(texts):
            if not any((run.text or "").strip() for run in text.iter("{*}t")):
                blank.add(str(number).encode())
    return frozenset(blank)


def _cells(package: Package, part: str, number: int, parts: PartList, blank: frozenset[bytes]) -> None:
    relations = package.relations(part)
    data = package.read(part)
    count = sum(1 for _ in _VALUE.finditer(data))
    count += sum(1 for text in _OWN_TEXT.finditer(data) if _TEXT.search(text[1]))
    if blank:
        count -= sum(1 for cell in _SHARED.finditer(data) if cell[1] in blank)
    parts.add(PartKind.CELL, page=number, count=count)
    for link in _LINK.finditer(data):
        named = _ID.search(link[0])
        _, target, external = relations.get(named[1].decode("utf-8", "replace") if named else "", ("", "", False))
        if external:
            place = _LOCATION.search(link[0])
            fragment = place[1].decode("utf-8", "replace") if place else ""
            parts.add(PartKind.LINK, page=number, target=link_target(target, fragment))


def _drawn(package: Package, part: str, number: int, parts: PartList) -> None:
    threads = package.related(part, "threadedComment")
    for thread in threads:
        for element in package.tree(thread).iter("{*}threadedComment"):
            if (text := "".join(map(str, element.itertext()))).strip():
                parts.add(PartKind.COMMENT, text, page=number)
    for comments in package.related(part, "comments"):
        for comment in package.tree(comments).iter("{*}comment"):
            text = drawn_text(comment)
            if text.startswith(_THREADED):
                # A copy for older programs: a notice, and the comment behind a label. Its replies stand in the copy too.
                text = "" if threads else text.partition("Comment:")[2]
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
