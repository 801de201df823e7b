"""What Pandoc's reader of OpenDocument text passes over: sections, frames, rows in groups, lists in cells, hidden text, comments."""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping
from typing import TYPE_CHECKING

from octavo_contracts import HiddenText
from octavo_contracts.authoring.open_document_labels import item_labels
from octavo_contracts.authoring.open_document_visibility import Why, hiding_styles

from .cell_lists import CellLists
from .package import Package, parse_xml, xml_bytes
from .remarks import Remark
from .shown_labels import ShownLabels

if TYPE_CHECKING:
    from lxml.etree import _Element

_NS = "{urn:oasis:names:tc:opendocument:xmlns:%s:1.0}"
TEXT, TABLE, OFFICE, STYLE = (_NS % name for name in ("text", "table", "office", "style"))
CONTENT = "content.xml"
_STYLES = "styles.xml"
_PARAGRAPHS = (f"{TEXT}p", f"{TEXT}h")
_LIST = f"{TEXT}list"
_CELL = f"{TABLE}table-cell"
_BLANKS = (f"{TEXT}s", f"{TEXT}tab", f"{TEXT}line-break")
_SHAPES = tuple(
    f"{_NS % 'drawing'}{name}" for name in ("custom-shape", "rect", "ellipse", "caption", "polygon", "line", "path")
)
_SVG, _ADDRESS = _NS % "svg-compatible", "{http://www.w3.org/1999/xlink}href"
_TEXT_BOX, _FRAME = (f"{_NS % 'drawing'}{name}" for name in ("text-box", "frame"))
_CONTAINERS = tuple(
    f"{TEXT}{name}"
    for name in (
        "section", "numbered-paragraph", "bibliography", "alphabetical-index", "illustration-index", "table-index", "object-index",
        "user-index", "index-body", "index-title",
    )
) + tuple(f"{TABLE}{name}" for name in ("table-header-rows", "table-rows", "table-row-group"))  # fmt: skip
"""Elements without a look of their own. Pandoc reads none of them, with all that they hold."""
_CONTENTS = f"{TEXT}table-of-content"
"""A list of headings, which is left out: the headings stand in the text."""
_CONTROL = "{urn:org:documentfoundation:names:experimental:office:xmlns:loext:1.0}content-control"
_FIELDS = tuple(
    f"{TEXT}{name}"
    for name in (
        "date", "time", "text-input", "drop-down", "placeholder", "database-display", "expression", "user-defined", "user-field-get",
        "variable-set", "variable-get", "variable-input", "conditional-text", "file-name", "subject", "keywords", "description",
        "author-name", "author-initials", "creator", "initial-creator", "creation-date", "creation-time", "modification-date",
        "modification-time", "print-date", "sender-firstname", "sender-lastname", "sender-company", "sender-email", "sender-street",
        "sender-city", "sender-postal-code", "sender-country", "sender-phone-work", "sender-phone-private", "sender-title",
        "page-count", "word-count", "chapter", "title", "ruby", "ruby-base", "meta", "meta-field",
    )
)  # fmt: skip
_CHOICE = "{urn:org:documentfoundation:names:experimental:office:xmlns:loext:1.0}list-item"
_HEADING_STYLE = re.compile(r"^(?:Title|Heading_20_([1-6]))$")
_MOST_ANCESTORS = 20
"""Styles that a style may be based on in a row; a damaged file may hold a circle."""
_HIDDEN_FIELDS = (f"{TEXT}hidden-text", f"{TEXT}hidden-paragraph")


