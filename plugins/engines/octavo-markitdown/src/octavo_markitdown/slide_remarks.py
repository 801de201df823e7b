"""Reads what stands beside a slide: comments of reviewers, and the text of diagrams (CNV-8)."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from octavo_contracts import SourceCorrupt

from .office_package import parse_xml
from .slide_styles import A
from .slide_text import plain
from .word_review import Remark

if TYPE_CHECKING:
    from lxml.etree import _Element
    from pptx.opc.package import Part
    from pptx.presentation import Presentation
    from pptx.slide import Slide

_DGM = "{http://schemas.openxmlformats.org/drawingml/2006/diagram}"
_MAX_DEPTH = 8
_INDENT = "   "


def authors_of(deck: Presentation) -> dict[str, str]:
    """Return the names of those who commented: id → name."""
    found = {}
    for part in related(deck.part, "commentAuthors", "authors"):
        for author in tree(part).iter():
            if local(author) in ("cmAuthor", "author"):
                found[author.get("id", "")] = author.get("name", "")
    return found


def comments_of(slide: Slide, authors: dict[str, str]) -> Iterator[Remark]:
    """The comments on a slide and the answers to them, in the order written; those of both formats of PowerPoint."""
    for part in related(slide.part, "comments"):
        for element in tree(part).iter():
            if local(element) in ("cm", "reply"):
                yield Remark(
                    kind="Comment",
                    author=authors.get(element.get("authorId", ""), ""),
                    date=(element.get("dt") or element.get("created") or "")[:10],
                    text=_said(element),
                )


def diagram(part: Part) -> list[str]:
    """Return the text of a diagram (SmartArt) as the lines of a list, each point below the one it belongs to.

    Args:
        part: part of the diagram's data.
    """
    root = tree(part)
    texts = {point.get("modelId", ""): plain(point) for point in root.iter(f"{_DGM}pt")}
    children: dict[str, list[str]] = {}
    for link in root.iter(f"{_DGM}cxn"):
        if link.get("type", "parOf") == "parOf":
            children.setdefault(link.get("srcId", ""), []).append(link.get("destId", ""))
    below = {child for group in children.values() for child in group}
    lines: list[str] = []
    seen: set[str] = set()
    # Points are walked without recursion: a damaged file may hold a circle of any length.
    stack = [(name, 0) for name in reversed(texts) if name not in below]
    while stack:
        name, depth = stack.pop()
        if name in seen:
            continue
        seen.add(name)
        text = texts.get(name, "")
        if text:
            lines.append(f"{_INDENT * min(depth, _MAX_DEPTH)}{text}")
        stack += [(child, depth + bool(text)) for child in reversed(children.get(name, ()))]
    return lines + [text for name, text in texts.items() if text and name not in seen]


def related(part: Part, *kinds: str) -> Iterator[Part]:
    """The parts inside the container that a part refers to by one of the kinds of relation."""
    for relation in part.rels.values():
        if not relation.is_external and relation.reltype.rpartition("/")[2] in kinds:
            yield relation.target_part


def tree(part: Part) -> _Element:
    """Return the root element of a part.

    Raises:
        SourceCorrupt: the part is not well-formed.
    """
    try:
        return parse_xml(part.blob, part=str(part.partname))
    except (AttributeError, TypeError) as error:
        raise SourceCorrupt(f"part {part.partname} of the deck cannot be read", plugin="markitdown") from error


def local(element: _Element) -> str:
    """Return an element's name without its namespace; '' for a comment."""
    return element.tag.rpartition("}")[2] if isinstance(element.tag, str) else ""


def _said(element: _Element) -> str:
    """The text of one comment, without the answers to it."""
    for child in element:
        if local(child) == "text":
            return " ".join((child.text or "").split())
        if local(child) == "txBody":
            return plain(child)
    return " ".join("".join(node.text or "" for node in element.iterfind(f"{A}t")).split())
