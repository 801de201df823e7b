"""What Pandoc's reader of OpenDocument text passes over: lists and tables inside cells, hidden text, comments."""

from __future__ import annotations

from typing import TYPE_CHECKING

from octavo_contracts import HiddenText

from .package import Package, parse_xml, xml_bytes
from .remarks import Remark

if TYPE_CHECKING:
    from lxml.etree import _Element

_NS = "{urn:oasis:names:tc:opendocument:xmlns:%s:1.0}"
TEXT, TABLE, OFFICE, STYLE = (_NS % name for name in ("text", "table", "office", "style"))
CONTENT = "content.xml"
_PARAGRAPHS = (f"{TEXT}p", f"{TEXT}h")
_BLANKS = (f"{TEXT}s", f"{TEXT}tab", f"{TEXT}line-break")
_HIDDEN_FIELDS = (f"{TEXT}hidden-text", f"{TEXT}hidden-paragraph")


class Prepared:
    """An OpenDocument text as Pandoc should see it.

    Attributes:
        document: the file with its content put right.
        hidden: text that a reader cannot see, taken out.
        comments: the annotations, taken out.
        changes: what was deleted with changes tracked; insertions stand in the text and are not listed.
    """

    def __init__(self, package: Package) -> None:
        root = parse_xml(package.get(CONTENT), part=CONTENT)
        self.comments = _take_comments(root)
        self.changes = _take_deletions(root)
        self.hidden = _take_hidden(root, _hiding_styles(root, package))
        _flatten_cells(root)
        self.document = package.rewritten({CONTENT: xml_bytes(root)})


def _text(element: _Element) -> str:
    """Its text; tabs and line breaks are elements, which count as blanks."""
    pieces: list[str] = []
    for node in element.iter():
        if node.tag in _BLANKS or (node.tag in _PARAGRAPHS and pieces):
            pieces.append(" ")
        pieces.append(node.text or "")
        if node is not element:
            pieces.append(node.tail or "")
    return "".join(pieces)


def _remove(element: _Element) -> None:
    """Take an element out; the text behind it stays."""
    parent = element.getparent()
    if parent is None:
        return
    before = element.getprevious()
    tail = element.tail or ""
    if before is not None:
        before.tail = (before.tail or "") + tail
    else:
        parent.text = (parent.text or "") + tail
    parent.remove(element)


def _remark(kind: str, element: _Element, text: str) -> Remark:
    author = next((node.text or "" for node in element.iter("{http://purl.org/dc/elements/1.1/}creator")), "")
    date = next((node.text or "" for node in element.iter("{http://purl.org/dc/elements/1.1/}date")), "")
    return Remark(kind=kind, author=author, date=date[:10], text=text)


def _take_comments(root: _Element) -> list[Remark]:
    comments = []
    for element in list(root.iter(f"{OFFICE}annotation")):
        text = " ".join(_text(node) for node in element.iter(f"{TEXT}p"))
        if text.strip():
            comments.append(_remark("Comment", element, text))
        _remove(element)
    return comments


def _take_deletions(root: _Element) -> list[Remark]:
    deletions = []
    for tracked in list(root.iter(f"{TEXT}tracked-changes")):
        for element in tracked.iter(f"{TEXT}deletion"):
            text = " ".join(_text(node) for node in element.iter(*_PARAGRAPHS))
            if text.strip():
                deletions.append(_remark("Deleted", element, text))
        _remove(tracked)
    return deletions


def _hiding_styles(root: _Element, package: Package) -> frozenset[str]:
    """Names of the styles with `text:display="none"`, of the content and of the document."""
    roots = [root]
    if data := package.get("styles.xml"):
        roots.append(parse_xml(data, part="styles.xml"))
    return frozenset(
        style.get(f"{STYLE}name", "")
        for one in roots
        for style in one.iter(f"{STYLE}style")
        for properties in style.iter(f"{STYLE}text-properties")
        if properties.get(f"{TEXT}display") == "none"
    )


def _take_hidden(root: _Element, styles: frozenset[str]) -> tuple[HiddenText, ...]:
    found = []
    for element in list(root.iter(f"{TEXT}span", *_PARAGRAPHS, *_HIDDEN_FIELDS)):
        by_style = element.get(f"{TEXT}style-name", "") in styles
        if not by_style and element.tag not in _HIDDEN_FIELDS:
            continue
        text = _text(element) or element.get(f"{TEXT}string-value", "")
        if text.strip():
            found.append(HiddenText(text=text.strip(), why="hidden_style"))
        _remove(element)
    return tuple(found)


def _flatten_cells(root: _Element) -> None:
    """Put the paragraphs of lists and tables inside a cell right into the cell: Pandoc would drop them."""
    for cell in list(root.iter(f"{TABLE}table-cell")):
        if next(cell.iterancestors(f"{TABLE}table-cell"), None) is not None:
            continue
        if all(child.tag in _PARAGRAPHS for child in cell):
            continue
        paragraphs = [node for node in cell.iter(*_PARAGRAPHS) if next(node.iterancestors(*_PARAGRAPHS), None) is None]
        for child in list(cell):
            cell.remove(child)
        cell.extend(paragraphs)