class Prepared:
    """An OpenDocument text as Pandoc should see it.

    Attributes:
        document: the file with its content put right.
        hidden: text that a reader cannot see, taken out.
        comments: the annotations, taken out.
        changes: what was deleted with changes tracked; insertions stand in the text and are not listed.
        cell_lists: the lists in cells, which stand at the end of the text; None if there are none.
        labels: the numbers of list items and headings.
        alternatives: alternative texts of pictures, by their address, in the order in which they are met.
    """

    def __init__(self, package: Package) -> None:
        content = package.get(CONTENT)
        root = parse_xml(content, part=CONTENT)
        styles = package.get(_STYLES)
        common = parse_xml(styles, part=_STYLES) if styles else None
        shown = item_labels(root, common)
        self.comments = _take_comments(root)
        self.changes = _take_deletions(root)
        self.hidden = _take_hidden(root, hiding_styles(root, common))
        _open_containers(root)
        _open_controls(root)
        _lift_shapes(root)
        _lift_pictures(root)
        _name_headings(root, common)
        end = root.find(f"{OFFICE}body/{OFFICE}text")
        self.cell_lists = CellLists(content, end=end, paragraph=f"{TEXT}p") if end is not None else None
        _flatten_cells(root, self.cell_lists)
        self.alternatives = _alternatives(root)
        self.labels = ShownLabels(content)
        _mark_labels(shown, self.labels)
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


def _take_hidden(root: _Element, styles: Mapping[str, Why]) -> tuple[HiddenText, ...]:
    found = []
    for element in list(root.iter(f"{TEXT}span", f"{TEXT}section", *_PARAGRAPHS, *_HIDDEN_FIELDS)):
        why = styles.get(element.get(f"{TEXT}style-name", ""))
        if why == "white" and next(element.iterancestors(_CELL), None) is not None:
            why = None  # cells may have a dark ground
        if element.get(f"{TEXT}display") == "none" or element.tag in _HIDDEN_FIELDS:
            why = "hidden_style"
        if why is None:
            continue
        text = _text(element) or element.get(f"{TEXT}string-value", "")
        if text.strip():
            found.append(HiddenText(text=text.strip(), why=why))
        _remove(element)
    return tuple(found)


def _open_containers(root: _Element) -> None:
    """Put what containers hold in their place, from the innermost outwards."""
    for container in reversed(list(root.iter(*_CONTAINERS))):
        parent = container.getparent()
        if parent is not None and next(container.iterancestors(_CONTENTS), None) is None:
            place = parent.index(container)
            parent[place : place + 1] = [child for child in container if isinstance(child.tag, str)]


def _open_controls(root: _Element) -> None:
    """Put the content of content controls and fields in their place: Pandoc drops them with all their content."""
    for control in list(root.iter(_CONTROL, *_FIELDS)):
        parent = control.getparent()
        if parent is None:
            continue
        for entry in control.findall(_CHOICE):
            _remove(entry)
        before, text = control.getprevious(), control.text or ""
        if before is not None:
            before.tail = (before.tail or "") + text
        else:
            parent.text = (parent.text or "") + text
        place = parent.index(control)
        children = list(control)
        if children:
            children[-1].tail = (children[-1].tail or "") + (control.tail or "")
        elif before is not None:
            before.tail = (before.tail or "") + (control.tail or "")
        else:
            parent.text = (parent.text or "") + (control.tail or "")
        parent[place : place + 1] = children


def _lift_shapes(root: _Element) -> None:
    """Put what drawn shapes and text boxes hold behind the paragraph that holds them: Pandoc reads pictures alone."""
    for shape in list(root.iter(*_SHAPES, _TEXT_BOX)):
        inside = _blocks_of(shape)
        if not inside:
            continue
        drawn = next(shape.iterancestors(_FRAME), shape) if shape.tag == _TEXT_BOX else shape
        host = next(drawn.iterancestors(*_PARAGRAPHS), drawn)
        for block in reversed(inside):
            block.tail = None
            host.addnext(block)
        _remove(drawn)


def _lift_pictures(root: _Element) -> None:
    """Put the pictures of links behind them: Pandoc reads text alone there."""
    for anchor in list(root.iter(f"{TEXT}a")):
        for frame in reversed(list(anchor.iter(_FRAME))):
            _remove(frame)
            frame.tail, anchor.tail = anchor.tail, None
            anchor.addnext(frame)


