"""Reads the drawings and comments of xlsx sheets (ECMA-376, 18.7 and 20.5), which the engine does not return."""

from __future__ import annotations

from collections.abc import Iterator
from xml.etree.ElementTree import Element

from octavo_contracts import HiddenText
from octavo_contracts.authoring.charts import CX, A, C

from .drawings import Comment, Drawn, joined
from .package import Package, local, parse_tree, related

_DRAWING = "{http://schemas.openxmlformats.org/drawingml/2006/spreadsheetDrawing}"
_MAIN = "{http://schemas.openxmlformats.org/spreadsheetml/2006/main}"
_ID = "{http://schemas.openxmlformats.org/officeDocument/2006/relationships}id"
_FALLBACK = "{http://schemas.openxmlformats.org/markup-compatibility/2006}Fallback"
_THREADED = "[Threaded comment]"
"""How the copy of a threaded comment begins that is stored for older programs."""


def read_drawn(package: Package, sheet: str) -> Drawn:
    """Read what a sheet shows beside its cells.

    Args:
        package: the container.
        sheet: name of the sheet's part.

    Raises:
        SourceCorrupt: a part is not well-formed.
    """
    drawn = Drawn()
    parts = list(related(package, sheet).values())
    for kind, part in parts:
        if kind == "drawing" and part in package:
            _read_drawing(package, part, drawn)
    threads = [part for kind, part in parts if kind == "threadedcomment" and part in package]
    people = _people(package) if threads else {}
    for part in threads:
        drawn.comments += _threaded(parse_tree(package.read(part), part=part), people)
    for kind, part in parts:
        if kind == "comments" and part in package:
            noted = _comments(parse_tree(package.read(part), part=part))
            drawn.comments += [one for one in noted if not (threads and one.text.startswith(_THREADED))]
    return drawn


def _read_drawing(package: Package, part: str, drawn: Drawn) -> None:
    targets = related(package, part)
    for element in _shown(parse_tree(package.read(part), part=part)):
        if element.tag == f"{_DRAWING}sp":
            _read_shape(element, drawn)
        elif element.tag == f"{_DRAWING}pic":
            properties = next(element.iter(f"{_DRAWING}cNvPr"), None)
            if properties is not None and (described := joined([properties.get("descr", "")])):
                drawn.pictures.append(described)
        elif element.tag in (f"{C}chart", f"{CX}chart"):
            _, target = targets.get(element.get(_ID, ""), ("", ""))
            if target in package:
                drawn.charts.append(parse_tree(package.read(target), part=target))


def _shown(element: Element) -> Iterator[Element]:
    """All elements, apart from what stands there for older programs."""
    for child in element:
        if child.tag != _FALLBACK:
            yield child
            yield from _shown(child)


def _read_shape(shape: Element, drawn: Drawn) -> None:
    properties = next(shape.iter(f"{_DRAWING}cNvPr"), None)
    lines = [
        joined(
            (node.text or "") if node.tag == f"{A}t" else " "
            for node in paragraph.iter()
            if node.tag in (f"{A}t", f"{A}br")
        )
        for paragraph in shape.iter(f"{A}p")
    ]
    if properties is not None and properties.get("hidden") in ("1", "true"):
        drawn.hidden += [HiddenText(text=line, why="hidden_style") for line in lines if line]
    else:
        drawn.texts += filter(None, lines)


def _comments(root: Element) -> Iterator[Comment]:
    authors = [joined([author.text or ""]) for author in root.iter(f"{_MAIN}author")]
    for comment in root.iter(f"{_MAIN}comment"):
        number = comment.get("authorId", "")
        author = authors[int(number)] if number.isdecimal() and int(number) < len(authors) else ""
        text = joined(node.text or "" for node in comment.iter(f"{_MAIN}t"))
        if text.startswith(f"{author}:"):
            text = text.removeprefix(f"{author}:").strip()  # Excel writes the name in front of the text
        if text:
            yield Comment(place=comment.get("ref", ""), author=author, text=text)


def _threaded(root: Element, people: dict[str, str]) -> Iterator[Comment]:
    for comment in root:
        text = joined(node.text or "" for node in comment if local(node.tag.replace("}", ":")) == "text")
        if text:
            yield Comment(place=comment.get("ref", ""), author=people.get(comment.get("personId", ""), ""), text=text)


def _people(package: Package) -> dict[str, str]:
    """Id → name of those who wrote threaded comments."""
    return {
        person.get("id", ""): person.get("displayName", "")
        for part in package.names()
        if part.startswith("xl/persons/") and part.endswith(".xml")
        for person in parse_tree(package.read(part), part=part)
    }