def _blocks_of(shape: _Element) -> list[_Element]:
    """The paragraphs, lists and tables of a shape, without those of shapes inside it."""
    if shape.tag == _TEXT_BOX:
        return [child for child in shape if isinstance(child.tag, str)]
    return [node for node in shape.iter(*_PARAGRAPHS) if next(node.iterancestors(*_SHAPES), None) is shape]


def _name_headings(root: _Element, common: _Element | None) -> None:
    """Make headings of the paragraphs whose style is "Title" or that of a heading."""
    levels = _heading_styles(root, common)
    for paragraph in root.iter(f"{TEXT}p"):
        level = levels.get(paragraph.get(f"{TEXT}style-name", ""))
        if level is not None and next(paragraph.iterancestors(_CELL), None) is None:
            paragraph.tag = f"{TEXT}h"
            paragraph.set(f"{TEXT}outline-level", str(level))


def _heading_styles(root: _Element, common: _Element | None) -> dict[str, int]:
    """Name of a paragraph style → level, for "Title", headings, and styles that are based on them."""
    known: dict[str, str] = {}
    for one in (common, root):
        for style in one.iter(f"{STYLE}style") if one is not None else ():
            if style.get(f"{STYLE}family") == "paragraph":
                known[style.get(f"{STYLE}name", "")] = style.get(f"{STYLE}parent-style-name", "")
    levels: dict[str, int] = {}
    for name in {"Title", *known, *(f"Heading_20_{level}" for level in range(1, 7))}:
        one_name = name
        for _ in range(_MOST_ANCESTORS):
            if found := _HEADING_STYLE.match(one_name):
                levels[name] = int(found[1] or 1)
                break
            one_name = known.get(one_name, "")
    return levels


def _flatten_cells(root: _Element, lists: CellLists | None) -> None:
    """Put the paragraphs of tables in lists and cells, and of lists in notes, in their place, and lists of cells behind the text.

    Pandoc would drop them.
    """
    for table in list(root.iter(f"{TABLE}table")):
        if next(table.iterancestors(f"{TEXT}list-item"), None) is not None:
            for paragraph in _outer_paragraphs(table):
                table.addprevious(paragraph)
            _remove(table)
    places = (_CELL, f"{TEXT}note-body")
    for place in list(root.iter(*places)):
        if next(place.iterancestors(*places), None) is not None:
            continue
        if all(child.tag in _PARAGRAPHS for child in place):
            continue
        content = _outer_paragraphs(place, kept=(_LIST,) if place.tag == _CELL and lists is not None else ())
        for child in list(place):
            place.remove(child)
        if lists is not None and any(one.tag == _LIST for one in content):
            lists.take(place, content)
        else:
            place.extend(content)


def _alternatives(root: _Element) -> dict[str, list[str]]:
    found: dict[str, list[str]] = {}
    for frame in root.iter(_FRAME):
        image = frame.find(f"{_NS % 'drawing'}image")
        if image is not None:
            told = (frame.findtext(f"{_SVG}{name}") for name in ("desc", "title"))
            found.setdefault(image.get(_ADDRESS, ""), []).append(next(filter(None, told), ""))
    return found


def _mark_labels(shown: Mapping[_Element, str], labels: ShownLabels) -> None:
    """Begin each heading with a number, and each list item that is still one, with the mark of its label."""
    for element, label in shown.items():
        paragraph = element if element.tag == f"{TEXT}h" else next(iter(element), None)
        if paragraph is None or paragraph.tag not in _PARAGRAPHS or element.getparent() is None:
            continue  # taken out, or put elsewhere
        paragraph.text = f"{labels.mark(label)} {paragraph.text or ''}"


def _outer_paragraphs(element: _Element, *, kept: Collection[str] = ()) -> list[_Element]:
    """The paragraphs in an element that are in no other paragraph of it, and the elements to be kept whole, by their tags."""
    found: list[_Element] = []
    for child in element:
        if child.tag in _PARAGRAPHS or child.tag in kept:
            found.append(child)
        elif isinstance(child.tag, str):
            found += _outer_paragraphs(child, kept=kept)
    return found
